//! What a model does in a step: the nodes are run as they are written, nothing is flattened.
//!
//! A step is computed on demand: a variable asks for what its definition needs. Then every
//! variable, every operand of `pre` and every assertion is asked for, so that a division by zero
//! anywhere ends the run; only what `if`, `and`, `or` and `=>` do not need is left out.

use std::collections::HashMap;

use provoke_base::IndexVec;
use provoke_model::{BinaryOp, Value};

use crate::instances::{
    ClockId, Definition, Delay, InstanceId, Model, Named, Promise, VarId, WrongValue,
};
use crate::operator::{Fault, binary, decided, divides, unary};
use crate::shape::{Part, Shape, default_of};

/// A computation that has no value, and where it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FaultAt {
    /// What is wrong.
    pub fault: Fault,
    /// The instance.
    pub instance: InstanceId,
    /// The expression.
    pub part: Part,
}

type Outcome = Result<Value, FaultAt>;

/// An operation that a step computed for certain.
#[derive(Clone, PartialEq, Debug)]
pub struct Computed {
    /// The instance.
    pub instance: InstanceId,
    /// The expression.
    pub part: Part,
    /// What it was computed from; of an access to an array, its index.
    pub operands: Vec<Value>,
    /// What came of it.
    pub result: Value,
}

/// A value of the step that is being computed.
#[derive(Clone, Debug)]
enum Cell {
    Open,
    Busy,
    Done(Outcome),
}

/// What is remembered between steps.
#[derive(Clone, Debug)]
struct Memory {
    /// The last value of each variable, for instances whose clock is false.
    vars: IndexVec<VarId, Value>,
    /// What each `pre` reads in the next step.
    delays: Vec<Value>,
    /// What each `pre` of a larger expression under a clock holds.
    kept: Vec<Value>,
    /// The last result of each `condact`.
    results: Vec<Value>,
    active: IndexVec<ClockId, Value>,
    first: IndexVec<ClockId, Value>,
}

/// The values of one step.
#[derive(Clone, Debug)]
struct Now {
    vars: IndexVec<VarId, Cell>,
    results: Vec<Cell>,
    active: IndexVec<ClockId, Cell>,
    first: IndexVec<ClockId, Value>,
    /// What each `pre` will read in the next step.
    delays: Vec<Value>,
    assertions: Vec<Value>,
    /// Whether some undefined value makes the step divide by zero, perhaps.
    doubt: bool,
}

/// A model in some state.
#[derive(Clone)]
pub struct Evaluator<'m> {
    model: &'m Model,
    /// The place of each `pre` in the memory.
    delays: HashMap<(InstanceId, Part), usize>,
    /// The place of each scalar of a `condact`.
    results: HashMap<(InstanceId, Part), usize>,
    steps: usize,
    memory: Memory,
    now: Now,
    /// The operations of the step, where somebody wants them.
    log: Option<Vec<Computed>>,
}

