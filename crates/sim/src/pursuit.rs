//! Runs with lasting changes beside the original, computed only where they differ from it.
//!
//! Most changes matter to few nodes, and many to none that anybody sees. So the original is
//! recorded, and what differs from it is followed step by step, as far as it can come to a
//! watched node: from where the change matters at its own place until it is seen or the runs are
//! the same again.

use std::sync::Arc;

use provoke_base::index::Id;
use provoke_model::operator::MAX_BITS;
use provoke_model::{BinaryOp, Value};

use crate::bits::Steps;
use crate::compact_value::CompactValue;
use crate::divergence::Divergence;
use crate::pending::Pending;
use crate::program::{NodeId, ProgramDelay, ProgramNode, SimProgram};
use crate::recording::Recording;
use crate::wiring::{Op, not};
use crate::word::Word;

/// What a node computes in a changed run instead of its own.
#[derive(Clone, PartialEq, Debug)]
pub enum NodeReplacement {
    /// Its operands, joined by this operator.
    Join(BinaryOp),
    /// Its own value, negated.
    Negate,
    /// This value.
    Value(CompactValue),
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
    pub instead: NodeReplacement,
}

/// How a changed run ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PursuitEnd {
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
    roles: Vec<Role>,
    /// The nodes that hold a node's value in the next step.
    remembered_in: Vec<Vec<u32>>,
    /// Whether there is an operation that may have no value although its operands have one.
    risky: bool,
    /// The nodes that can come to a watched one, in this step or a later one.
    matters: Vec<bool>,
    /// Whether nothing else is followed: what has no value would end the run wherever it is.
    only_what_matters: bool,
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
    pub fn new(program: Arc<SimProgram>, watched: &[NodeId]) -> Pursuit {
        let risky =
            |node: &ProgramNode| matches!(node, ProgramNode::Binary(op, ..) if is_risky(*op));
        // A chain of sums may also become too long a number, if it is that long.
        let risky = program.nodes().len() > MAX_BITS / 2 || program.nodes().iter().any(risky);
        let mut matters = what_matters(&program, watched);
        let original = Recording::new(program, watched);
        let wiring = &original.wiring;
        let nodes = wiring.ops.len();
        let mut roles = vec![Role::default(); nodes];
        let mut remembered_in = vec![Vec::new(); nodes];
        let home = |node: NodeId| wiring.home[node.index()] as usize;
        wiring.program.roots().for_each(|root| roles[home(root)].must_have_value = true);
        watched.iter().for_each(|node| roles[node.index()].watched = true);
        for (holder, memory) in (wiring.program.nodes().len() as u32..).zip(&wiring.memories) {
            roles[memory.operand as usize].remembered = true;
            remembered_in[memory.operand as usize].push(holder);
            matters.push(memory.pres.iter().any(|pre| matters[pre.index()]));
        }
        Pursuit {
            risky,
            matters,
            original,
            only_what_matters: false,
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
    pub fn follow(
        &mut self,
        edits: &[Edit],
        state: &mut Divergence,
    ) -> Option<(PursuitEnd, usize)> {
        self.only_what_matters = self.is_safe(edits);
        let matters = edits.iter().filter(|edit| self.is_followed(edit.node.index()));
        let infected = matters.fold(0, |steps, edit| steps | self.original.infected(edit));
        if self.original.len() == 0 || (infected == 0 && state.is_empty()) {
            return None;
        }
        let known = self.original.wides.len();
        for (holder, cell) in state.slots.drain(..) {
            self.memory.push((holder, self.original.wides.word(cell)));
        }
        self.install(edits);
        let end = self.in_steps(edits, infected);
        for (holder, word) in std::mem::take(&mut self.memory) {
            state.slots.push((holder, self.cell(edits, holder, word)));
        }
        self.uninstall(edits);
        self.original.wides.truncate(known);
        end
    }

    /// Whether no value can be missing, and no edit gives others a way to the watched nodes.
    fn is_safe(&self, edits: &[Edit]) -> bool {
        !self.risky
            && edits.iter().all(|edit| match &edit.instead {
                NodeReplacement::Join(op) => !is_risky(*op),
                NodeReplacement::Node(used) => self.matters[used.index()],
                _ => true,
            })
    }

    #[inline]
    fn is_followed(&self, node: usize) -> bool {
        self.matters[node] || !self.only_what_matters
    }

    fn in_steps(&mut self, edits: &[Edit], mut infected: Steps) -> Option<(PursuitEnd, usize)> {
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

    /// What a word of the memory means.
    fn cell(&self, edits: &[Edit], holder: u32, word: Word) -> CompactValue {
        let nodes = self.original.wiring.ops.len();
        let node = match (holder as usize).checked_sub(nodes) {
            None => holder as usize,
            Some(edit) => edits[edit].node.index(),
        };
        self.original.wides.cell(word, self.original.wiring.type_of(node))
    }

    fn install(&mut self, edits: &[Edit]) {
        self.in_order = !self.risky;
        for Edit { node, instead } in edits {
            self.is_edited[node.index()] = true;
            match instead {
                NodeReplacement::Node(used) => {
                    self.in_order &= used < node;
                    self.links.push((used.index() as u32, node.index() as u32));
                }
                NodeReplacement::Join(op) => self.in_order &= !is_risky(*op),
                _ => {}
            }
            if self.original.wiring.only_repeats(*node) {
                let home = self.original.wiring.home[node.index()];
                self.links.push((home, node.index() as u32));
                self.redirect(*node, home, node.index() as u32);
                self.take_apart(*node, true);
            }
        }
    }

    fn uninstall(&mut self, edits: &[Edit]) {
        for Edit { node, .. } in edits {
            self.is_edited[node.index()] = false;
            if self.original.wiring.only_repeats(*node) {
                let home = self.original.wiring.home[node.index()];
                self.redirect(*node, node.index() as u32, home);
                self.take_apart(*node, false);
            }
        }
        self.links.clear();
    }

    /// Gives the delays of an edited occurrence places of their own, since they no longer
    /// remember what others do; or back the common one.
    fn take_apart(&mut self, occurrence: NodeId, apart: bool) {
        let program = Arc::clone(&self.original.wiring.program);
        let remembers = |delay: &&ProgramDelay| delay.operand == occurrence;
        for delay in program.delays().iter().filter(remembers) {
            let (pre, operand) = (delay.pre.index() as u32, occurrence.index());
            let memory = self.original.wiring.memory_of(delay.pre);
            let home = self.original.wiring.home[delay.pre.index()];
            match apart {
                true => {
                    self.redirect(delay.pre, home, pre);
                    self.remembered_in[operand].push(pre);
                    self.original.wiring.ops[delay.pre.index()] = Op::Given;
                }
                false => {
                    self.redirect(delay.pre, pre, home);
                    self.remembered_in[operand].clear();
                    self.original.wiring.ops[delay.pre.index()] = Op::Copy([memory]);
                }
            }
            self.roles[operand].remembered = apart;
        }
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
    fn step(&mut self, step: usize, edits: &[Edit]) -> Option<PursuitEnd> {
        self.now += 1;
        for edit in edits {
            if self.is_followed(edit.node.index()) {
                self.pending.insert(edit.node.index());
            }
        }
        let nodes = self.original.wiring.ops.len();
        for at in 0..self.memory.len() {
            let (holder, word) = self.memory[at];
            if (holder as usize) < nodes {
                self.change(step, holder as usize, word);
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
                return Some(PursuitEnd::Seen);
            }
        }
        self.finish(step, edits)
    }

    #[inline]
    fn current(&self, step: usize, node: usize) -> Word {
        match self.touched[node] == self.now {
            true => self.words[node],
            false => self.original_word(step, node),
        }
    }

    #[inline]
    fn original_word(&self, step: usize, node: usize) -> Word {
        self.original.row(step)[self.original.wiring.home[node] as usize]
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
            NodeReplacement::Value(value) => self.original.wides.word(value.clone()),
            NodeReplacement::Node(used) => self.current(step, used.index()),
            NodeReplacement::Negate => not(self.own(step, node)),
            NodeReplacement::Join(op) => {
                let Op::Binary(_, operands) = self.original.wiring.ops[node] else {
                    unreachable!("only what has two operands gets another operator")
                };
                let words = operands.map(|operand| self.current(step, operand as usize));
                let Recording { wiring, wides, .. } = &mut self.original;
                wiring.join(wides, node, *op, operands, words)
            }
            NodeReplacement::Delayed { at_first } => match (self.original.is_first(step), at_first)
            {
                (true, true) => self.own(step, node),
                (true, false) => Word::UNKNOWN,
                (false, _) => self.delayed(step, at, node),
            },
        }
    }

    /// What an edited node was in the step before.
    fn delayed(&self, step: usize, at: usize, node: usize) -> Word {
        let holder = self.original.wiring.ops.len() + at;
        let own = self.memory.iter().find(|(of, _)| *of as usize == holder);
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
            if self.matters[user as usize] || !self.only_what_matters {
                self.pending.insert(user as usize);
            }
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
        let (wides, original) = (&self.original.wides, self.original_word(step, node));
        let known = |word: Word| wides.is_known(word);
        self.roles[node].watched
            && original != self.words[node]
            && known(original)
            && known(self.words[node])
    }

    /// What the step came to.
    fn finish(&mut self, step: usize, edits: &[Edit]) -> Option<PursuitEnd> {
        self.next.clear();
        let (mut seen, mut fault) = (false, false);
        let notable = std::mem::take(&mut self.notable);
        for node in notable.iter().map(|node| *node as usize) {
            let word = self.words[node];
            if word == self.original_word(step, node) {
                continue;
            }
            let role = self.roles[node];
            fault |= role.must_have_value && self.original.wides.is_fault(word);
            seen |= self.is_seen(step, node);
            if role.remembered {
                let Pursuit { next, remembered_in, matters, .. } = self;
                let all = !self.only_what_matters;
                let holders = remembered_in[node].iter().copied();
                let followed = holders.filter(|holder| all || matters[*holder as usize]);
                next.extend(followed.map(|holder| (holder, word)));
            }
        }
        self.notable = notable;
        self.notable.clear();
        self.remember_delayed(step, edits);
        std::mem::swap(&mut self.memory, &mut self.next);
        match (fault, seen) {
            (true, _) => Some(PursuitEnd::Fault),
            (_, true) => Some(PursuitEnd::Seen),
            _ => None,
        }
    }

    /// Adds what delayed nodes would have been, where that differs.
    fn remember_delayed(&mut self, step: usize, edits: &[Edit]) {
        let nodes = self.original.wiring.ops.len();
        for (at, edit) in edits.iter().enumerate() {
            let is_delayed = matches!(edit.instead, NodeReplacement::Delayed { .. });
            if is_delayed && self.is_followed(edit.node.index()) {
                let (node, holder) = (edit.node.index(), (nodes + at) as u32);
                let own = self.own(step, node);
                if own != self.original_word(step, node) {
                    self.next.push((holder, own));
                }
            }
        }
    }
}

/// Whether an operation may have no value although its operands have one: divisions, and products,
/// which may outgrow all bounds in a step.
fn is_risky(op: BinaryOp) -> bool {
    op.divides() || op == BinaryOp::Mul
}

/// The nodes whose values can come to a watched node, at once or through delays.
fn what_matters(program: &SimProgram, watched: &[NodeId]) -> Vec<bool> {
    let mut matters = vec![false; program.nodes().len()];
    let mut waiting = watched.to_vec();
    while let Some(node) = waiting.pop() {
        if std::mem::replace(&mut matters[node.index()], true) {
            continue;
        }
        match &program.nodes()[node] {
            ProgramNode::Pre(slot) => waiting.push(program.delays()[*slot as usize].operand),
            other => waiting.extend(other.operands()),
        }
    }
    matters
}
