//! Runs with lasting changes beside the original, computed only where they differ from it.
//!
//! Most changes matter to few nodes. So the original is recorded, and what differs from it is
//! followed, in columns of 64 steps where that is possible, otherwise step by step from where
//! the change matters at its own place until it is seen or the runs are the same again.

use std::sync::Arc;

use provoke_base::index::Id;
use provoke_model::operator::MAX_BITS;
use provoke_model::{BinaryOp, Value};

use crate::bits::Steps;
use crate::cell::Cell;
use crate::columns::{Beside, Came, Columns};
use crate::divergence::Divergence;
use crate::pending::Pending;
use crate::program::{Node, NodeId, Program};
use crate::recording::Recording;
use crate::wiring::{Op, not};
use crate::word::Word;

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

/// A node that computes something else in all steps of a changed run: an operator, a constant or
/// an occurrence of a variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Edit {
    /// The node.
    pub node: NodeId,
    /// What it computes.
    pub instead: Instead,
}

/// How a changed run ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// A watched node certainly differs.
    Seen,
    /// A computation has no value.
    Fault,
}

/// What is to be done when a node differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Role {
    pub(crate) watched: bool,
    /// A fault here ends the run.
    must_have_value: bool,
    pub(crate) remembered: bool,
}

/// An original run, and changed ones that are followed one after the other.
#[derive(Clone, Debug)]
pub struct Pursuit {
    original: Recording,
    columns: Columns,
    roles: Vec<Role>,
    /// The slots that remember a node's value.
    remembered_in: Vec<Vec<u32>>,
    /// Whether there is an operation that may have no value although its operands have one.
    risky: bool,
    words: Vec<Word>,
    /// A node has a word of its own where this is the number of the current step.
    touched: Vec<u64>,
    now: u64,
    pending: Pending,
    /// The touched nodes that have a role.
    notable: Vec<u32>,
    /// The edits of the run that is followed: by node, and nodes that edited ones need.
    is_edited: Vec<bool>,
    links: Vec<(u32, u32)>,
    /// Whether no node gets a second word in a step and no operation is risky.
    in_order: bool,
    /// How the memory differs before the step, and after it.
    memory: Vec<(u32, Word)>,
    next: Vec<(u32, Word)>,
}

impl Pursuit {
    /// For runs of `program` in which the values of the `watched` nodes are seen.
    pub fn new(program: Arc<Program>, watched: &[NodeId]) -> Pursuit {
        let nodes = program.nodes().len();
        let mut roles = vec![Role::default(); nodes];
        let mut remembered_in = vec![Vec::new(); nodes];
        program.roots().for_each(|root| roles[root.index()].must_have_value = true);
        watched.iter().for_each(|node| roles[node.index()].watched = true);
        for (slot, delay) in program.delays().iter().enumerate() {
            roles[delay.operand.index()].remembered = true;
            remembered_in[delay.operand.index()].push(slot as u32);
        }
        let risky = |node: &Node| matches!(node, Node::Binary(op, ..) if is_risky(*op));
        Pursuit {
            // A chain of sums may also become too long a number, if it is that long.
            risky: nodes > MAX_BITS / 2 || program.nodes().iter().any(risky),
            original: Recording::new(program, watched),
            columns: Columns::new(nodes),
            roles,
            remembered_in,
            words: vec![Word::UNKNOWN; nodes],
            touched: vec![0; nodes],
            now: 0,
            pending: Pending::new(nodes),
            notable: Vec::new(),
            is_edited: vec![false; nodes],
            links: Vec::new(),
            in_order: true,
            memory: Vec::new(),
            next: Vec::new(),
        }
    }

    /// The next run of the original begins; all changed runs begin with it.
    pub fn reset(&mut self) {
        self.original.reset();
    }

    /// Records the next steps of the original, at most [`SPAN`](crate::SPAN); how many have
    /// values.
    pub fn record(&mut self, steps: &[Vec<Value>]) -> usize {
        self.original.record(steps);
        self.original.len()
    }

    /// Does the recorded steps again with all edits in force, from a memory that differs by
    /// `state`, which is brought up to date. If the changed run ends, how and in which of the
    /// steps, counted from 0.
    pub fn follow(&mut self, edits: &[Edit], state: &mut Divergence) -> Option<(End, usize)> {
        let infected = edits.iter().fold(0, |steps, edit| steps | self.original.infected(edit));
        if self.original.len() == 0 || (infected == 0 && state.is_empty()) {
            return None;
        }
        let known = self.original.wides.len();
        for (slot, cell) in state.slots.drain(..) {
            self.memory.push((slot, self.original.wides.word(cell)));
        }
        self.install(edits);
        let end = match self.in_columns(edits) {
            Some(Came::Seen(step)) => Some((End::Seen, step)),
            Some(Came::Remembers(memory)) => {
                self.memory = memory;
                None
            }
            None => self.in_steps(edits, infected),
        };
        for (slot, word) in std::mem::take(&mut self.memory) {
            state.slots.push((slot, self.cell(edits, slot, word)));
        }
        self.uninstall(edits);
        self.original.wides.truncate(known);
        end
    }

