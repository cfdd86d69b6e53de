//! The fixedpoint engine of Z3.

use std::ffi::c_int;

use super::FixedpointObject;
use super::ast::Ast;
use super::context::{Context, Failure, Owned, text};
use super::outcome::{Outcome, Stoppable};
use crate::interrupter::Interrupter;
use crate::solver::Limit;
use crate::watchdog::Watch;

/// Rules over relations, solved by Spacer.
pub(crate) struct Fixedpoint(Owned<FixedpointObject>);

impl Fixedpoint {
    /// No rules.
    pub(crate) fn new(context: &Context) -> Result<Fixedpoint, Failure> {
        let api = context.api();
        // SAFETY: the context is alive.
        let raw = unsafe { (api.mk_fixedpoint)(context.raw()) };
        let fixedpoint =
            Fixedpoint(context.own(raw, api.fixedpoint_inc_ref, api.fixedpoint_dec_ref)?);
        let params = context.params()?;
        params.set_symbol(c"engine", c"spacer");
        params.set_bool(c"ctrl_c", false);
        // Relations that are sliced or inlined away have no invariant to be asked for.
        for name in [c"xform.slice", c"xform.inline_linear", c"xform.inline_eager"] {
            params.set_bool(name, false);
        }
        // SAFETY: both belong to this context.
        unsafe {
            (api.fixedpoint_set_params)(context.raw(), fixedpoint.0.raw, params.0.raw);
        }
        context.status()?;
        Ok(fixedpoint)
    }

    /// Makes `relation` one that rules define.
    pub(crate) fn register(&self, relation: &Ast) -> Result<(), Failure> {
        let context = &self.0.context;
        // SAFETY: both belong to this context.
        unsafe {
            let register = context.api().fixedpoint_register_relation;
            register(context.raw(), self.0.raw, relation.0.raw);
        }
        context.status()
    }

    /// Adds a closed rule with this number.
    pub(crate) fn add_rule(&self, rule: &Ast, number: u32) -> Result<(), Failure> {
        let context = &self.0.context;
        let name = context.numbered_symbol(number);
        // SAFETY: all belong to this context.
        unsafe {
            (context.api().fixedpoint_add_rule)(context.raw(), self.0.raw, rule.0.raw, name);
        }
        context.status()
    }

    /// Whether `goal` holds. An interrupt stays pending, so that the context is of no use
    /// after it.
    pub(crate) fn query(&self, goal: &Ast, limit: Limit, interrupter: &Interrupter) -> Outcome {
        let context = &self.0.context;
        let (api, raw) = (context.api(), context.raw());
        let work_before = self.work();
        let target = Stoppable { api, context: raw, object: () };
        let watch = Watch::begin(limit.time, interrupter, move || {
            let Stoppable { api, context, .. } = target.get();
            // SAFETY: the watch ends before this function does, so the context is alive; Z3
            // documents that interrupts may come from any thread.
            unsafe { (api.interrupt)(context) };
        });
        // SAFETY: both belong to this context.
        let answer = unsafe { (api.fixedpoint_query)(raw, self.0.raw, goal.0.raw) };
        let stopped = watch.end();
        let answer = context.status().map(|()| answer);
        // SAFETY: the fixedpoint is alive; the string is copied at once.
        let explanation = unsafe { text((api.fixedpoint_get_reason_unknown)(raw, self.0.raw)) };
        let work = self.work().wrapping_sub(work_before);
        Outcome::new(answer, stopped, work, limit, explanation)
    }

    /// The derivation of the goal, after it was found to hold.
    pub(crate) fn answer(&self) -> Result<Ast, Failure> {
        let context = &self.0.context;
        // SAFETY: the fixedpoint is alive.
        context.ast(unsafe { (context.api().fixedpoint_get_answer)(context.raw(), self.0.raw) })
    }

    /// What always holds of the arguments of `relation`, after the goal was found not to hold.
    pub(crate) fn invariant(&self, relation: &Ast) -> Result<Ast, Failure> {
        const ALWAYS: c_int = -1;
        let context = &self.0.context;
        // SAFETY: both belong to this context.
        context.ast(unsafe {
            let cover = context.api().fixedpoint_get_cover_delta;
            cover(context.raw(), self.0.raw, ALWAYS, relation.0.raw)
        })
    }

    /// The work that the context has done so far, modulo 2^32.
    fn work(&self) -> u32 {
        let context = &self.0.context;
        // SAFETY: the fixedpoint is alive.
        let stats = unsafe { (context.api().fixedpoint_get_statistics)(context.raw(), self.0.raw) };
        context.work(stats)
    }
}
