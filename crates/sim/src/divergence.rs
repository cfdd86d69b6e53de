//! What one changed value changes: a step done again, but only where it differs.
//!
//! Re-simulation for every flip would cost a whole step each; most changes die after a few
//! expressions. So only the users of what changed are computed again, in the program's order.

use std::sync::Arc;

use provoke_base::index::Id;

use crate::compact_value::CompactValue;
use crate::dense::{Dense, Force};
use crate::pending::Pending;
use crate::program::{NodeId, SimProgram};

/// How the memory of a changed run differs from that of the original: slots in ascending
/// order with what the changed run remembers. Behind the slots of the program come those of
/// [edits](crate::Edit), which remember what delayed nodes would have been. Empty when both are in
/// the same state.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Divergence {
    pub(crate) slots: Vec<(u32, CompactValue)>,
}

impl Divergence {
    /// Whether both runs are in the same state, so that they stay the same from here.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
}

/// What a step of a changed run came to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ChangedStep {
    /// A watched node that certainly differs.
    pub seen: Option<NodeId>,
    /// How the memories differ after the step.
    pub divergence: Divergence,
}

/// Repeats steps of an original run with changes.
#[derive(Clone, Debug)]
pub struct Replay {
    program: Arc<SimProgram>,
    /// Whether a node's difference is seen.
    watched: Vec<bool>,
    /// Whether a fault at this node ends the run.
    must_have_value: Vec<bool>,
    /// The slots that remember a node's value.
    remembered_in: Vec<Vec<u32>>,
    cells: Vec<CompactValue>,
    /// Whether a node is not what it is in the original.
    changed: Vec<bool>,
    /// The nodes that were changed at some time of the step, each once.
    touched: Vec<NodeId>,
    is_touched: Vec<bool>,
    pending: Pending,
}

impl Replay {
    /// For runs of `program` in which the values of the `watched` nodes are seen.
    pub fn new(program: Arc<SimProgram>, watched: &[NodeId]) -> Replay {
        let nodes = program.nodes().len();
        let mut must_have_value = vec![false; nodes];
        let mut remembered_in = vec![Vec::new(); nodes];
        for root in program.equations.iter().chain(&program.assumptions) {
            must_have_value[root.index()] = true;
        }
        for (slot, delay) in program.delays().iter().enumerate() {
            must_have_value[delay.operand.index()] = true;
            remembered_in[delay.operand.index()].push(slot as u32);
        }
        let mut replay = Replay {
            program,
            watched: vec![false; nodes],
            must_have_value,
            remembered_in,
            cells: vec![CompactValue::Unknown; nodes],
            changed: vec![false; nodes],
            touched: Vec::new(),
            is_touched: vec![false; nodes],
            pending: Pending::new(nodes),
        };
        watched.iter().for_each(|node| replay.watched[node.index()] = true);
        replay
    }

    /// What a node comes to by itself.
    fn own(&self, original: &Dense, node: NodeId) -> CompactValue {
        let cell = |operand: NodeId| self.current(original, operand);
        let memory = |_| self.current(original, node).clone();
        self.program.evaluate(node, original.at_first_step(), cell, memory)
    }

    /// Gives every `pre` what the changed run remembers.
    fn recall(&mut self, original: &Dense, before: &Divergence) {
        for (slot, value) in &before.slots {
            let pre = self.program.delays()[*slot as usize].pre;
            self.change(original, pre, value.clone());
        }
    }

    /// Does the last step of `original` again from a memory that differs by `before`, with
    /// an expression held if `force` says so. `None` if a computation has no value: the
    /// changed run ends here.
    pub fn step(
        &mut self,
        original: &Dense,
        before: &Divergence,
        force: Option<&Force>,
    ) -> Option<ChangedStep> {
        self.recall(original, before);
        if let Some(force) = force {
            self.undo(force.node);
            self.change(original, force.node, force.value.clone());
        }
        self.propagate(original, force.map(|force| force.node));
        let outcome = self.outcome(original);
        self.clear();
        outcome
    }

    fn propagate(&mut self, original: &Dense, held: Option<NodeId>) {
        while let Some(index) = self.pending.pop() {
            let node = NodeId::new(index);
            if Some(node) != held {
                let value = self.own(original, node);
                self.change(original, node, value);
            }
        }
    }

    fn current<'v>(&'v self, original: &'v Dense, node: NodeId) -> &'v CompactValue {
        if self.changed[node.index()] { &self.cells[node.index()] } else { original.cell(node) }
    }

    /// Gives a node a value; what is held may get a second one.
    fn change(&mut self, original: &Dense, node: NodeId, value: CompactValue) {
        if *self.current(original, node) == value {
            return;
        }
        let index = node.index();
        self.changed[index] = *original.cell(node) != value;
        self.cells[index] = value;
        if !std::mem::replace(&mut self.is_touched[index], true) {
            self.touched.push(node);
        }
        for user in self.program.users_of(node) {
            self.pending.insert(user.index());
        }
    }

    /// A held `pre` forgets what the memory says.
    fn undo(&mut self, node: NodeId) {
        self.changed[node.index()] = false;
    }

    fn outcome(&self, original: &Dense) -> Option<ChangedStep> {
        let without_value = |node: &NodeId| {
            self.must_have_value[node.index()]
                && matches!(self.cells[node.index()], CompactValue::Fault(..))
        };
        if self.differing().any(|node| without_value(&node)) {
            return None;
        }
        let seen = |node: &NodeId| {
            self.watched[node.index()]
                && self.cells[node.index()].certainly_differs(original.cell(*node))
        };
        let seen = self.differing().find(seen);
        Some(ChangedStep { seen, divergence: self.divergence() })
    }

    /// The nodes that are not what they are in the original.
    fn differing(&self) -> impl Iterator<Item = NodeId> {
        self.touched.iter().copied().filter(|node| self.changed[node.index()])
    }

    fn divergence(&self) -> Divergence {
        let slots = self.differing().flat_map(|node| {
            let value = &self.cells[node.index()];
            self.remembered_in[node.index()].iter().map(move |&slot| (slot, value.clone()))
        });
        let mut slots: Vec<(u32, CompactValue)> = slots.collect();
        slots.sort_unstable_by_key(|(slot, _)| *slot);
        Divergence { slots }
    }

    fn clear(&mut self) {
        for node in self.touched.drain(..) {
            self.changed[node.index()] = false;
            self.is_touched[node.index()] = false;
        }
    }
}
