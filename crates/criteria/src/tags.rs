//! Sets of tags on their way through a step and, in delays, to the next one.
//!
//! A tag is a bit, its number a place in the list of obligations that are still open. Sets
//! live in one arena per step; a node whose tags all come from one operand shares that
//! operand's set, so that long chains cost nothing.

use provoke_base::index::Id;
use provoke_sim::{NodeId, ProgramNode};

use crate::net::{Net, Sight};

/// A set in an arena; zero is the empty set.
type Handle = u32;

/// Sets of equal length, one after the other.
#[derive(Clone, Debug, Default)]
struct Arena {
    words: usize,
    bits: Vec<u64>,
}

impl Arena {
    fn set(&self, handle: Handle) -> &[u64] {
        let start = (handle as usize - 1) * self.words;
        &self.bits[start..start + self.words]
    }

    fn set_mut(&mut self, handle: Handle) -> &mut [u64] {
        let start = (handle as usize - 1) * self.words;
        &mut self.bits[start..start + self.words]
    }

    fn handle_of_last(&self) -> Handle {
        (self.bits.len() / self.words) as Handle
    }

    fn add_empty(&mut self) -> Handle {
        self.bits.resize(self.bits.len() + self.words, 0);
        self.handle_of_last()
    }

    /// A copy of `set` without what is not in `kept`; empty sets are not kept.
    fn add_masked(&mut self, set: &[u64], kept: &[u64]) -> Handle {
        self.bits.extend(set.iter().zip(kept).map(|(word, mask)| word & mask));
        let handle = self.handle_of_last();
        if self.set(handle).iter().all(|word| *word == 0) {
            self.bits.truncate(self.bits.len() - self.words);
            return 0;
        }
        handle
    }

    fn union(&mut self, one: Handle, other: Handle) -> Handle {
        if one == 0 || other == 0 || one == other {
            return one.max(other);
        }
        let (start, from) = ((one as usize - 1) * self.words, (other as usize - 1) * self.words);
        let mut grown = false;
        for word in 0..self.words {
            let (a, b) = (self.bits[start + word], self.bits[from + word]);
            grown |= a | b != a;
            self.bits.push(a | b);
        }
        if !grown {
            self.bits.truncate(self.bits.len() - self.words);
            return one;
        }
        self.handle_of_last()
    }
}

/// The bits of a set in order.
pub(crate) fn ones(set: &[u64]) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(index, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(index * 64 + bit)
        })
    })
}

/// All tags that are alive.
#[derive(Clone, Debug)]
pub(crate) struct Tags {
    arena: Arena,
    previous: Arena,
    /// The tags of each node in the step being computed, valid where [`Tags::advance`] came by.
    nodes: Vec<Handle>,
    /// The tags that start at a node in the step being computed.
    starts: Vec<Handle>,
    started: Vec<NodeId>,
    /// The tags that wait in each delay, in the previous arena.
    slots: Vec<Handle>,
    waiting: bool,
}

impl Tags {
    pub(crate) fn new(net: &Net) -> Tags {
        let nodes = net.program.nodes().len();
        Tags {
            arena: Arena::default(),
            previous: Arena::default(),
            nodes: vec![0; nodes],
            starts: vec![0; nodes],
            started: Vec::new(),
            slots: vec![0; net.program.delays().len()],
            waiting: false,
        }
    }

    /// Forgets all tags and makes room for numbers below `universe`.
    pub(crate) fn clear(&mut self, universe: usize) {
        let words = universe.div_ceil(64).max(1);
        (self.arena.words, self.previous.words) = (words, words);
        self.arena.bits.clear();
        self.previous.bits.clear();
        self.slots.fill(0);
        self.waiting = false;
    }

    /// Lets a tag start at a node in this step.
    pub(crate) fn start(&mut self, node: NodeId, tag: usize) {
        if self.starts[node.index()] == 0 {
            self.starts[node.index()] = self.arena.add_empty();
            self.started.push(node);
        }
        let handle = self.starts[node.index()];
        self.arena.set_mut(handle)[tag / 64] |= 1 << (tag % 64);
    }

    /// The tags that wait in a delay.
    pub(crate) fn waiting(&self, slot: usize) -> &[u64] {
        match self.slots[slot] {
            0 => &[],
            handle => self.previous.set(handle),
        }
    }

    /// Puts a tag into a delay, to go on from a saved state.
    pub(crate) fn put(&mut self, slot: usize, tag: usize) {
        if self.slots[slot] == 0 {
            self.slots[slot] = self.previous.add_empty();
        }
        let handle = self.slots[slot];
        self.previous.set_mut(handle)[tag / 64] |= 1 << (tag % 64);
        self.waiting = true;
    }

    /// The tags of a node after [`Tags::advance`], if the node has one of its facts.
    pub(crate) fn at(&self, node: NodeId) -> &[u64] {
        match self.nodes[node.index()] {
            0 => &[],
            // The step has ended, so its sets are the previous ones.
            handle => self.previous.set(handle),
        }
    }

    /// Carries the tags in `kept` along unmasked uses, through nodes that have one of
    /// `facts`, into the delays.
    pub(crate) fn advance(&mut self, net: &Net, sight: &Sight, facts: u8, kept: &[u64]) {
        if !self.waiting && self.started.is_empty() {
            self.nodes.fill(0);
            return;
        }
        let mut moved = vec![None; self.previous.bits.len() / self.previous.words + 1];
        for node in net.program.nodes().ids() {
            self.nodes[node.index()] = if sight.has(node, facts) {
                self.gather(net, sight, node, kept, &mut moved)
            } else {
                0
            };
        }
        self.settle(net);
    }

    fn gather(
        &mut self,
        net: &Net,
        sight: &Sight,
        node: NodeId,
        kept: &[u64],
        moved: &mut [Option<Handle>],
    ) -> Handle {
        let mut tags = self.starts[node.index()];
        if let ProgramNode::Pre(slot) = net.program.nodes()[node] {
            let old = self.slots[slot as usize];
            if old != 0 {
                let copy = || self.arena.add_masked(self.previous.set(old), kept);
                let new = *moved[old as usize].get_or_insert_with(copy);
                tags = self.arena.union(tags, new);
            }
        }
        for operand in sight.open_operands(net, node) {
            tags = self.arena.union(tags, self.nodes[operand.index()]);
        }
        tags
    }

    /// Ends the step: what reached the operand of a `pre` waits there.
    fn settle(&mut self, net: &Net) {
        self.waiting = false;
        for (slot, delay) in net.program.delays().iter().enumerate() {
            self.slots[slot] = self.nodes[delay.operand.index()];
            self.waiting |= self.slots[slot] != 0;
        }
        for node in self.started.drain(..) {
            self.starts[node.index()] = 0;
        }
        std::mem::swap(&mut self.arena, &mut self.previous);
        self.arena.bits.clear();
    }
}
