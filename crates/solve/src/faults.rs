//! Where a step divides by zero, which ends the run before it.
//!
//! As in the simulator every equation, assertion and operand of `pre` is computed in every
//! step, and only `if`, `and`, `or` and `=>` leave out an operand that cannot matter. Divisions
//! by constants cost nothing.

use provoke_base::IndexVec;
use provoke_model::{BinaryOp, ExprId, ExprKind, System, Value};

use crate::encode::{Encoder, zero_like};
use crate::term::{TermId, Terms};

/// What is asked where values are undefined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// What is so for every value of what is undefined: what a test may rest on.
    Known,
    /// What is so for the values that were chosen for it: what a proof excludes for all.
    Possible,
}

/// What is found out about divisions by zero.
pub(crate) struct Faults {
    /// Whether an expression may divide by zero when it is computed, its variables given.
    risky: IndexVec<ExprId, bool>,
    faults: [IndexVec<ExprId, Option<TermId>>; 2],
}

impl Faults {
    pub(crate) fn new(system: &System) -> Faults {
        let none = IndexVec::repeat(None, system.exprs.len());
        Faults { risky: risky(system), faults: [none.clone(), none] }
    }

    /// An expression is a constant, so that computing it divides by nothing.
    pub(crate) fn leave_out(&mut self, terms: &mut Terms, expr: ExprId) {
        self.faults.iter_mut().for_each(|faults| faults[expr] = Some(terms.bool(false)));
    }
}

impl Encoder<'_> {
    /// Whether computing an expression divides by zero in this step, given that the variables
    /// in it have values: for those that were chosen or, as a test must not rest on that, perhaps.
    pub fn faults(&mut self, terms: &mut Terms, expr: ExprId, reading: Reading) -> TermId {
        if !self.faults.risky[expr] {
            return terms.bool(false);
        }
        if let Some(known) = self.faults.faults[reading as usize][expr] {
            return known;
        }
        let faults =
            stacker::maybe_grow(64 << 10, 1 << 20, || self.faults_here(terms, expr, reading));
        self.faults.faults[reading as usize][expr] = Some(faults);
        faults
    }

    /// Whether computing one of these expressions divides by zero in this step.
    pub fn any_faults(&mut self, terms: &mut Terms, exprs: &[ExprId], reading: Reading) -> TermId {
        let faults: Vec<TermId> =
            exprs.iter().map(|expr| self.faults(terms, *expr, reading)).collect();
        terms.any(&faults)
    }

    fn faults_here(&mut self, terms: &mut Terms, id: ExprId, reading: Reading) -> TermId {
        match self.system().exprs[id].kind.clone() {
            ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Pre(_) => terms.bool(false),
            ExprKind::Unary(_, a) => self.faults(terms, a, reading),
            ExprKind::Binary(op, a, b) => self.binary_faults(terms, op, [a, b], reading),
            ExprKind::If(c, a, b) => {
                let chosen = self.value(terms, c);
                let certain = self.certain(terms, c, reading);
                let [c, a, b] = [c, a, b].map(|part| self.faults(terms, part, reading));
                let (branch, either) = (terms.ite(chosen, a, b), terms.any(&[a, b]));
                let branch = terms.ite(certain, branch, either);
                terms.any(&[c, branch])
            }
            ExprKind::Arrow(a, b) => {
                let [a, b] = [a, b].map(|part| self.faults(terms, part, reading));
                terms.ite(self.first(), a, b)
            }
        }
    }

    fn binary_faults(
        &mut self,
        terms: &mut Terms,
        op: BinaryOp,
        [a, b]: [ExprId; 2],
        reading: Reading,
    ) -> TermId {
        let [left, right] = [a, b].map(|part| self.faults(terms, part, reading));
        if op.is_logical() {
            let needed = self.needs_right(terms, op, a, reading);
            let right = terms.all(&[needed, right]);
            return terms.any(&[left, right]);
        }
        let mut all = vec![left, right];
        if op.divides() {
            let by = self.value(terms, b);
            let zero = terms.constant(zero_like(self.system().exprs[b].ty));
            let (is_zero, certain) = (terms.eq(by, zero), self.certain(terms, b, reading));
            let undefined = terms.not(certain);
            all.push(terms.any(&[undefined, is_zero]));
        }
        terms.any(&all)
    }

    /// Whether the right side of a connective is computed, by the value of the left one, or may be.
    fn needs_right(
        &mut self,
        terms: &mut Terms,
        op: BinaryOp,
        left: ExprId,
        reading: Reading,
    ) -> TermId {
        let value = self.value(terms, left);
        let certain = self.certain(terms, left, reading);
        let undecided = match op {
            BinaryOp::And | BinaryOp::Implies => value,
            BinaryOp::Or => terms.not(value),
            _ => terms.bool(true),
        };
        let undefined = terms.not(certain);
        terms.any(&[undefined, undecided])
    }

    fn certain(&mut self, terms: &mut Terms, expr: ExprId, reading: Reading) -> TermId {
        match reading {
            Reading::Known => self.known(terms, expr, Reading::Known),
            Reading::Possible => terms.bool(true),
        }
    }
}

fn risky(system: &System) -> IndexVec<ExprId, bool> {
    let mut risky: IndexVec<ExprId, bool> = IndexVec::new();
    for expr in system.exprs.iter() {
        let new = match expr.kind {
            ExprKind::Pre(_) => false,
            ExprKind::Binary(op, a, by) => {
                risky[a] || risky[by] || op.divides() && !is_nonzero(system, by)
            }
            ref kind => kind.operands().any(|operand| risky[operand]),
        };
        risky.push(new);
    }
    risky
}

fn is_nonzero(system: &System, expr: ExprId) -> bool {
    match &system.exprs[expr].kind {
        ExprKind::Const(Value::Int(value)) => !value.is_zero(),
        ExprKind::Const(Value::Real(value)) => !value.is_zero(),
        _ => false,
    }
}
