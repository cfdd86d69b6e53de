//! The dense evaluator: every expression computed once per step, all values at hand.
//!
//! For those who need the values inside equations, as coverage does. Equal to the reference
//! interpreter on every variable, state, breach and error; tested against it.

use std::sync::Arc;

use provoke_base::index::Id;
use provoke_model::{ExprId, System, Value, VarId};

use crate::compact_value::CompactValue;
use crate::interpreter::{Breach, RuntimeError, SimState};
use crate::program::{NodeId, SimProgram};

/// An expression held at a value, whatever its operands say.
#[derive(Clone, PartialEq, Debug)]
pub struct Force {
    /// The node that is held.
    pub node: NodeId,
    /// The value it is held at.
    pub value: CompactValue,
}

/// A system in some state with the values of the last step.
#[derive(Clone, Debug)]
pub struct Dense {
    program: Arc<SimProgram>,
    steps_done: usize,
    memory: Vec<CompactValue>,
    /// What the memory was when the last step began.
    before: Vec<CompactValue>,
    cells: Vec<CompactValue>,
}

impl Dense {
    /// The system in its initial state.
    pub fn new(system: &System) -> Dense {
        Dense::of(Arc::new(SimProgram::new(system)))
    }

    /// The program in its initial state.
    pub fn of(program: Arc<SimProgram>) -> Dense {
        let memory = vec![CompactValue::Unknown; program.delays().len()];
        let cells = vec![CompactValue::Unknown; program.nodes().len()];
        Dense { program, steps_done: 0, before: memory.clone(), memory, cells }
    }

    /// The program it runs.
    pub fn program(&self) -> &Arc<SimProgram> {
        &self.program
    }

    /// Goes back to the initial state.
    pub fn reset(&mut self) {
        self.steps_done = 0;
        self.memory.fill(CompactValue::Unknown);
    }

    /// How many steps led here.
    pub fn steps_done(&self) -> usize {
        self.steps_done
    }

    /// The state before the next step.
    pub fn state(&self) -> SimState {
        SimState::new(self.steps_done, self.memory.iter().map(CompactValue::to_value).collect())
    }

    /// Continues from `state`, which must be of the same system.
    pub fn restore(&mut self, state: &SimState) {
        self.steps_done = state.steps_done();
        self.memory.clear();
        self.memory.extend(state.memory().iter().map(CompactValue::from));
    }

    /// The remembered values before the next step, in the order of [`SimProgram::delays`].
    pub fn memory(&self) -> &[CompactValue] {
        &self.memory
    }

    /// The remembered values before the last step.
    pub fn memory_before(&self) -> &[CompactValue] {
        &self.before
    }

    /// The value of a node in the last step.
    pub fn cell(&self, node: NodeId) -> &CompactValue {
        &self.cells[node.index()]
    }

    /// The value of an expression in the last step.
    pub fn expr(&self, expr: ExprId) -> &CompactValue {
        self.cell(self.program.node_of(expr))
    }

    /// The value of a variable in the last step.
    pub fn var(&self, var: VarId) -> &CompactValue {
        self.cell(self.program.definition(var))
    }

    /// Whether the last step was the first one.
    pub fn at_first_step(&self) -> bool {
        self.steps_done <= 1
    }

    /// Whether no run has a step with such breaches: see [`Breach::is_outside`].
    pub fn is_outside(&self, breaches: &[Breach]) -> bool {
        breaches.iter().any(|breach| match *breach {
            Breach::Assumption(_) => true,
            Breach::Range(var) => self.program.definition(var).index() < self.program.inputs,
        })
    }

    /// Does one step; `inputs` in the order of [`System::inputs`].
    pub fn step(&mut self, inputs: &[Value]) -> Result<Vec<Breach>, RuntimeError> {
        self.step_forced(inputs, None)
    }

    /// Does one step in which an expression is held at a value.
    pub fn step_forced(
        &mut self,
        inputs: &[Value],
        force: Option<&Force>,
    ) -> Result<Vec<Breach>, RuntimeError> {
        assert_eq!(inputs.len(), self.program.inputs, "one value for each input");
        for (cell, value) in self.cells.iter_mut().zip(inputs) {
            *cell = CompactValue::from(value);
        }
        let mut start = inputs.len();
        if let Some(force) = force {
            let held = force.node.index();
            assert!(held >= start, "inputs are set, not held");
            self.evaluate(start..held);
            self.cells[held] = force.value.clone();
            start = held + 1;
        }
        self.evaluate(start..self.cells.len());
        self.finish()
    }

    fn evaluate(&mut self, range: std::ops::Range<usize>) {
        let first_step = self.steps_done == 0;
        for index in range {
            let (earlier, rest) = self.cells.split_at_mut(index);
            let operand = |node: NodeId| &earlier[node.index()];
            let memory = |slot: u32| self.memory[slot as usize].clone();
            rest[0] = self.program.evaluate(NodeId::new(index), first_step, operand, memory);
        }
    }

    /// Checks what was computed in the order of the reference, then remembers.
    fn finish(&mut self) -> Result<Vec<Breach>, RuntimeError> {
        let program = Arc::clone(&self.program);
        program.equations.iter().try_for_each(|&root| self.check(root))?;
        let mut breaches = Vec::new();
        for (position, &assumption) in program.assumptions.iter().enumerate() {
            self.check(assumption)?;
            if *self.cell(assumption) == CompactValue::Bool(false) {
                breaches.push(Breach::Assumption(position));
            }
        }
        for (var, range) in &program.ranges {
            if !range.contains(&self.var(*var).to_value()) {
                breaches.push(Breach::Range(*var));
            }
        }
        program.delays().iter().try_for_each(|delay| self.check(delay.operand))?;
        std::mem::swap(&mut self.before, &mut self.memory);
        for (slot, delay) in program.delays().iter().enumerate() {
            self.memory[slot] = self.cells[delay.operand.index()].clone();
        }
        self.steps_done += 1;
        Ok(breaches)
    }

    fn check(&self, root: NodeId) -> Result<(), RuntimeError> {
        match *self.cell(root) {
            CompactValue::Fault(fault, expr) => {
                Err(RuntimeError { fault, expr, step: self.steps_done + 1 })
            }
            _ => Ok(()),
        }
    }
}
