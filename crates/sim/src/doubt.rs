//! Where values may be unknown: behind an unguarded `pre` that has none in the first step.

use std::sync::Arc;

use provoke_base::IndexVec;
use provoke_model::{BinaryOp, System, UnaryOp, Value};

use crate::compact_value::CompactValue;
use crate::dense::Dense;
use crate::program::{NodeId, ProgramNode, SimProgram};

/// What else may be unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Doubts {
    /// Inputs.
    pub inputs: bool,
    /// Results of divisions by what may be zero.
    pub divisions: bool,
    /// Reals that are rounded: there is no number beyond the largest.
    pub infinities: bool,
}

/// Whether a node may be unknown in the first step, and later: the least solution.
pub fn doubtful(program: &SimProgram, doubts: Doubts) -> IndexVec<NodeId, [bool; 2]> {
    let mut all = IndexVec::repeat([false, false], program.nodes().len());
    loop {
        let mut changed = false;
        for (id, node) in program.nodes().entries() {
            let new = match *node {
                ProgramNode::Input(_) => [doubts.inputs; 2],
                ProgramNode::Pre(slot) => {
                    let operand = all[program.delays()[slot as usize].operand];
                    [true, operand[0] || operand[1]]
                }
                ProgramNode::Arrow(first, later) => [all[first][0], all[later][1]],
                ProgramNode::Binary(op, _, by) if doubts.divisions && may_fail(program, op, by) => {
                    [true, true]
                }
                ProgramNode::Unary(UnaryOp::Round(_), _) if doubts.infinities => [true, true],
                _ => node.operands().fold([false; 2], |sum, operand| {
                    [sum[0] || all[operand][0], sum[1] || all[operand][1]]
                }),
            };
            changed |= new != all[id];
            all[id] = new;
        }
        if !changed {
            return all;
        }
    }
}

/// Whether an operation is a division by what may be zero.
pub(crate) fn may_fail(program: &SimProgram, op: BinaryOp, divisor: NodeId) -> bool {
    op.divides()
        && !matches!(&program.nodes()[divisor], ProgramNode::Const(CompactValue::Int(n)) if *n != 0)
}

/// Finds steps that some undefined value makes divide by zero: a run may have ended there.
#[derive(Clone, Debug)]
pub struct Risks {
    program: Arc<SimProgram>,
    /// Whether each node, as far as it is looked at, may divide by zero; empty where nothing is
    /// divided.
    risky: IndexVec<NodeId, bool>,
}

impl Risks {
    /// Those of a program.
    pub fn new(program: &Arc<SimProgram>) -> Risks {
        let divides = program.nodes().iter().any(|node| match *node {
            ProgramNode::Binary(op, _, by) => may_fail(program, op, by),
            _ => false,
        });
        let count = if divides { program.nodes().len() } else { 0 };
        Risks { program: Arc::clone(program), risky: IndexVec::repeat(false, count) }
    }

    /// Whether any step may have them.
    pub fn are_possible(&self) -> bool {
        !self.risky.is_empty()
    }

    /// Whether the last step may have divided by zero.
    pub fn are_met(&mut self, dense: &Dense) -> bool {
        if !self.are_possible() {
            return false;
        }
        let program = Arc::clone(&self.program);
        for (id, node) in program.nodes().entries() {
            self.risky[id] = self.is_risky(id, node, dense);
        }
        let roots = program.equations.iter().chain(&program.assumptions).copied();
        let remembered = program.delays().iter().map(|delay| delay.operand);
        roots.chain(remembered).any(|root| self.risky[root])
    }

    /// What is left out because of a value that is known is not looked at.
    fn is_risky(&self, id: NodeId, node: &ProgramNode, dense: &Dense) -> bool {
        match *node {
            // A variable's own equation tells.
            ProgramNode::Const(_)
            | ProgramNode::Input(_)
            | ProgramNode::Use(_)
            | ProgramNode::Pre(_) => false,
            ProgramNode::Unary(_, a) => self.risky[a],
            ProgramNode::Arrow(first, later) => {
                self.risky[if dense.at_first_step() { first } else { later }]
            }
            ProgramNode::If(c, a, b) => {
                let branch = match dense.cell(c).as_bool() {
                    Some(taken) => self.risky[if taken { a } else { b }],
                    None => self.risky[a] || self.risky[b],
                };
                self.risky[c] || branch
            }
            ProgramNode::Binary(op, a, b) => {
                let decided = op.decided_by_left(&dense.cell(a).to_value()).is_some();
                // A fault that nothing has come of is one that an unknown value may leave out.
                let fault = matches!(dense.cell(id), CompactValue::Fault(..))
                    || may_fail(&self.program, op, b) && *dense.cell(b) == CompactValue::Unknown;
                self.risky[a] || fault || (self.risky[b] && !(op.is_logical() && decided))
            }
        }
    }
}

/// Tells how far tests are runs, whatever the undefined values are.
pub struct RunCheck {
    dense: Dense,
    risks: Risks,
    /// Whether the environment promises something.
    promises: bool,
}

impl RunCheck {
    /// For tests of a system.
    pub fn new(system: &System) -> RunCheck {
        let program = Arc::new(SimProgram::new(system));
        let ranges = system.inputs.iter().any(|var| system.vars[*var].range.is_some());
        RunCheck {
            risks: Risks::new(&program),
            dense: Dense::of(program),
            promises: ranges || !system.assumptions.is_empty(),
        }
    }

    /// How many steps of a test come before a broken assumption, an input outside its range, a
    /// division by zero, or one that an undefined value may cause.
    pub fn steps(&mut self, steps: &[Vec<Value>]) -> usize {
        if !self.promises && !self.risks.are_possible() {
            return steps.len();
        }
        self.dense.reset();
        steps.iter().take_while(|row| self.goes_on(row)).count()
    }

    fn goes_on(&mut self, row: &[Value]) -> bool {
        match self.dense.step(row) {
            Ok(breaches) => !self.dense.is_outside(&breaches) && !self.risks.are_met(&self.dense),
            Err(_) => false,
        }
    }
}
