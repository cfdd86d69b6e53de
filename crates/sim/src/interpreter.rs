//! The reference interpreter, over exact values that may also be unknown.
//!
//! Inputs may be [`Value::Unknown`]: this one evaluator is also the ternary one. A result is
//! known where the operators' rules give it for every completion of the unknowns.
//!
//! Every equation, and every operand of `pre`, is computed at every step; only `if`, `and`,
//! `or` and `=>` leave out an operand that cannot matter, so that `if y = 0 then 0 else x
//! div y` is safe to write.

use std::fmt;

use provoke_base::IndexVec;
use provoke_model::{ExprId, ExprKind, Fault, System, Trace, Value, VarId};

/// Where and when a computation had no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuntimeError {
    /// What went wrong.
    pub fault: Fault,
    /// The expression that has no value.
    pub expr: ExprId,
    /// The step, counted from 1.
    pub step: usize,
}

impl fmt::Display for RuntimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at step {}", self.fault, self.step)
    }
}

/// Something promised that did not hold at a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Breach {
    /// The assumption at this position: the inputs are outside what the model is for.
    Assumption(usize),
    /// A variable left the range it was declared with.
    Range(VarId),
}

impl Breach {
    /// Whether no run has such a step: what the environment promises is broken.
    pub fn is_outside(self, system: &System) -> bool {
        match self {
            Breach::Assumption(_) => true,
            Breach::Range(var) => system.vars[var].role.is_from_outside(),
        }
    }
}

/// All that a system remembers between two steps.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SimState {
    steps_done: usize,
    /// The value of each delay's operand at the last step, in the order of [`delays`].
    memory: Vec<Value>,
}

impl SimState {
    /// The state after `steps_done` steps with these remembered values, in the order of
    /// [`delays`].
    pub fn new(steps_done: usize, memory: Vec<Value>) -> SimState {
        SimState { steps_done, memory }
    }

    /// How many steps led here.
    pub fn steps_done(&self) -> usize {
        self.steps_done
    }

    /// The remembered values, in the order of [`delays`].
    pub fn memory(&self) -> &[Value] {
        &self.memory
    }
}

/// The `pre` expressions of a system, in the order of their ids.
pub fn delays(system: &System) -> Vec<ExprId> {
    let is_delay = |id: &ExprId| matches!(system.exprs[*id].kind, ExprKind::Pre(_));
    system.exprs.ids().filter(is_delay).collect()
}

/// A system in some state, ready for the next step.
#[derive(Clone, Debug)]
pub struct Simulator<'a> {
    system: &'a System,
    delays: Vec<ExprId>,
    /// For each `pre`, its place in the memory.
    slots: IndexVec<ExprId, usize>,
    state: SimState,
    values: IndexVec<VarId, Value>,
}

