//! What a system does in the numbers of a machine: the meaning of the generated C, written as
//! plainly as the reference interpreter, so that the two can be compared.

use provoke_analysis::Widths;
use provoke_base::IndexVec;
use provoke_model::fixed::{Arithmetic, ArithmeticFault, FixedValue};
use provoke_model::{ExprId, ExprKind, IntWidth, System, UnaryOp, Value, VarId};

use crate::interpreter::delays;

/// The first place where a machine's numbers were not the exact ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inexact {
    /// What went wrong.
    pub trouble: ArithmeticFault,
    /// The expression.
    pub expr: ExprId,
    /// The step, counted from 1.
    pub step: usize,
}

/// A system in some state, in a machine's numbers. What a `pre` gives at the first step is zero,
/// false or the first constant.
#[derive(Clone, Debug)]
pub struct FixedSimulator<'a> {
    system: &'a System,
    arithmetic: Arithmetic,
    widths: Widths,
    delays: Vec<ExprId>,
    slots: IndexVec<ExprId, usize>,
    memory: Vec<FixedValue>,
    values: IndexVec<VarId, FixedValue>,
    steps_done: usize,
    inexact: Vec<Inexact>,
}

impl<'a> FixedSimulator<'a> {
    /// The system in its initial state. There is no code for constants that do not fit the machine's
    /// numbers; here they wrap.
    pub fn new(system: &'a System, arithmetic: Arithmetic) -> FixedSimulator<'a> {
        let widths = Widths::uniform(system, arithmetic.int);
        FixedSimulator::with_widths(system, arithmetic, widths)
    }

    /// The same with integers of several widths, none wider than the machine's. A result that does not
    /// fit its width wraps.
    pub fn with_widths(
        system: &'a System,
        arithmetic: Arithmetic,
        widths: Widths,
    ) -> FixedSimulator<'a> {
        let delays = delays(system);
        let mut slots = IndexVec::repeat(0, system.exprs.len());
        delays.iter().enumerate().for_each(|(slot, delay)| slots[*delay] = slot);
        let values = system.vars.iter().map(|var| FixedValue::zero(var.ty)).collect();
        let mut simulator = FixedSimulator {
            system,
            arithmetic,
            widths,
            delays,
            slots,
            memory: Vec::new(),
            values,
            steps_done: 0,
            inexact: Vec::new(),
        };
        simulator.reset();
        simulator
    }

    /// Goes back to the initial state.
    pub fn reset(&mut self) {
        let zero = |delay: &ExprId| FixedValue::zero(self.system.exprs[*delay].ty);
        self.memory = self.delays.iter().map(zero).collect();
        self.steps_done = 0;
        self.inexact.clear();
    }

    /// Does one step; `inputs` in the order of [`System::inputs`].
    pub fn step(&mut self, inputs: &[FixedValue]) {
        assert_eq!(inputs.len(), self.system.inputs.len(), "one value for each input");
        for (&var, value) in self.system.inputs.iter().zip(inputs) {
            self.values[var] = *value;
        }
        for equation in &self.system.equations {
            let word = self.evaluate(equation.expr);
            self.values[equation.var] =
                self.narrow(word, self.widths.vars[equation.var], equation.expr);
        }
        let mut memory = Vec::with_capacity(self.memory.len());
        for index in 0..self.delays.len() {
            let ExprKind::Pre(operand) = self.system.exprs[self.delays[index]].kind else {
                unreachable!("delays are `pre` expressions")
            };
            memory.push(self.evaluate(operand));
        }
        self.memory = memory;
        self.steps_done += 1;
    }

    /// The values of the last step.
    pub fn values(&self) -> &IndexVec<VarId, FixedValue> {
        &self.values
    }

    /// What is remembered for the next step, and whether that is the first one.
    pub fn state(&self) -> (&[FixedValue], bool) {
        (&self.memory, self.steps_done == 0)
    }

