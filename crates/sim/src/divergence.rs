//! What one changed value changes: a step done again, but only where it differs.
//!
//! Re-simulation for every flip would cost a whole step each; most changes die after a few
//! expressions. So only the users of what changed are computed again, in the program's order.

use std::sync::Arc;

use provoke_base::index::Id;
use provoke_model::{BinaryOp, UnaryOp};

use crate::cell::Cell;
use crate::dense::{Dense, Force};
use crate::program::{Node, NodeId, Program, unary};

/// What a node computes in a changed run instead of its own.
#[derive(Clone, PartialEq, Debug)]
pub enum Instead {
    /// Its operands, joined by this operator.
    Join(BinaryOp),
    /// Its own value, negated.
    Negate,
    /// This value.
    Value(Cell),
    /// The value of this node, which needs it neither directly nor by others.
    Node(NodeId),
    /// Its own value of one step ago.
    Delayed {
        /// Whether it has its own value in the first step, where it is unknown else.
        at_first: bool,
    },
}

/// A node that computes something else in all steps of a changed run.
#[derive(Clone, PartialEq, Debug)]
pub struct Edit {
    /// The node.
    pub node: NodeId,
    /// What it computes.
    pub instead: Instead,
}

/// How the memory of a changed run differs from that of the original: slots in ascending
/// order with what the changed run remembers. Behind the slots of the program come those of the
/// edits, which remember what delayed nodes would have been. Empty when both are in the same
/// state.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Divergence {
    slots: Vec<(u32, Cell)>,
}

impl Divergence {
    /// Whether both runs are in the same state, so that they stay the same from here.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    fn at(&self, slot: usize) -> Option<&Cell> {
        let found = self.slots.binary_search_by_key(&slot, |(slot, _)| *slot as usize);
        found.ok().map(|at| &self.slots[at].1)
    }
}

/// What a step of a changed run came to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Changed {
    /// A watched node that certainly differs.
    pub seen: Option<NodeId>,
    /// How the memories differ after the step.
    pub divergence: Divergence,
}

/// Repeats steps of an original run with changes.
#[derive(Clone, Debug)]
pub struct Replay {
    program: Arc<Program>,
    /// Whether a node's difference is seen.
    watched: Vec<bool>,
    /// Whether a fault at this node ends the run.
    must_have_value: Vec<bool>,
    /// The slots that remember a node's value.
    remembered_in: Vec<Vec<u32>>,
    cells: Vec<Cell>,
    /// Whether a node is not what it is in the original.
    changed: Vec<bool>,
    /// The nodes that were changed at some time of the step, each once.
    touched: Vec<NodeId>,
    is_touched: Vec<bool>,
    pending: Pending,
    /// Nodes that edited ones use although they come later, with those that use them.
    late: Vec<(NodeId, NodeId)>,
    /// The nodes whose values in the original are remembered for a step.
    delayed: Vec<NodeId>,
    /// What they were.
    previous: Vec<Cell>,
}