    fn in_columns(&mut self, edits: &[Edit]) -> Option<Came> {
        if !self.original.wides.is_empty() {
            return None;
        }
        self.columns.follow(&Beside {
            original: &self.original,
            edits,
            is_edited: &self.is_edited,
            links: &self.links,
            roles: &self.roles,
            remembered_in: &self.remembered_in,
            memory: &self.memory,
        })
    }

    fn in_steps(&mut self, edits: &[Edit], mut infected: Steps) -> Option<(End, usize)> {
        let mut step = 0;
        while step < self.original.len() {
            if self.memory.is_empty() {
                infected &= !0 << step;
                if infected == 0 {
                    break;
                }
                step = infected.trailing_zeros() as usize;
            }
            if let Some(end) = self.step(step, edits) {
                return Some((end, step));
            }
            step += 1;
        }
        None
    }

    /// What a slot of the memory holds.
    fn cell(&self, edits: &[Edit], slot: u32, word: Word) -> Cell {
        let program = &self.original.wiring.program;
        let node = match program.delays().get(slot as usize) {
            Some(delay) => delay.operand,
            None => edits[slot as usize - program.delays().len()].node,
        };
        self.original.wides.cell(word, program.type_of(node))
    }

    fn install(&mut self, edits: &[Edit]) {
        self.in_order = !self.risky;
        for Edit { node, instead } in edits {
            self.is_edited[node.index()] = true;
            match instead {
                Instead::Node(used) => {
                    self.in_order &= used < node;
                    self.links.push((used.index() as u32, node.index() as u32));
                }
                Instead::Join(op) => self.in_order &= !is_risky(*op),
                _ => {}
            }
            if self.original.wiring.only_repeats(*node) {
                let home = self.original.wiring.home[node.index()];
                self.links.push((home, node.index() as u32));
                self.redirect(*node, home, node.index() as u32);
            }
        }
    }

    fn uninstall(&mut self, edits: &[Edit]) {
        for Edit { node, .. } in edits {
            self.is_edited[node.index()] = false;
            if self.original.wiring.only_repeats(*node) {
                let home = self.original.wiring.home[node.index()];
                self.redirect(*node, node.index() as u32, home);
            }
        }
        self.links.clear();
    }

    /// What uses an occurrence of a variable looks there, instead of at the variable or the
    /// other way round.
    fn redirect(&mut self, occurrence: NodeId, from: u32, to: u32) {
        let wiring = &mut self.original.wiring;
        for &user in wiring.program.users_of(occurrence) {
            let places = wiring.program.nodes()[user].operands();
            for (place, operand) in places.zip(wiring.ops[user.index()].operands()) {
                if place == occurrence && *operand == from {
                    *operand = to;
                }
            }
        }
    }

    /// Does one step of the changed run.
    fn step(&mut self, step: usize, edits: &[Edit]) -> Option<End> {
        self.now += 1;
        edits.iter().for_each(|edit| self.pending.insert(edit.node.index()));
        let delays = self.original.wiring.program.delays().len();
        for at in 0..self.memory.len() {
            let (slot, word) = self.memory[at];
            if (slot as usize) < delays {
                let pre = self.original.wiring.program.delays()[slot as usize].pre;
                self.change(step, pre.index(), word);
            }
        }
        while let Some(node) = self.pending.pop() {
            let word = match self.is_edited[node] {
                true => self.edited(step, edits, node),
                false => self.own(step, node),
            };
            if self.change(step, node, word) && self.decides(step, node) {
                self.pending.clear();
                self.notable.clear();
                return Some(End::Seen);
            }
        }
        self.finish(step, edits)
    }

    #[inline]
    fn current(&self, step: usize, node: usize) -> Word {
        match self.touched[node] == self.now {
            true => self.words[node],
            false => self.original.row(step)[self.original.wiring.home[node] as usize],
        }
    }

    /// What a node comes to by itself.
    #[inline]
    fn own(&mut self, step: usize, node: usize) -> Word {
        let Recording { wiring, .. } = &self.original;
        let (row, first) = (self.original.row(step), self.original.is_first(step));
        let (words, touched, now) = (&self.words, &self.touched, self.now);
        let at = |node: u32| match touched[node as usize] == now {
            true => words[node as usize],
            false => row[wiring.home[node as usize] as usize],
        };
        match wiring.quick(node, first, at) {
            Some(word) => word,
            None => self.own_exactly(step, node),
        }
    }

