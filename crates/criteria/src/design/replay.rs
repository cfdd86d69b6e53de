//! What goes wrong in a run, said as plainly as possible: exact values, one step after the other,
//! and nothing in common with [`super::watch()`] but the list of places.

use std::collections::BTreeSet;

use provoke_base::{IndexVec, Int, Rational};
use provoke_model::{BinaryOp, ExprId, ExprKind, Range, System, UnaryOp, Value, VarId};
use provoke_sim::interpreter::delays;
use rustc_hash::FxHashMap;

use super::{ArraySizes, DesignError, DesignErrorKind, Hazards, NumberLimits, Site};

/// Replays runs of a model and notes the design errors in them.
pub struct DesignReplay<'a> {
    system: &'a System,
    limits: &'a NumberLimits,
    hazards: Hazards<'a>,
    errors: FxHashMap<(DesignErrorKind, Site), usize>,
    kinds: Vec<DesignErrorKind>,
    delays: Vec<ExprId>,
    slots: FxHashMap<ExprId, usize>,
    state: ReplayState,
    values: IndexVec<VarId, Outcome>,
    seen: BTreeSet<usize>,
}

/// All that a model remembers between two steps.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ReplayState {
    is_first: bool,
    /// What each `pre` remembers, in the order of their ids.
    memory: Vec<Value>,
}

/// The value of an expression; `None` if something went wrong on the way to it.
type Outcome = Option<Value>;