impl<'m> Evaluator<'m> {
    /// The model before its first step. What is undefined there is unknown.
    pub fn new(model: &'m Model) -> Evaluator<'m> {
        let (mut delays, mut results) = (HashMap::new(), HashMap::new());
        for (id, instance) in model.instances.entries() {
            for delay in &instance.delays {
                delays.insert((id, delay.part), delays.len());
            }
            for (&expr, clock) in &instance.condacts {
                let outputs = model.instances[model.clocks[*clock].callee].outputs.len();
                for position in 0..outputs {
                    results.insert((id, Part { expr, position }), results.len());
                }
            }
        }
        let memory = Memory {
            vars: IndexVec::repeat(Value::Unknown, model.vars.len()),
            delays: vec![Value::Unknown; delays.len()],
            kept: vec![Value::Unknown; delays.len()],
            results: vec![Value::Unknown; results.len()],
            active: IndexVec::repeat(Value::Bool(false), model.clocks.len()),
            first: IndexVec::repeat(Value::Bool(true), model.clocks.len()),
        };
        let now = Now {
            vars: IndexVec::repeat(Cell::Open, model.vars.len()),
            results: vec![Cell::Open; results.len()],
            active: IndexVec::repeat(Cell::Open, model.clocks.len()),
            first: memory.first.clone(),
            delays: Vec::new(),
            assertions: Vec::new(),
            doubt: false,
        };
        Evaluator { model, delays, results, steps: 0, memory, now, log: None }
    }

    /// Gives a `pre` its value in the first step.
    pub fn set_undefined(&mut self, instance: InstanceId, part: Part, value: Value) {
        if let Some(&slot) = self.delays.get(&(instance, part)) {
            self.memory.delays[slot] = value;
        }
    }

    /// Gives a `pre` of a larger expression the value it holds until its clock is true.
    pub fn set_kept(&mut self, instance: InstanceId, part: Part, value: Value) {
        if let Some(&slot) = self.delays.get(&(instance, part)) {
            self.memory.kept[slot] = value;
        }
    }

    /// Gives a variable the value it holds until its clock is true for the first time.
    pub fn set_held(&mut self, var: VarId, value: Value) {
        self.memory.vars[var] = value;
    }

    /// Whether the step that was computed divides by zero for some undefined value, as far as can
    /// be told: then a run may have ended there.
    pub fn is_doubtful(&self) -> bool {
        self.now.doubt
    }

    /// Computes the next step as [`Evaluator::compute`] does, and lists the operations of the equations that
    /// were certain to be computed, up to a fault.
    pub fn compute_listing(&mut self, inputs: &[Value]) -> (Result<(), FaultAt>, Vec<Computed>) {
        self.log = Some(Vec::new());
        let outcome = self.compute(inputs);
        (outcome, self.log.take().unwrap_or_default())
    }

    fn list(&mut self, instance: InstanceId, part: Part, operands: &[&Value], result: &Value) {
        if let Some(log) = &mut self.log {
            let operands = operands.iter().map(|operand| (*operand).clone()).collect();
            log.push(Computed { instance, part, operands, result: result.clone() });
        }
    }

    /// What is not certain to be computed is not listed.
    fn unlisted<T>(&mut self, compute: impl FnOnce(&mut Self) -> T) -> T {
        let log = self.log.take();
        let found = compute(self);
        self.log = log;
        found
    }

    /// How many steps were done.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Computes the next step; `inputs` in the order of [`Model::inputs`]. Its values can be asked
    /// for until [`Evaluator::advance`] ends it.
    pub fn compute(&mut self, inputs: &[Value]) -> Result<(), FaultAt> {
        self.now.vars.iter_mut().for_each(|cell| *cell = Cell::Open);
        self.now.results.iter_mut().for_each(|cell| *cell = Cell::Open);
        self.now.active.iter_mut().for_each(|cell| *cell = Cell::Open);
        self.now.doubt = false;
        self.start_clocks();
        for (&var, value) in self.model.inputs.iter().zip(inputs) {
            self.now.vars[var] = Cell::Done(Ok(value.clone()));
        }
        for clock in self.model.clocks.ids() {
            self.active(clock)?;
        }
        for var in self.model.vars.ids() {
            self.var(var)?;
        }
        for (id, instance) in self.model.instances.entries() {
            for (&expr, clock) in &instance.condacts {
                let outputs = self.model.instances[self.model.clocks[*clock].callee].outputs.len();
                for position in 0..outputs {
                    self.result(id, Part { expr, position })?;
                }
            }
        }
        self.now.assertions = Vec::new();
        for promise in &self.model.assertions {
            // No machine computes assertions.
            let value = self.unlisted(|this| this.promise(promise))?;
            self.now.assertions.push(value);
        }
        self.remember()
    }

    fn start_clocks(&mut self) {
        if self.steps == 0 {
            return;
        }
        for clock in self.model.clocks.ids() {
            let idle = unary(provoke_model::UnaryOp::Not, &self.memory.active[clock]);
            let still = binary(BinaryOp::And, &self.memory.first[clock], &idle);
            self.now.first[clock] = still.unwrap_or(Value::Unknown);
        }
    }

    /// Works out what every `pre` will read in the next step.
    fn remember(&mut self) -> Result<(), FaultAt> {
        let mut remembered = Vec::with_capacity(self.delays.len());
        for (id, instance) in self.model.instances.entries() {
            for delay in &instance.delays {
                let value = self.remembered(id, instance.clock, delay)?;
                remembered.push(value);
            }
        }
        self.now.delays = remembered;
        Ok(())
    }

    fn remembered(&mut self, id: InstanceId, clock: Option<ClockId>, delay: &Delay) -> Outcome {
        let plain = matches!(self.model.shape(delay.operand), Shape::Var { .. });
        match clock {
            // A variable holds its value by itself.
            Some(clock) if !plain => {
                let slot = self.delays[&(id, delay.part)];
                let before = if self.steps == 0 {
                    self.memory.kept[slot].clone()
                } else {
                    self.memory.delays[slot].clone()
                };
                let active = self.active(clock)?;
                self.choose(&active, |this| this.value(id, delay.operand), |_| Ok(before))
            }
            _ => self.value(id, delay.operand),
        }
    }

    /// Ends the step that was computed.
    pub fn advance(&mut self) {
        for (var, cell) in self.now.vars.entries() {
            self.memory.vars[var] = done(cell);
        }
        for (slot, cell) in self.now.results.iter().enumerate() {
            self.memory.results[slot] = done(cell);
        }
        for (clock, cell) in self.now.active.entries() {
            self.memory.active[clock] = done(cell);
        }
        self.memory.first = self.now.first.clone();
        self.memory.delays = std::mem::take(&mut self.now.delays);
        self.steps += 1;
    }

    /// The value of a variable in the step that was computed.
    pub fn value_of(&self, var: VarId) -> Value {
        done(&self.now.vars[var])
    }

    /// The value of anything with a name in the step that was computed.
    pub fn named(&self, named: Named) -> Value {
        match named {
            Named::Var(var) => self.value_of(var),
            Named::Active(clock) => done(&self.now.active[clock]),
            Named::First(clock) => self.first(clock),
            Named::Held(instance, part) => done(&self.now.results[self.results[&(instance, part)]]),
            Named::Memory(instance, delay) => {
                self.kept(instance, delay.part).unwrap_or(Value::Unknown)
            }
        }
    }

    /// The values of the assertions in the step that was computed.
    pub fn assertions(&self) -> &[Value] {
        &self.now.assertions
    }

    /// A promise holds wherever its instance is not active.
    pub fn promise(&mut self, promise: &Promise) -> Outcome {
        match self.model.instances[promise.instance].clock {
            None => self.value(promise.instance, promise.part),
            Some(clock) => {
                let active = self.active(clock)?;
                self.connect(BinaryOp::Implies, active, promise.instance, promise.part)
            }
        }
    }

    /// The value of a variable: its definition while its instance is active, else the last one.
    fn var(&mut self, var: VarId) -> Outcome {
        match &self.now.vars[var] {
            Cell::Done(outcome) => return outcome.clone(),
            Cell::Busy => return Err(self.cycle(var)),
            Cell::Open => {}
        }
        self.now.vars[var] = Cell::Busy;
        let outcome = self.define(var);
        self.now.vars[var] = Cell::Done(outcome.clone());
        outcome
    }

    fn cycle(&self, var: VarId) -> FaultAt {
        let found = &self.model.vars[var];
        let part = match found.definition {
            Definition::Equation(part) | Definition::Argument(_, part) => part,
            Definition::Input => unreachable!("inputs need nothing"),
        };
        FaultAt { fault: Fault::Cycle, instance: found.instance, part }
    }

    fn define(&mut self, var: VarId) -> Outcome {
        let found = &self.model.vars[var];
        let (instance, part) = match found.definition {
            Definition::Equation(part) => (found.instance, part),
            Definition::Argument(caller, part) => (caller, part),
            Definition::Input => return Ok(Value::Unknown),
        };
        match self.model.instances[found.instance].clock {
            None => self.value(instance, part),
            Some(clock) => {
                let active = self.active(clock)?;
                let before = self.memory.vars[var].clone();
                self.choose(&active, |this| this.value(instance, part), |_| Ok(before))
            }
        }
    }

    /// Whether a clock is true: the caller is active and the condition holds.
    pub fn active(&mut self, clock: ClockId) -> Outcome {
        let found = self.model.clocks[clock];
        match &self.now.active[clock] {
            Cell::Done(outcome) => return outcome.clone(),
            Cell::Busy => {
                let (instance, part) = (found.caller, found.condition);
                return Err(FaultAt { fault: Fault::Cycle, instance, part });
            }
            Cell::Open => {}
        }
        self.now.active[clock] = Cell::Busy;
        let outcome = match found.outer {
            None => self.value(found.caller, found.condition),
            Some(outer) => match self.active(outer) {
                Ok(outer) => self.connect(BinaryOp::And, outer, found.caller, found.condition),
                Err(fault) => Err(fault),
            },
        };
        self.now.active[clock] = Cell::Done(outcome.clone());
        outcome
    }

    /// Whether a clock was never true before.
    pub fn first(&self, clock: ClockId) -> Value {
        self.now.first[clock].clone()
    }

    /// What a `pre` under a clock will read in the next step.
    pub fn kept(&self, instance: InstanceId, part: Part) -> Option<Value> {
        self.now.delays.get(*self.delays.get(&(instance, part))?).cloned()
    }

    /// A scalar of what a `condact` returns: the node's output while active, else the default or
    /// what it returned last. While the caller is not active it stands still too.
    fn result(&mut self, instance: InstanceId, part: Part) -> Outcome {
        let slot = self.results[&(instance, part)];
        match &self.now.results[slot] {
            Cell::Done(outcome) => return outcome.clone(),
            Cell::Busy => return Err(FaultAt { fault: Fault::Cycle, instance, part }),
            Cell::Open => {}
        }
        self.now.results[slot] = Cell::Busy;
        let here = &self.model.instances[instance];
        let clock = here.condacts[&part.expr];
        let output = self.model.instances[self.model.clocks[clock].callee].outputs[part.position];
        let before = self.memory.results[slot].clone();
        let held = before.clone();
        let returned = |this: &mut Self| {
            let active = this.active(clock)?;
            this.choose(
                &active,
                |this| this.var(output),
                |this| match this.is_first(instance) {
                    Value::Bool(false) => Ok(held),
                    first => {
                        let default = default_of(&this.model.tree, part).expect("a default");
                        this.choose(&first, |this| this.value(instance, default), |_| Ok(held))
                    }
                },
            )
        };
        let outcome = match here.clock {
            None => returned(self),
            Some(outer) => match self.active(outer) {
                Ok(active) => self.choose(&active, returned, |_| Ok(before)),
                Err(fault) => Err(fault),
            },
        };
        self.now.results[slot] = Cell::Done(outcome.clone());
        outcome
    }

    /// Whether an instance was never active before.
    fn is_first(&self, instance: InstanceId) -> Value {
        match self.model.instances[instance].clock {
            None => Value::Bool(self.steps == 0),
            Some(clock) => self.first(clock),
        }
    }

    /// `if condition then .. else ..`: what is not needed is not computed. A fault in what only
    /// may be needed is not certain to happen.
    fn choose(
        &mut self,
        condition: &Value,
        then: impl FnOnce(&mut Self) -> Outcome,
        otherwise: impl FnOnce(&mut Self) -> Outcome,
    ) -> Outcome {
        match condition {
            Value::Bool(true) => then(self),
            Value::Bool(false) => otherwise(self),
            _ => {
                let one = self.unlisted(then);
                let other = self.unlisted(otherwise);
                self.now.doubt |= one.is_err() || other.is_err();
                let [one, other] = [one, other].map(|part| part.unwrap_or(Value::Unknown));
                Ok(if one == other { one } else { Value::Unknown })
            }
        }
    }

    /// A binary operator whose left operand is known already.
    fn connect(&mut self, op: BinaryOp, left: Value, instance: InstanceId, right: Part) -> Outcome {
        self.connected(op, left, instance, right).map(|(value, _)| value)
    }

    /// The same, with the right operand if it was needed.
    fn connected(
        &mut self,
        op: BinaryOp,
        left: Value,
        instance: InstanceId,
        right: Part,
    ) -> Result<(Value, Option<Value>), FaultAt> {
        if let Some(value) = decided(op, &left) {
            return Ok((value, None));
        }
        let is_open = op.is_logical() && !left.is_known();
        let found = match is_open {
            true => self.unlisted(|this| this.value(instance, right)),
            false => self.value(instance, right),
        };
        let value = match found {
            Err(_) if is_open => {
                self.now.doubt = true;
                Value::Unknown
            }
            outcome => outcome?,
        };
        self.now.doubt |= divides(op) && !value.is_known();
        let result = binary(op, &left, &value);
        let result = result.map_err(|fault| FaultAt { fault, instance, part: right })?;
        Ok((result, Some(value)))
    }

    /// The value of a scalar of an expression of an instance in the step that is computed.
    pub fn value(&mut self, instance: InstanceId, part: Part) -> Outcome {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.value_here(instance, part))
    }