    #[cold]
    fn own_exactly(&mut self, step: usize, node: usize) -> Word {
        let first = self.original.is_first(step);
        let mut wides = std::mem::take(&mut self.original.wides);
        let at = |node: u32| self.current(step, node as usize);
        let word = self.original.wiring.compute(&mut wides, node, first, at);
        self.original.wides = wides;
        word
    }

    /// What an edited node comes to.
    fn edited(&mut self, step: usize, edits: &[Edit], node: usize) -> Word {
        let at = edits.iter().position(|edit| edit.node.index() == node).expect("it is edited");
        match &edits[at].instead {
            Instead::Value(value) => self.original.wides.word(value.clone()),
            Instead::Node(used) => self.current(step, used.index()),
            Instead::Negate => not(self.own(step, node)),
            Instead::Join(op) => {
                let Op::Binary(_, operands) = self.original.wiring.ops[node] else {
                    unreachable!("only what has two operands gets another operator")
                };
                let words = operands.map(|operand| self.current(step, operand as usize));
                let Recording { wiring, wides, .. } = &mut self.original;
                wiring.join(wides, node, *op, operands, words)
            }
            Instead::Delayed { at_first } => match (self.original.is_first(step), at_first) {
                (true, true) => self.own(step, node),
                (true, false) => Word::UNKNOWN,
                (false, _) => self.delayed(step, at, node),
            },
        }
    }

    /// What an edited node was in the step before.
    fn delayed(&self, step: usize, at: usize, node: usize) -> Word {
        let slot = self.original.wiring.program.delays().len() + at;
        let own = self.memory.iter().find(|(of, _)| *of as usize == slot);
        let home = self.original.wiring.home[node] as usize;
        own.map_or(self.original.row_before(step)[home], |(_, word)| *word)
    }

    /// Gives a node a value; whether it is another one. A node may get several in a step, if an
    /// edit uses a later one.
    #[inline]
    fn change(&mut self, step: usize, node: usize, word: Word) -> bool {
        if self.current(step, node) == word {
            return false;
        }
        self.words[node] = word;
        if self.touched[node] != self.now {
            self.touched[node] = self.now;
            if self.roles[node] != Role::default() {
                self.notable.push(node as u32);
            }
        }
        for &user in self.original.wiring.users_of(node) {
            self.pending.insert(user as usize);
        }
        for &(used, user) in &self.links {
            if used as usize == node {
                self.pending.insert(user as usize);
            }
        }
        true
    }

    /// Whether a node ends the run, whatever others come to: none of them can be a fault.
    fn decides(&self, step: usize, node: usize) -> bool {
        self.in_order && self.original.wides.is_empty() && self.is_seen(step, node)
    }

    /// Whether a watched node certainly differs.
    fn is_seen(&self, step: usize, node: usize) -> bool {
        let (wides, original) = (&self.original.wides, self.original.row(step)[node]);
        let known = |word: Word| wides.is_known(word);
        self.roles[node].watched
            && original != self.words[node]
            && known(original)
            && known(self.words[node])
    }

    /// What the step came to.
    fn finish(&mut self, step: usize, edits: &[Edit]) -> Option<End> {
        self.next.clear();
        let (mut seen, mut fault) = (false, false);
        let notable = std::mem::take(&mut self.notable);
        for node in notable.iter().map(|node| *node as usize) {
            let word = self.words[node];
            if word == self.original.row(step)[node] {
                continue;
            }
            let role = self.roles[node];
            fault |= role.must_have_value && self.original.wides.is_fault(word);
            seen |= self.is_seen(step, node);
            if role.remembered {
                self.next.extend(self.remembered_in[node].iter().map(|slot| (*slot, word)));
            }
        }
        self.notable = notable;
        self.notable.clear();
        self.remember_delayed(step, edits);
        std::mem::swap(&mut self.memory, &mut self.next);
        match (fault, seen) {
            (true, _) => Some(End::Fault),
            (_, true) => Some(End::Seen),
            _ => None,
        }
    }

    /// Adds what delayed nodes would have been, where that differs.
    fn remember_delayed(&mut self, step: usize, edits: &[Edit]) {
        let delays = self.original.wiring.program.delays().len();
        for (at, edit) in edits.iter().enumerate() {
            if matches!(edit.instead, Instead::Delayed { .. }) {
                let (node, slot) = (edit.node.index(), (delays + at) as u32);
                let own = self.own(step, node);
                if own != self.original.row(step)[self.original.wiring.home[node] as usize] {
                    self.next.push((slot, own));
                }
            }
        }
    }
}

/// Whether an operation may have no value although its operands have one: divisions, and products,
/// which may outgrow all bounds in a step.
fn is_risky(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Div | BinaryOp::IntDiv | BinaryOp::Mod | BinaryOp::Mul)
}