impl Replay {
    /// For runs of `program` in which the values of the `watched` nodes are seen.
    pub fn new(program: Arc<Program>, watched: &[NodeId]) -> Replay {
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
            cells: vec![Cell::Unknown; nodes],
            changed: vec![false; nodes],
            touched: Vec::new(),
            is_touched: vec![false; nodes],
            pending: Pending::new(nodes),
            late: Vec::new(),
            delayed: Vec::new(),
            previous: vec![Cell::Unknown; nodes],
        };
        watched.iter().for_each(|node| replay.watched[node.index()] = true);
        replay
    }

    /// The same for runs with these edits too.
    pub fn with_edits<'e>(mut self, edits: impl Iterator<Item = &'e Edit>) -> Replay {
        let is_delayed = |edit: &&Edit| matches!(edit.instead, Instead::Delayed { .. });
        self.delayed = edits.filter(is_delayed).map(|edit| edit.node).collect();
        self.delayed.sort_unstable();
        self.delayed.dedup();
        self
    }

    /// Remembers what delayed nodes are in the last step of `original`: to be called after each
    /// step, when all changed runs have done it.
    pub fn remember(&mut self, original: &Dense) {
        for &node in &self.delayed {
            self.previous[node.index()] = original.cell(node).clone();
        }
    }

    /// Does the last step of `original` again from a memory that differs by `before`, with all
    /// edits in force. `None` if a computation has no value: the changed run ends here.
    pub fn step_edited(
        &mut self,
        original: &Dense,
        before: &Divergence,
        edits: &[Edit],
    ) -> Option<Changed> {
        let is_as_before =
            |at: usize| self.edited(original, before, edits, at) == *original.cell(edits[at].node);
        if before.is_empty() && (0..edits.len()).all(is_as_before) {
            return Some(Changed::default());
        }
        for edit in edits {
            if let Instead::Node(used) = edit.instead {
                self.late.push((used, edit.node));
            }
            self.pending.insert(edit.node.index());
        }
        self.recall(original, before);
        while let Some(index) = self.pending.pop() {
            let node = NodeId::new(index);
            let value = match edits.iter().position(|edit| edit.node == node) {
                Some(at) => self.edited(original, before, edits, at),
                None => self.own(original, node),
            };
            self.change(original, node, value);
        }
        let mut outcome = self.outcome(original);
        if let Some(changed) = &mut outcome {
            self.remember_delayed(original, edits, &mut changed.divergence);
        }
        self.late.clear();
        self.clear();
        outcome
    }

    /// What an edited node comes to.
    fn edited(&self, original: &Dense, before: &Divergence, edits: &[Edit], at: usize) -> Cell {
        let Edit { node, instead } = &edits[at];
        match instead {
            Instead::Value(value) => value.clone(),
            Instead::Node(used) => self.current(original, *used).clone(),
            Instead::Negate => unary(UnaryOp::Not, &self.own(original, *node)),
            Instead::Join(op) => match self.program.nodes()[*node] {
                Node::Binary(_, left, right) => {
                    let [left, right] = [left, right].map(|part| self.current(original, part));
                    self.program.binary(*node, *op, left, right)
                }
                _ => unreachable!("only what has two operands gets another operator"),
            },
            Instead::Delayed { at_first } => match (original.at_first_step(), at_first) {
                (true, true) => self.own(original, *node),
                (true, false) => Cell::Unknown,
                (false, _) => {
                    let own = before.at(self.program.delays().len() + at);
                    own.unwrap_or(&self.previous[node.index()]).clone()
                }
            },
        }
    }

    /// What a node comes to by itself.
    fn own(&self, original: &Dense, node: NodeId) -> Cell {
        let cell = |operand: NodeId| self.current(original, operand);
        let memory = |_| self.current(original, node).clone();
        self.program.evaluate(node, original.at_first_step(), cell, memory)
    }

    /// Adds what delayed nodes would have been, where that differs.
    fn remember_delayed(&self, original: &Dense, edits: &[Edit], divergence: &mut Divergence) {
        for (at, edit) in edits.iter().enumerate() {
            if matches!(edit.instead, Instead::Delayed { .. }) {
                let own = self.own(original, edit.node);
                if own != *original.cell(edit.node) {
                    divergence.slots.push(((self.program.delays().len() + at) as u32, own));
                }
            }
        }
    }

    /// Gives every `pre` what the changed run remembers.
    fn recall(&mut self, original: &Dense, before: &Divergence) {
        for (slot, value) in &before.slots {
            if let Some(delay) = self.program.delays().get(*slot as usize) {
                let pre = delay.pre;
                self.change(original, pre, value.clone());
            }
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
    ) -> Option<Changed> {
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

    fn current<'v>(&'v self, original: &'v Dense, node: NodeId) -> &'v Cell {
        if self.changed[node.index()] { &self.cells[node.index()] } else { original.cell(node) }
    }

    /// Gives a node a value; a node may get several in a step, if an edit uses a later one.
    fn change(&mut self, original: &Dense, node: NodeId, value: Cell) {
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
        for &(used, user) in &self.late {
            if used == node {
                self.pending.insert(user.index());
            }
        }
    }

    /// A held `pre` forgets what the memory says.
    fn undo(&mut self, node: NodeId) {
        self.changed[node.index()] = false;
    }

    fn outcome(&self, original: &Dense) -> Option<Changed> {
        let without_value = |node: &NodeId| {
            self.must_have_value[node.index()]
                && matches!(self.cells[node.index()], Cell::Fault(..))
        };
        if self.differing().any(|node| without_value(&node)) {
            return None;
        }
        let seen = |node: &NodeId| {
            self.watched[node.index()]
                && self.cells[node.index()].certainly_differs(original.cell(*node))
        };
        let seen = self.differing().find(seen);
        Some(Changed { seen, divergence: self.divergence() })
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
        let mut slots: Vec<(u32, Cell)> = slots.collect();
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

/// A set of indices from which the smallest is taken.
#[derive(Clone, Debug)]
struct Pending {
    words: Vec<u64>,
    /// No word below this one holds anything.
    first: usize,
    /// No word from this one on holds anything.
    end: usize,
}

impl Pending {
    fn new(len: usize) -> Pending {
        Pending { words: vec![0; len.div_ceil(64)], first: 0, end: 0 }
    }

    fn insert(&mut self, index: usize) {
        let word = index / 64;
        if self.first >= self.end {
            (self.first, self.end) = (word, word + 1);
        }
        self.first = self.first.min(word);
        self.end = self.end.max(word + 1);
        self.words[word] |= 1 << (index % 64);
    }

    fn pop(&mut self) -> Option<usize> {
        while self.first < self.end {
            let word = &mut self.words[self.first];
            if *word != 0 {
                let bit = word.trailing_zeros() as usize;
                *word &= *word - 1;
                return Some(self.first * 64 + bit);
            }
            self.first += 1;
        }
        None
    }
}