impl<'a> DesignReplay<'a> {
    /// A model whose design errors are these.
    pub fn new(
        system: &'a System,
        errors: &[DesignError],
        limits: &'a NumberLimits,
        sizes: &ArraySizes,
    ) -> DesignReplay<'a> {
        let mut places = FxHashMap::default();
        for (position, error) in errors.iter().enumerate() {
            places.extend(error.sites.iter().map(|site| ((error.kind, *site), position)));
        }
        let delays = delays(system);
        DesignReplay {
            system,
            limits,
            hazards: Hazards::new(system, limits, sizes),
            errors: places,
            kinds: errors.iter().map(|error| error.kind).collect(),
            slots: delays.iter().enumerate().map(|(slot, delay)| (*delay, slot)).collect(),
            state: ReplayState { is_first: true, memory: vec![Value::Unknown; delays.len()] },
            delays,
            values: IndexVec::repeat(None, system.vars.len()),
            seen: BTreeSet::new(),
        }
    }

    /// The state before the first step.
    pub fn start(&self) -> ReplayState {
        ReplayState { is_first: true, memory: vec![Value::Unknown; self.delays.len()] }
    }

    /// The design errors that occur for certain, each with the first step, counted from 1. What
    /// follows a step with an error that ends runs, or one outside the assumptions, does not count.
    pub fn run(&mut self, inputs: &[Vec<Value>]) -> Vec<(usize, usize)> {
        let mut state = Some(self.start());
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (index, row) in inputs.iter().enumerate() {
            let Some(from) = state else { break };
            let (seen, after) = self.step_from(&from, row);
            for error in seen {
                if found.iter().all(|(_, known)| *known != error) {
                    found.push((index + 1, error));
                }
            }
            state = after;
        }
        found
    }

    /// The design errors of one step, and the state after it; `None` if the run ends there.
    pub fn step_from(
        &mut self,
        from: &ReplayState,
        row: &[Value],
    ) -> (Vec<usize>, Option<ReplayState>) {
        self.state.clone_from(from);
        self.seen.clear();
        let Some(memory) = self.step(row) else { return (Vec::new(), None) };
        let goes_on = !self.seen.iter().any(|error| self.kinds[*error].ends_run());
        let after = goes_on.then_some(ReplayState { is_first: false, memory });
        (self.seen.iter().copied().collect(), after)
    }

    /// Does one step; what is remembered then, or `None` if no run has it.
    fn step(&mut self, row: &[Value]) -> Option<Vec<Value>> {
        for (&var, value) in self.system.inputs.iter().zip(row) {
            let declared = &self.system.vars[var];
            let is_declared = declared.range.as_ref().is_none_or(|range| range.contains(value));
            let is_held = declared.machine.is_some() || self.limits.holds(value);
            if !is_declared || !is_held {
                return None;
            }
            self.values[var] = Some(value.clone());
        }
        for equation in &self.system.equations {
            let mut outcome = self.evaluate(equation.expr, true);
            if self.hazards.of_var(equation.var)
                && let (Some(value), Some(range)) =
                    (&outcome, &self.system.vars[equation.var].range)
                && !range.contains(value)
            {
                self.note(DesignErrorKind::Range, Site::Var(equation.var));
                outcome = None;
            }
            self.values[equation.var] = outcome;
        }
        let mut remembered = Vec::new();
        for delay in self.delays.clone() {
            if let ExprKind::Pre(operand) = self.system.exprs[delay].kind {
                remembered.push(self.evaluate(operand, true).unwrap_or(Value::Unknown));
            }
        }
        for property in &self.system.properties {
            self.evaluate(property.expr, true);
        }
        for assumption in &self.system.assumptions {
            if self.evaluate(assumption.expr, true) == Some(Value::Bool(false)) {
                return None;
            }
        }
        Some(remembered)
    }

    fn note(&mut self, kind: DesignErrorKind, site: Site) {
        self.seen.extend(self.errors.get(&(kind, site)));
    }

    /// The value; what goes wrong is noted if it is certain to.
    fn evaluate(&mut self, id: ExprId, certain: bool) -> Outcome {
        // Expressions may be nested deeper than the thread's stack allows.
        stacker::maybe_grow(64 << 10, 1 << 20, || self.evaluate_here(id, certain))
    }

    fn evaluate_here(&mut self, id: ExprId, certain: bool) -> Outcome {
        let value = match self.system.exprs[id].kind.clone() {
            ExprKind::Const(value) => value,
            ExprKind::Var(var) => self.values[var].clone()?,
            ExprKind::Pre(_) => self.state.memory[self.slots[&id]].clone(),
            ExprKind::Arrow(first, later) => {
                self.evaluate(if self.state.is_first { first } else { later }, certain)?
            }
            ExprKind::If(condition, then, otherwise) => {
                match self.evaluate(condition, certain)?.as_bool() {
                    Some(true) => self.evaluate(then, certain)?,
                    Some(false) => self.evaluate(otherwise, certain)?,
                    None => {
                        let then = self.evaluate(then, false);
                        let otherwise = self.evaluate(otherwise, false);
                        if then == otherwise { then } else { None }.unwrap_or(Value::Unknown)
                    }
                }
            }
            ExprKind::Unary(op, operand) => {
                let operand = self.evaluate(operand, certain)?;
                let value = op.apply(&operand);
                return self.judged(id, value, &[operand], certain);
            }
            ExprKind::Binary(op, left, right) => {
                return self.binary(id, op, left, right, certain);
            }
        };
        self.judged(id, value, &[], certain)
    }

    fn binary(
        &mut self,
        id: ExprId,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
        certain: bool,
    ) -> Outcome {
        let a = self.evaluate(left, certain);
        let (a, b) = match a {
            Some(a) if op.decided_by_left(&a).is_some() => return op.decided_by_left(&a),
            Some(a) if op.is_logical() && op != BinaryOp::Xor && !a.is_known() => {
                (a, self.evaluate(right, false).unwrap_or(Value::Unknown))
            }
            Some(a) => (a, self.evaluate(right, certain)?),
            None if op.is_logical() && op != BinaryOp::Xor => return None,
            // Both operands are computed, whatever becomes of the other.
            None => {
                self.evaluate(right, certain);
                return None;
            }
        };
        let value = op.apply(&a, &b).unwrap_or(Value::Unknown);
        self.judged(id, value, &[a, b], certain)
    }

    /// The value of an operation, unless it goes wrong.
    fn judged(&mut self, id: ExprId, value: Value, operands: &[Value], certain: bool) -> Outcome {
        for kind in self.hazards.of_expr(id).to_vec() {
            if self.occurs(kind, id, &value, operands) {
                if certain {
                    self.note(kind, Site::Expr(id));
                }
                if kind.ends_run() {
                    return None;
                }
            }
        }
        Some(value)
    }

    fn occurs(&self, kind: DesignErrorKind, id: ExprId, value: &Value, operands: &[Value]) -> bool {
        match (kind, operands) {
            (DesignErrorKind::DivisionByZero, [_, by]) => super::is_zero(by),
            (DesignErrorKind::Index, [index, _]) => {
                let size = self.hazards.index_at(id).map_or(0, |(_, size)| size);
                !Range { low: Int::ZERO, high: Int::from(size as i64 - 1) }.contains(index)
            }
            (DesignErrorKind::InexactCast, [int]) => {
                let most = self.limits.exact_ints();
                !Range { low: most.neg(), high: most }.contains(int)
            }
            (DesignErrorKind::FloatEquality, [Value::Real(a), Value::Real(b)]) => {
                let size = magnitude(a).add(&magnitude(b));
                let part = self.limits.closeness().mul(&size);
                !size.is_zero() && magnitude(&a.sub(b)) <= part
            }
            (DesignErrorKind::FloatEquality, _) => false,
            (DesignErrorKind::Wrap, [exact]) => match self.system.exprs[id].kind {
                ExprKind::Unary(UnaryOp::Wrap(ty), _) => !Range::from(ty).contains(exact),
                _ => false,
            },
            (DesignErrorKind::Overflow, _) => {
                // An operation sees operands of wider types as an `int`; what wraps around is one of them.
                let takes_wide = !self.hazards.wide_operands(id).is_empty();
                let is_wide = |value: &Value| !self.limits.ints().contains(value);
                is_wide(value) || (takes_wide && operands.iter().any(is_wide))
            }
            // What an unknown operand decides is not certain.
            _ => value.is_known() && !self.limits.holds(value),
        }
    }
}

fn magnitude(real: &Rational) -> Rational {
    if real.is_negative() { real.neg() } else { real.clone() }
}