    fn value_here(&mut self, instance: InstanceId, part: Part) -> Outcome {
        if let Some(WrongValue::Always(constant)) = self.model.wrong_at(instance, part) {
            return Ok(Value::Bool(constant));
        }
        match self.model.shape(part) {
            Shape::Const(value) => Ok(value),
            Shape::Var { var, position } => {
                self.var(self.model.instances[instance].vars[var][position])
            }
            Shape::Same(same) => self.value(instance, same),
            Shape::Unary(op, operand) => {
                let operand = self.value(instance, operand)?;
                let result = unary(op, &operand);
                self.list(instance, part, &[&operand], &result);
                Ok(result)
            }
            Shape::Binary(op, left, right) => {
                let left = self.value(instance, left)?;
                let found = self.connected(op, left.clone(), instance, right);
                let (result, right) = found.map_err(|fault| {
                    if fault.part == right { FaultAt { part, ..fault } } else { fault }
                })?;
                if let Some(right) = right {
                    self.list(instance, part, &[&left, &right], &result);
                }
                Ok(result)
            }
            Shape::Compare { unequal, left, right, count } => {
                self.compare(instance, unequal, (left, right), count)
            }
            Shape::If(condition, then, otherwise) => {
                let condition = self.value(instance, condition)?;
                self.choose(
                    &condition,
                    |this| this.value(instance, then),
                    |this| this.value(instance, otherwise),
                )
            }
            Shape::Arrow(first, later) => {
                let is_first = self.is_first(instance);
                self.choose(
                    &is_first,
                    |this| this.value(instance, first),
                    |this| this.value(instance, later),
                )
            }
            Shape::Pre(_) => Ok(self.memory.delays[self.delays[&(instance, part)]].clone()),
            Shape::Call => {
                let callee = self.model.instances[instance].calls[&part.expr];
                self.var(self.model.instances[callee].outputs[part.position])
            }
            Shape::Condact => self.result(instance, part),
            Shape::Element { index, first, size, stride } => {
                let found = self.element(instance, index, first, (size, stride))?;
                if self.log.is_some() {
                    let index = self.unlisted(|this| this.value(instance, index))?;
                    self.list(instance, part, &[&index], &found);
                }
                Ok(found)
            }
            Shape::Update { index, at, new, old } => {
                let index = self.value(instance, index)?;
                let hit = binary(BinaryOp::Eq, &index, &Value::from(at as i64));
                self.choose(
                    &hit.unwrap_or(Value::Unknown),
                    |this| this.value(instance, new),
                    |this| this.value(instance, old),
                )
            }
        }
    }

