//! A solver of Z3 and its solutions.

use std::ffi::c_uint;

use super::ast::Ast;
use super::context::{Context, Failure, Owned, Params, raws, text};
use super::outcome::{Outcome, Stoppable, rlimit_of};
use super::{ModelObject, SolverObject};
use crate::interrupter::Interrupter;
use crate::solver::Limit;
use crate::watchdog::Watch;

/// A simple solver: assertions, checks under assumptions, nothing else.
pub(crate) struct Solver(Owned<SolverObject>);

impl Solver {
    /// A solver without assertions.
    pub(crate) fn new(context: &Context, relevancy: bool) -> Result<Solver, Failure> {
        let api = context.api();
        // SAFETY: the context is alive.
        let raw = unsafe { (api.mk_simple_solver)(context.raw()) };
        let solver = Solver(context.own(raw, api.solver_inc_ref, api.solver_dec_ref)?);
        let params = context.params()?;
        params.set_uint(c"smt.relevancy", if relevancy { 2 } else { 0 });
        // Otherwise Z3 takes the user's Ctrl-C for itself while it checks.
        params.set_bool(c"ctrl_c", false);
        solver.set_params(&params)?;
        Ok(solver)
    }

    fn set_params(&self, params: &Params) -> Result<(), Failure> {
        let context = &self.0.context;
        // SAFETY: solver and parameters belong to this context.
        unsafe {
            (context.api().solver_set_params)(context.raw(), self.0.raw, params.0.raw);
        }
        context.status()
    }

    /// From now on `term` must hold.
    pub(crate) fn assert(&self, term: &Ast) -> Result<(), Failure> {
        let context = &self.0.context;
        // SAFETY: solver and term belong to this context.
        unsafe { (context.api().solver_assert)(context.raw(), self.0.raw, term.0.raw) };
        context.status()
    }

    /// Checks under assumptions, which are constants or negated constants.
    pub(crate) fn check(
        &self,
        assumptions: &[Ast],
        limit: Limit,
        interrupter: &Interrupter,
    ) -> Result<Outcome, Failure> {
        let context = &self.0.context;
        let (api, raw) = (context.api(), context.raw());
        let params = context.params()?;
        params.set_uint(c"rlimit", rlimit_of(limit));
        self.set_params(&params)?;
        let list = raws(assumptions);
        let work_before = self.work();
        let target = Stoppable { api, context: raw, object: self.0.raw };
        // This interrupt, unlike that of the whole context, is forgotten when the check ends.
        let watch = Watch::begin(limit.time, interrupter, move || {
            let Stoppable { api, context, object } = target.get();
            // SAFETY: the watch ends before this function does, so both are alive; Z3
            // documents that interrupts may come from any thread.
            unsafe { (api.solver_interrupt)(context, object) };
        });
        // SAFETY: `list` holds as many terms of this context as are announced.
        let answer = unsafe {
            (api.solver_check_assumptions)(raw, self.0.raw, list.len() as c_uint, list.as_ptr())
        };
        let stopped = watch.end();
        let answer = context.status().map(|()| answer);
        // SAFETY: the solver is alive; the string is copied at once.
        let explanation = unsafe { text((api.solver_get_reason_unknown)(raw, self.0.raw)) };
        let work = self.work().wrapping_sub(work_before);
        Ok(Outcome::new(answer, stopped, work, limit, explanation))
    }

    /// The solution that the last check found.
    pub(crate) fn model(&self) -> Result<Model, Failure> {
        let context = &self.0.context;
        let api = context.api();
        // SAFETY: the solver is alive.
        let raw = unsafe { (api.solver_get_model)(context.raw(), self.0.raw) };
        context.own(raw, api.model_inc_ref, api.model_dec_ref).map(Model)
    }

    /// The assumptions that the last check found to contradict.
    pub(crate) fn core(&self) -> Result<Vec<Ast>, Failure> {
        let context = &self.0.context;
        let (api, raw) = (context.api(), context.raw());
        // SAFETY: the vector is owned before its elements are asked for; indices are below
        // its size.
        unsafe {
            let vector = (api.solver_get_unsat_core)(raw, self.0.raw);
            let vector = context.own(vector, api.ast_vector_inc_ref, api.ast_vector_dec_ref)?;
            (0..(api.ast_vector_size)(raw, vector.raw))
                .map(|index| context.ast((api.ast_vector_get)(raw, vector.raw, index)))
                .collect()
        }
    }

    /// The work that the context has done so far, modulo 2^32.
    fn work(&self) -> u32 {
        let context = &self.0.context;
        // SAFETY: the solver is alive.
        let stats = unsafe { (context.api().solver_get_statistics)(context.raw(), self.0.raw) };
        context.work(stats)
    }
}

/// A solution.
pub(crate) struct Model(Owned<ModelObject>);

impl Model {
    /// The value of a term, also of what the solution leaves open.
    pub(crate) fn value(&self, term: &Ast) -> Result<Ast, Failure> {
        let context = &self.0.context;
        // Any term will do as the initial value; Z3 writes another one over it.
        let mut value = term.0.raw;
        // SAFETY: model and term belong to this context; the result is owned at once.
        let evaluated = unsafe {
            let api = context.api();
            (api.model_eval)(context.raw(), self.0.raw, term.0.raw, true, &mut value)
        };
        if !evaluated {
            context.status()?;
            return Err(Failure::Error("a term has no value".to_owned()));
        }
        context.ast(value)
    }
}
