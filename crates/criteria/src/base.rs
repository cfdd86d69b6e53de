//! The base of an obligation: what must hold at a step before anything has to become visible.

use provoke_sim::{Dense, NodeId, SimProgram};

use crate::net::{Sight, fact};
use crate::obligation::{Obligation, TagCarrier};

/// An obligation as nodes of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base {
    /// The expression that must have the outcome; what exact measurement changes.
    pub(crate) node: NodeId,
    pub(crate) outcome: bool,
    /// Whether it must also be unmasked in its decision.
    pub(crate) in_decision: bool,
    /// What is tagged; `None` if nothing has to become visible.
    pub(crate) tagged: Option<NodeId>,
}

impl Base {
    pub(crate) fn new(program: &SimProgram, obligation: &Obligation) -> Base {
        let tagged = obligation.tagged().map(|tagged| match tagged {
            TagCarrier::Expr(expr) => program.node_of(expr),
            TagCarrier::Var(var) => program.definition(var),
        });
        Base {
            node: program.node_of(obligation.expr),
            outcome: obligation.outcome,
            in_decision: obligation.needs_independence(),
            tagged,
        }
    }

    /// Whether it holds in the last step of `dense`.
    pub(crate) fn holds(&self, dense: &Dense, sight: &Sight) -> bool {
        dense.cell(self.node).as_bool() == Some(self.outcome)
            && (!self.in_decision || sight.has(self.node, fact::DECIDES))
    }
}
