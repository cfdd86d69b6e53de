//! Branches in which time passes only when they are taken, and instances that start anew.

use std::ops::Range;

use provoke_base::Span;
use provoke_model::{BinaryOp, ExprId, ExprKind, Type, UnaryOp, Value, VarId};

use super::{Clock, Flat, Flattener, Frame, Kind};
use crate::ast;
use crate::check::Use;

impl Flattener<'_> {
    /// The wanted scalars of `when condition then a else b`.
    pub(super) fn when(
        &mut self,
        frame: &mut Frame,
        id: ast::ExprId,
        [condition, then, otherwise]: [ast::ExprId; 3],
        wanted: Range<usize>,
    ) -> Flat<Vec<ExprId>> {
        let span = self.checked.program.exprs[id].span;
        let [taken, skipped] = self.branches(frame, id, condition)?;
        let then = self.in_branch(frame, taken, then, wanted.clone())?;
        let otherwise = self.in_branch(frame, skipped, otherwise, wanted)?;
        let active = taken.active.expect("a branch has a clock");
        let mut results = Vec::new();
        for (then, otherwise) in then.into_iter().zip(otherwise) {
            let (active, ty) = (self.var(active, span)?, self.ty(then));
            results.push(self.add(ExprKind::If(active, then, otherwise), ty, span)?);
        }
        Ok(results)
    }

    /// The clocks of both branches; the condition is computed once.
    fn branches(
        &mut self,
        frame: &mut Frame,
        id: ast::ExprId,
        condition: ast::ExprId,
    ) -> Flat<[Clock; 2]> {
        if let Some(clocks) = frame.branches.get(&id) {
            return Ok(*clocks);
        }
        let span = self.checked.program.exprs[condition].span;
        let number = frame.branches.len() + 1;
        let holds = self.scalar(frame, condition)?;
        let guard = self.generate(frame.instance, &format!("when#{number}"), Kind::BOOL, span);
        self.define(frame.clock, guard, holds)?;
        let mut clock = |name: &str, negated: bool| -> Flat<Clock> {
            let name = format!("when#{number}.{name}");
            let active = self.generate(frame.instance, &format!("{name}.active"), Kind::BOOL, span);
            let first = self.generate(frame.instance, &format!("{name}.first"), Kind::BOOL, span);
            let mut condition = self.var(guard, span)?;
            if negated {
                condition = self.add(ExprKind::Unary(UnaryOp::Not, condition), Type::Bool, span)?;
            }
            self.tick(frame.clock, (active, first), condition)
        };
        let clocks = [clock("then", false)?, clock("else", true)?];
        frame.branches.insert(id, clocks);
        Ok(clocks)
    }

    fn in_branch(
        &mut self,
        frame: &mut Frame,
        clock: Clock,
        expr: ast::ExprId,
        wanted: Range<usize>,
    ) -> Flat<Vec<ExprId>> {
        let outer = frame.clock.replace(clock);
        let guarded = std::mem::replace(&mut frame.guarded, false);
        frame.open_branches += 1;
        let result = self.part(frame, expr, wanted);
        frame.open_branches -= 1;
        frame.guarded = guarded;
        frame.clock = outer;
        result
    }

    /// The call inside of `restart`.
    pub(super) fn inner_call(&self, id: ast::ExprId) -> ast::ExprId {
        match self.checked.program.exprs[id].kind {
            ast::AstExprKind::Restart(_, call) => call,
            _ => id,
        }
    }

    /// The results of a call, which may start anew when a condition holds.
    pub(super) fn called(
        &mut self,
        frame: &mut Frame,
        id: ast::ExprId,
        clock: Option<Clock>,
    ) -> Flat<Vec<VarId>> {
        if let Some(results) = frame.results.get(&id) {
            return Ok(results.clone());
        }
        let (call, clock) = match self.checked.program.exprs[id].kind {
            ast::AstExprKind::Restart(condition, call) => {
                (call, Some(self.restarted(frame, condition, call, clock)?))
            }
            _ => (id, clock),
        };
        let results = self.expand(frame, call, clock)?;
        frame.results.insert(id, results.clone());
        Ok(results)
    }

    /// The clock of an instance that starts anew when a condition holds.
    fn restarted(
        &mut self,
        frame: &mut Frame,
        condition: ast::ExprId,
        call: ast::ExprId,
        outer: Option<Clock>,
    ) -> Flat<Clock> {
        let span = self.checked.program.exprs[condition].span;
        let path = self.call_path(frame, call);
        let own = path.rsplit('.').next().unwrap_or("").to_string();
        let reset = self.generate(frame.instance, &format!("{own}.restart"), Kind::BOOL, span);
        let first = self.generate(frame.instance, &format!("{own}.anew"), Kind::BOOL, span);
        let mut now = self.scalar(frame, condition)?;
        if let Some(active) = outer.and_then(|outer| outer.active) {
            let active = self.var(active, span)?;
            now = self.both(BinaryOp::And, active, now, span)?;
        }
        if let Some(before) = outer.and_then(|outer| outer.reset) {
            let before = self.var(before, span)?;
            now = self.both(BinaryOp::Or, before, now, span)?;
        }
        self.equation(reset, now);
        let at_first = match outer {
            Some(outer) => self.var(outer.first, span)?,
            None => {
                let first = self.add(ExprKind::Const(Value::Bool(true)), Type::Bool, span)?;
                let later = self.add(ExprKind::Const(Value::Bool(false)), Type::Bool, span)?;
                self.add(ExprKind::Arrow(first, later), Type::Bool, span)?
            }
        };
        let now = self.var(reset, span)?;
        let now = self.both(BinaryOp::Or, now, at_first, span)?;
        self.equation(first, now);
        Ok(Clock { active: outer.and_then(|outer| outer.active), first, reset: Some(reset) })
    }

    pub(super) fn constant_bool(&self, id: ast::ExprId) -> Option<bool> {
        match (&self.checked.program.exprs[id].kind, self.checked.uses[id]) {
            (ast::AstExprKind::Bool(value), _) => Some(*value),
            (_, Use::Constant(index)) => self.checked.constants[index].first()?.as_bool(),
            _ => None,
        }
    }

    fn both(&mut self, op: BinaryOp, a: ExprId, b: ExprId, span: Span) -> Flat<ExprId> {
        self.add(ExprKind::Binary(op, a, b), Type::Bool, span)
    }
}
