//! Where values may be unknown: behind an unguarded `pre` that has none in the first step.

use provoke_base::IndexVec;
use provoke_model::BinaryOp;

use crate::cell::Cell;
use crate::program::{Node, NodeId, Program};

/// What else may be unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Doubts {
    /// Inputs.
    pub inputs: bool,
    /// Results of divisions by what may be zero.
    pub divisions: bool,
}

/// Whether a node may be unknown in the first step, and later: the least solution.
pub fn doubtful(program: &Program, doubts: Doubts) -> IndexVec<NodeId, [bool; 2]> {
    let mut all = IndexVec::repeat([false, false], program.nodes().len());
    loop {
        let mut changed = false;
        for (id, node) in program.nodes().entries() {
            let new = match *node {
                Node::Input(_) => [doubts.inputs; 2],
                Node::Pre(slot) => {
                    let operand = all[program.delays()[slot as usize].operand];
                    [true, operand[0] || operand[1]]
                }
                Node::Arrow(first, later) => [all[first][0], all[later][1]],
                Node::Binary(op, _, by) if doubts.divisions && may_fail(program, op, by) => {
                    [true, true]
                }
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
pub(crate) fn may_fail(program: &Program, op: BinaryOp, divisor: NodeId) -> bool {
    let divides = matches!(op, BinaryOp::Div | BinaryOp::IntDiv | BinaryOp::Mod);
    divides && !matches!(&program.nodes()[divisor], Node::Const(Cell::Int(n)) if *n != 0)
}