    /// Where the numbers since the initial state were first not the exact ones, if anywhere; the
    /// rounding of reals does not count.
    pub fn inexact(&self) -> Option<Inexact> {
        self.inexact.first().copied()
    }

    /// All such places of the first step that has one, in the order in which they are computed.
    pub fn all_inexact(&self) -> &[Inexact] {
        &self.inexact
    }

    fn evaluate(&mut self, id: ExprId) -> FixedValue {
        // Expressions may be nested deeper than the thread's stack allows.
        stacker::maybe_grow(64 << 10, 1 << 20, || self.evaluate_here(id))
    }

    fn evaluate_here(&mut self, id: ExprId) -> FixedValue {
        let system = self.system;
        let machine = Arithmetic { int: self.widths.operations[id], ..self.arithmetic };
        let (word, trouble) = match &system.exprs[id].kind {
            ExprKind::Const(value) => constant(machine, value),
            ExprKind::Var(var) => (self.values[*var], None),
            ExprKind::Unary(op, operand) => {
                let mut operand = self.evaluate(*operand);
                // Conversions between types take what there is.
                if !matches!(op, UnaryOp::Wrap(_) | UnaryOp::BitNot(_)) {
                    operand = self.narrow(operand, machine.int, id);
                }
                machine.unary(*op, operand)
            }
            ExprKind::Binary(op, left, right) => {
                let left = self.evaluate(*left);
                // Operands that cannot matter are left out, so that they cause no trouble.
                if let FixedValue::Bool(left) = left
                    && let Some(Value::Bool(decided)) = op.decided_by_left(&Value::Bool(left))
                {
                    return FixedValue::Bool(decided);
                }
                let right = self.evaluate(*right);
                // A machine's integer beside an unbounded one is one as well.
                let [left, right] = match machine.int {
                    IntWidth::Machine(_) => [left, right],
                    width => [left, right].map(|word| self.narrow(word, width, id)),
                };
                machine.binary(*op, left, right)
            }
            ExprKind::If(condition, then, otherwise) => {
                let branch = if self.evaluate(*condition) == FixedValue::Bool(true) {
                    then
                } else {
                    otherwise
                };
                (self.evaluate(*branch), None)
            }
            ExprKind::Arrow(first, later) => {
                (self.evaluate(if self.steps_done == 0 { *first } else { *later }), None)
            }
            ExprKind::Pre(_) => (self.memory[self.slots[id]], None),
        };
        if let Some(trouble) = trouble {
            self.complain(trouble, id);
        }
        self.narrow(word, self.widths.exprs[id], id)
    }

    /// The word in so many bits.
    fn narrow(&mut self, word: FixedValue, width: IntWidth, id: ExprId) -> FixedValue {
        let FixedValue::Int(value) = word else { return word };
        let narrow = width.wrap(value);
        if narrow != value {
            self.complain(ArithmeticFault::Overflow, id);
        }
        FixedValue::Int(narrow)
    }

    fn complain(&mut self, trouble: ArithmeticFault, expr: ExprId) {
        let here = Inexact { trouble, expr, step: self.steps_done + 1 };
        if self.inexact.first().is_none_or(|first| first.step == here.step) {
            self.inexact.push(here);
        }
    }
}

/// A constant, and whether the machine does not have it.
fn constant(machine: Arithmetic, value: &Value) -> (FixedValue, Option<ArithmeticFault>) {
    match (machine.word(value), value) {
        (Some(word), _) => (word, None),
        (None, Value::Int(int)) => {
            let low = machine.int.machine().wrap(int).to_i128().unwrap_or(0);
            (FixedValue::Int(low), Some(ArithmeticFault::Overflow))
        }
        (None, Value::Real(real)) => {
            (FixedValue::Real(machine.real.round(real)), Some(ArithmeticFault::Overflow))
        }
        (None, _) => panic!("{value:?} is no constant"),
    }
}