impl<'a> Simulator<'a> {
    /// The system in its initial state.
    pub fn new(system: &'a System) -> Simulator<'a> {
        let delays = delays(system);
        let mut slots = IndexVec::repeat(0, system.exprs.len());
        for (slot, &delay) in delays.iter().enumerate() {
            slots[delay] = slot;
        }
        let state = SimState { steps_done: 0, memory: vec![Value::Unknown; delays.len()] };
        let values = IndexVec::repeat(Value::Unknown, system.vars.len());
        Simulator { system, delays, slots, state, values }
    }

    /// Goes back to the initial state.
    pub fn reset(&mut self) {
        self.state = SimState { steps_done: 0, memory: vec![Value::Unknown; self.delays.len()] };
    }

    /// The state before the next step.
    pub fn state(&self) -> &SimState {
        &self.state
    }

    /// Continues from `state`, which must be of the same system.
    pub fn restore(&mut self, state: &SimState) {
        self.state.clone_from(state);
    }

    /// The values of the last step.
    pub fn values(&self) -> &IndexVec<VarId, Value> {
        &self.values
    }

    /// The value of any expression in the last step done.
    ///
    /// `before` is the state that the step started from.
    pub fn value_of(&self, expr: ExprId, before: &SimState) -> Result<Value, RuntimeError> {
        self.evaluate(expr, before)
    }

    /// Does one step; `inputs` in the order of [`System::inputs`].
    pub fn step(&mut self, inputs: &[Value]) -> Result<Vec<Breach>, RuntimeError> {
        assert_eq!(inputs.len(), self.system.inputs.len(), "one value for each input");
        for (&var, value) in self.system.inputs.iter().zip(inputs) {
            self.values[var].clone_from(value);
        }
        for equation in &self.system.equations {
            self.values[equation.var] = self.evaluate(equation.expr, &self.state)?;
        }
        let breaches = self.breaches()?;
        let remember = |&delay: &ExprId| match self.system.exprs[delay].kind {
            ExprKind::Pre(operand) => self.evaluate(operand, &self.state),
            _ => unreachable!("delays are `pre` expressions"),
        };
        self.state.memory = self.delays.iter().map(remember).collect::<Result<_, _>>()?;
        self.state.steps_done += 1;
        Ok(breaches)
    }

    fn breaches(&self) -> Result<Vec<Breach>, RuntimeError> {
        let mut breaches = Vec::new();
        for (position, assumption) in self.system.assumptions.iter().enumerate() {
            if self.evaluate(assumption.expr, &self.state)? == Value::Bool(false) {
                breaches.push(Breach::Assumption(position));
            }
        }
        for (id, var) in self.system.vars.entries() {
            if var.range.as_ref().is_some_and(|range| !range.contains(&self.values[id])) {
                breaches.push(Breach::Range(id));
            }
        }
        Ok(breaches)
    }

    fn evaluate(&self, id: ExprId, before: &SimState) -> Result<Value, RuntimeError> {
        // Expressions may be nested deeper than the thread's stack allows.
        stacker::maybe_grow(64 << 10, 1 << 20, || self.evaluate_here(id, before))
    }

    fn evaluate_here(&self, id: ExprId, before: &SimState) -> Result<Value, RuntimeError> {
        match &self.system.exprs[id].kind {
            ExprKind::Const(value) => Ok(value.clone()),
            ExprKind::Var(var) => Ok(self.values[*var].clone()),
            ExprKind::Unary(op, operand) => Ok(op.apply(&self.evaluate(*operand, before)?)),
            ExprKind::Binary(op, left, right) => {
                let left = self.evaluate(*left, before)?;
                if let Some(decided) = op.decided_by_left(&left) {
                    return Ok(decided);
                }
                let right = if op.is_logical() && !left.is_known() {
                    self.evaluate_if_needed(*right, before)
                } else {
                    self.evaluate(*right, before)?
                };
                if self.system.numbers.is_some() && op.is_open_to_infinity(&left, &right) {
                    return Ok(Value::Unknown);
                }
                let step = before.steps_done + 1;
                op.apply(&left, &right).map_err(|fault| RuntimeError { fault, expr: id, step })
            }
            ExprKind::If(condition, then, otherwise) => {
                match self.evaluate(*condition, before)?.as_bool() {
                    Some(true) => self.evaluate(*then, before),
                    Some(false) => self.evaluate(*otherwise, before),
                    None => {
                        let then = self.evaluate_if_needed(*then, before);
                        let otherwise = self.evaluate_if_needed(*otherwise, before);
                        Ok(if then == otherwise { then } else { Value::Unknown })
                    }
                }
            }
            ExprKind::Arrow(first, _) if before.steps_done == 0 => self.evaluate(*first, before),
            ExprKind::Arrow(_, later) => self.evaluate(*later, before),
            ExprKind::Pre(_) => Ok(before.memory[self.slots[id]].clone()),
        }
    }

    /// The value of an operand that some completion of the unknowns does not need: a fault
    /// there is not certain to happen.
    fn evaluate_if_needed(&self, id: ExprId, before: &SimState) -> Value {
        self.evaluate(id, before).unwrap_or(Value::Unknown)
    }
}

/// A finished run from the initial state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SimulationRun {
    /// The values at each step.
    pub trace: Trace,
    /// What did not hold, with the step counted from 1.
    pub breaches: Vec<(usize, Breach)>,
    /// Why the run ended before the inputs did.
    pub error: Option<RuntimeError>,
}

/// Runs a system from its initial state until the inputs end or a computation has no value.
pub fn run<'v>(system: &System, inputs: impl IntoIterator<Item = &'v [Value]>) -> SimulationRun {
    let mut simulator = Simulator::new(system);
    let mut run = SimulationRun::default();
    for (index, step_inputs) in inputs.into_iter().enumerate() {
        match simulator.step(step_inputs) {
            Ok(breaches) => {
                run.trace.steps.push(simulator.values().clone());
                run.breaches.extend(breaches.into_iter().map(|breach| (index + 1, breach)));
            }
            Err(error) => {
                run.error = Some(error);
                break;
            }
        }
    }
    run
}