    /// Structs and arrays are compared scalar by scalar, until it is decided.
    fn compare(
        &mut self,
        instance: InstanceId,
        unequal: bool,
        (left, right): (provoke_lustre::tree::ExprId, provoke_lustre::tree::ExprId),
        count: usize,
    ) -> Outcome {
        let (op, join) =
            if unequal { (BinaryOp::Ne, BinaryOp::Or) } else { (BinaryOp::Eq, BinaryOp::And) };
        let mut sofar = Value::Bool(!unequal);
        for position in 0..count {
            if decided(join, &sofar).is_some() {
                break;
            }
            let a = self.value(instance, Part { expr: left, position });
            let next =
                a.and_then(|a| self.connect(op, a, instance, Part { expr: right, position }));
            let next = match next {
                Err(_) if !sofar.is_known() => Value::Unknown,
                outcome => outcome?,
            };
            sofar = binary(join, &sofar, &next).unwrap_or(Value::Unknown);
        }
        Ok(sofar)
    }

    /// The element at an index; outside the array it is the last one.
    fn element(
        &mut self,
        instance: InstanceId,
        index: Part,
        first: Part,
        (size, stride): (usize, usize),
    ) -> Outcome {
        let last = size - 1;
        if last == 0 {
            return self.value(instance, first);
        }
        match self.value(instance, index)? {
            Value::Int(index) => {
                let at = index.to_i64().and_then(|at| usize::try_from(at).ok());
                let at = at.unwrap_or(last).min(last);
                self.value(instance, Shape::element(first, stride, at))
            }
            _ => {
                let mut values = (0..size).map(|at| {
                    let element = Shape::element(first, stride, at);
                    self.value(instance, element).unwrap_or(Value::Unknown)
                });
                let one = values.next().unwrap_or(Value::Unknown);
                let same = values.all(|other| other == one);
                Ok(if same { one } else { Value::Unknown })
            }
        }
    }
}

fn done(cell: &Cell) -> Value {
    match cell {
        Cell::Done(Ok(value)) => value.clone(),
        _ => Value::Unknown,
    }
}
