//! A changed run, up to 64 steps of a node at a time.
//!
//! What a step remembers is what the next one knows: a memory is a column moved by one step. So
//! all steps are computed together, each node again when something it needs has changed in
//! some step, and what comes to rest is the run. Loops through memories are nodes that come
//! soon after each other, so they come to rest before others look at them.
//!
//! Numbers that are no words, and computations without a value, are left to others.

use provoke_base::index::Id;
use provoke_model::{BinaryOp, UnaryOp};

use crate::bits::{Bits, Steps, each};
use crate::pending::Pending;
use crate::program::{Node, NodeId, small};
use crate::pursuit::{Edit, Instead, Role};
use crate::recording::{Recording, SPAN};
use crate::wiring::Op;
use crate::word::Word;

/// Loops inside loops may take long to come to rest; steps one after the other do not. So after
/// so many words were computed it is left to them.
const MAX_COMPUTED: u32 = 2_000;

/// A changed run beside a recorded one.
pub(crate) struct Beside<'a> {
    pub(crate) original: &'a Recording,
    pub(crate) edits: &'a [Edit],
    pub(crate) is_edited: &'a [bool],
    /// Nodes that edited ones need, with these.
    pub(crate) links: &'a [(u32, u32)],
    pub(crate) roles: &'a [Role],
    pub(crate) remembered_in: &'a [Vec<u32>],
    /// How the memory differs before the first step.
    pub(crate) memory: &'a [(u32, Word)],
}

impl Beside<'_> {
    #[inline]
    fn is_bool(&self, node: usize) -> bool {
        self.original.wiring.is_bool[node]
    }

    #[inline]
    fn home(&self, node: usize) -> usize {
        self.original.wiring.home[node] as usize
    }

    fn all(&self) -> Steps {
        !0 >> (SPAN - self.original.len())
    }

    fn first(&self) -> Steps {
        u64::from(self.original.is_first(0))
    }

    /// The operand of a `pre`.
    fn remembered(&self, pre: usize) -> Option<usize> {
        let program = &self.original.wiring.program;
        match program.nodes()[NodeId::new(pre)] {
            Node::Pre(slot) => Some(program.delays()[slot as usize].operand.index()),
            _ => None,
        }
    }
}

/// What the steps came to.
pub(crate) enum Came {
    /// A watched node certainly differs, first in this step.
    Seen(usize),
    /// None does; so the memory differs now.
    Remembers(Vec<(u32, Word)>),
}

/// The columns of the nodes that differ.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    /// A node has a column where this is the number of the current run.
    touched: Vec<u64>,
    now: u64,
    bits: Vec<Bits>,
    /// The words of other nodes, and those of the original as far as they were looked at.
    words: Vec<Word>,
    originals: Vec<Word>,
    /// The recording that the latter are from.
    gathered: Vec<u64>,
    pending: Pending,
    /// The steps in which a pending node is to be computed.
    todo: Vec<Steps>,
    /// The touched nodes that have a role.
    notable: Vec<u32>,
}

impl Columns {
    pub(crate) fn new(nodes: usize) -> Columns {
        Columns {
            touched: vec![0; nodes],
            now: 0,
            bits: vec![Bits::default(); nodes],
            words: vec![Word::UNKNOWN; nodes * SPAN],
            originals: vec![Word::UNKNOWN; nodes * SPAN],
            gathered: vec![0; nodes],
            pending: Pending::new(nodes),
            todo: vec![0; nodes],
            notable: Vec::new(),
        }
    }

    /// Follows a changed run through all recorded steps; `None` if words are not enough for that.
    pub(crate) fn follow(&mut self, run: &Beside<'_>) -> Option<Came> {
        self.now += 1;
        self.notable.clear();
        for edit in run.edits {
            self.ask(edit.node.index(), run.all());
        }
        let delays = run.original.wiring.program.delays();
        for &(slot, word) in run.memory {
            if let Some(delay) = delays.get(slot as usize) {
                self.put(run, delay.pre.index(), 0, word);
            }
        }
        if self.settle(run).is_none() {
            while let Some(node) = self.pending.pop() {
                self.todo[node] = 0;
            }
            return None;
        }
        let seen = self.notable.iter().fold(0, |steps, node| steps | self.seen(run, *node));
        Some(match seen {
            0 => Came::Remembers(self.memory(run)?),
            _ => Came::Seen(seen.trailing_zeros() as usize),
        })
    }

    fn settle(&mut self, run: &Beside<'_>) -> Option<()> {
        let mut computed = 0;
        while let Some(node) = self.pending.pop() {
            let steps = std::mem::take(&mut self.todo[node]);
            computed += if run.is_bool(node) { 1 } else { steps.count_ones() };
            if computed > MAX_COMPUTED {
                return None;
            }
            let changed = self.compute(run, node, steps)?;
            self.tell(run, node, changed);
        }
        Some(())
    }

    fn ask(&mut self, node: usize, steps: Steps) {
        if steps != 0 {
            self.todo[node] |= steps;
            self.pending.insert(node);
        }
    }

    /// Whatever needs a node is to be computed again.
    fn tell(&mut self, run: &Beside<'_>, node: usize, changed: Steps) {
        if changed == 0 {
            return;
        }
        for &user in run.original.wiring.users_of(node) {
            self.ask(user as usize, changed);
        }
        for &(_, user) in run.links.iter().filter(|(used, _)| *used as usize == node) {
            self.ask(user as usize, changed);
        }
        if run.roles[node].remembered {
            for &slot in &run.remembered_in[node] {
                let pre = run.original.wiring.program.delays()[slot as usize].pre;
                self.ask(pre.index(), (changed << 1) & run.all());
            }
        }
    }

    /// Gives a node a column of its own, if it has none.
    fn touch(&mut self, run: &Beside<'_>, node: usize) {
        if self.touched[node] == self.now {
            return;
        }
        self.touched[node] = self.now;
        let home = run.home(node);
        match run.is_bool(node) {
            true => self.bits[node] = run.original.bits(home),
            false => {
                self.gather(run, node);
                let (from, to) = (home * SPAN, node * SPAN);
                self.words[to..to + SPAN].copy_from_slice(&self.originals[from..from + SPAN]);
            }
        }
        if run.roles[node] != Role::default() {
            self.notable.push(node as u32);
        }
    }

    /// Puts the original's words side by side: they lie far from each other where they are recorded.
    fn gather(&mut self, run: &Beside<'_>, node: usize) {
        let home = run.home(node);
        if !run.is_bool(node) && self.gathered[home] != run.original.number() {
            self.gathered[home] = run.original.number();
            for step in 0..run.original.len() {
                self.originals[home * SPAN + step] = run.original.row(step)[home];
            }
        }
    }

    fn bits(&self, run: &Beside<'_>, node: usize) -> Bits {
        match self.touched[node] == self.now {
            true => self.bits[node],
            false => run.original.bits(run.home(node)),
        }
    }

    /// The words of a node that is no Boolean, which must have been gathered.
    fn words(&self, run: &Beside<'_>, node: usize) -> &[Word] {
        match self.touched[node] == self.now {
            true => &self.words[node * SPAN..][..SPAN],
            false => &self.originals[run.home(node) * SPAN..][..SPAN],
        }
    }

    /// The value of a node in a step.
    fn word(&self, run: &Beside<'_>, node: usize, step: usize) -> Word {
        match (self.touched[node] == self.now, run.is_bool(node)) {
            (true, true) => self.bits[node].get(step),
            (true, false) => self.words[node * SPAN + step],
            _ => run.original.row(step)[run.home(node)],
        }
    }

    /// Gives a node a value in a step, and tells it.
    fn put(&mut self, run: &Beside<'_>, node: usize, step: usize, word: Word) {
        if self.word(run, node, step) != word {
            self.touch(run, node);
            match run.is_bool(node) {
                true => self.bits[node].set(step, word),
                false => self.words[node * SPAN + step] = word,
            }
            self.tell(run, node, 1 << step);
        }
    }

    /// Computes a node again; the steps in which it changes.
    fn compute(&mut self, run: &Beside<'_>, node: usize, steps: Steps) -> Option<Steps> {
        let edit = run.is_edited[node].then(|| {
            run.edits.iter().position(|edit| edit.node.index() == node).expect("it is edited")
        });
        self.gather_operands(run, node, edit);
        if run.is_bool(node) {
            let new = match edit {
                Some(at) => self.edited_bits(run, at)?,
                None => self.own_bits(run, node, steps)?,
            };
            let changed = new.differ(self.bits(run, node)) & run.all();
            if changed != 0 {
                self.touch(run, node);
                self.bits[node] = new;
            }
            return Some(changed);
        }
        let mut new = [Word::UNKNOWN; SPAN];
        let steps = match edit {
            Some(at) => {
                self.edited_words(run, at, &mut new)?;
                run.all()
            }
            None => {
                self.own_words(run, node, steps, &mut new)?;
                steps
            }
        };
        let old = self.words(run, node);
        let differs = |step: &usize| new[*step] != old[*step];
        let changed = each(steps).filter(differs).fold(0, |changed, step| changed | 1 << step);
        if changed != 0 {
            self.touch(run, node);
            let column = &mut self.words[node * SPAN..][..SPAN];
            each(changed).for_each(|step| column[step] = new[step]);
        }
        Some(changed)
    }

    fn gather_operands(&mut self, run: &Beside<'_>, node: usize, edit: Option<usize>) {
        self.gather(run, node);
        let mut op = run.original.wiring.ops[node];
        op.operands().iter().for_each(|operand| self.gather(run, *operand as usize));
        if let Some(Instead::Node(used)) = edit.map(|at| &run.edits[at].instead) {
            self.gather(run, used.index());
        }
        if let Some(operand) = run.remembered(node) {
            self.gather(run, operand);
        }
    }

    /// What a Boolean node comes to by itself.
    fn own_bits(&self, run: &Beside<'_>, node: usize, steps: Steps) -> Option<Bits> {
        let bits = |operand: u32| self.bits(run, operand as usize);
        Some(match run.original.wiring.ops[node] {
            Op::Given => match run.remembered(node) {
                Some(operand) => self.bits(run, operand).shifted(self.word(run, node, 0)),
                None => self.bits(run, node),
            },
            Op::Copy([a]) => bits(a),
            Op::Unary(_, [a]) => bits(a).not(),
            Op::Binary(op, operands) => self.joined(run, node, op, operands, steps)?,
            Op::If([condition, then, otherwise]) => {
                bits(condition).choose(bits(then), bits(otherwise))
            }
            Op::Arrow([first, later]) => Bits::pick(run.first(), bits(first), bits(later)),
        })
    }

    /// An operator with the operands of a Boolean node; that of numbers only in some steps.
    fn joined(
        &self,
        run: &Beside<'_>,
        node: usize,
        op: BinaryOp,
        [a, b]: [u32; 2],
        steps: Steps,
    ) -> Option<Bits> {
        let [a, b] = [a, b].map(|operand| operand as usize);
        if run.is_bool(a) {
            return Some(Bits::join(op, self.bits(run, a), self.bits(run, b)));
        }
        let (mut bits, a, b) = (self.bits(run, node), self.words(run, a), self.words(run, b));
        for step in each(steps) {
            bits.set(step, arithmetic(op, a[step], b[step])?);
        }
        Some(bits)
    }

    /// What a node that is no Boolean comes to by itself in some steps.
    fn own_words(
        &self,
        run: &Beside<'_>,
        node: usize,
        steps: Steps,
        new: &mut [Word; SPAN],
    ) -> Option<()> {
        let words = |operand: u32| self.words(run, operand as usize);
        let mut fill = |word: &dyn Fn(usize) -> Option<Word>| {
            each(steps).try_for_each(|step| {
                new[step] = word(step)?;
                Some(())
            })
        };
        match run.original.wiring.ops[node] {
            Op::Given => {
                let own = self.words(run, node);
                let operand = run.remembered(node).map_or(own, |operand| self.words(run, operand));
                fill(&|step| Some(if step > 0 { operand[step - 1] } else { own[0] }))
            }
            Op::Copy([a]) => {
                let a = words(a);
                fill(&|step| Some(a[step]))
            }
            Op::Unary(UnaryOp::Neg, [a]) => {
                let a = words(a);
                fill(&|step| arithmetic(BinaryOp::Sub, Word::FALSE, a[step]))
            }
            Op::Unary(..) => None,
            Op::Binary(op, [a, b]) => {
                let (a, b) = (words(a), words(b));
                fill(&|step| arithmetic(op, a[step], b[step]))
            }
            Op::If([condition, then, otherwise]) => {
                let condition = self.bits(run, condition as usize);
                let (then, otherwise) = (words(then), words(otherwise));
                fill(&|step| {
                    Some(match condition.get(step) {
                        Word::TRUE => then[step],
                        Word::FALSE => otherwise[step],
                        _ if then[step] == otherwise[step] => then[step],
                        _ => Word::UNKNOWN,
                    })
                })
            }
            Op::Arrow([first, later]) => {
                let (first, later, start) = (words(first), words(later), run.first());
                fill(&|step| Some(if start >> step & 1 != 0 { first[step] } else { later[step] }))
            }
        }
    }

    fn edited_bits(&self, run: &Beside<'_>, at: usize) -> Option<Bits> {
        let Edit { node, instead } = &run.edits[at];
        let (node, all) = (node.index(), run.all());
        Some(match instead {
            Instead::Value(value) => Bits::always(value.as_bool()?),
            Instead::Node(used) => self.bits(run, used.index()),
            Instead::Negate => self.own_bits(run, node, all)?.not(),
            Instead::Join(op) => self.joined(run, node, *op, operands(run, node), all)?,
            Instead::Delayed { .. } => {
                let own = self.own_bits(run, node, all)?;
                own.shifted(before(run, at, own.get(0)))
            }
        })
    }

    fn edited_words(&self, run: &Beside<'_>, at: usize, new: &mut [Word; SPAN]) -> Option<()> {
        let Edit { node, instead } = &run.edits[at];
        let (node, all) = (node.index(), run.all());
        match instead {
            Instead::Value(value) => new.fill(Word::small_of(value)?),
            Instead::Node(used) => new.copy_from_slice(self.words(run, used.index())),
            Instead::Negate => unreachable!("numbers are not negated"),
            Instead::Join(op) => {
                let [a, b] = operands(run, node).map(|operand| self.words(run, operand as usize));
                for step in each(all) {
                    new[step] = arithmetic(*op, a[step], b[step])?;
                }
            }
            Instead::Delayed { .. } => {
                self.own_words(run, node, all, new)?;
                let first = before(run, at, new[0]);
                new.copy_within(..SPAN - 1, 1);
                new[0] = first;
            }
        }
        Some(())
    }

    /// The steps in which a watched node certainly differs.
    fn seen(&self, run: &Beside<'_>, node: u32) -> Steps {
        let node = node as usize;
        if !run.roles[node].watched {
            return 0;
        }
        if run.is_bool(node) {
            return self.bits[node].certainly_differ(run.original.bits(node)) & run.all();
        }
        let differs = |step: &usize| {
            let [own, original] =
                [&self.words, &self.originals].map(|words| words[node * SPAN + step]);
            own != original && own != Word::UNKNOWN && original != Word::UNKNOWN
        };
        each(run.all()).filter(differs).fold(0, |steps, step| steps | 1 << step)
    }

    /// How the memory differs after the last step.
    fn memory(&mut self, run: &Beside<'_>) -> Option<Vec<(u32, Word)>> {
        let last = run.original.len() - 1;
        let mut memory = Vec::new();
        for node in self.notable.iter().map(|node| *node as usize) {
            let word = self.word(run, node, last);
            if word != run.original.row(last)[node] {
                memory.extend(run.remembered_in[node].iter().map(|slot| (*slot, word)));
            }
        }
        let delays = run.original.wiring.program.delays().len();
        for (at, edit) in run.edits.iter().enumerate() {
            if matches!(edit.instead, Instead::Delayed { .. }) {
                let node = edit.node.index();
                let own = self.own(run, at, last)?;
                if own != run.original.row(last)[run.home(node)] {
                    memory.push(((delays + at) as u32, own));
                }
            }
        }
        Some(memory)
    }

    /// What an edited node would be in a step.
    fn own(&mut self, run: &Beside<'_>, at: usize, step: usize) -> Option<Word> {
        let node = run.edits[at].node.index();
        self.gather_operands(run, node, Some(at));
        if run.is_bool(node) {
            return Some(self.own_bits(run, node, run.all())?.get(step));
        }
        let mut own = [Word::UNKNOWN; SPAN];
        self.own_words(run, node, 1 << step, &mut own)?;
        Some(own[step])
    }
}

fn operands(run: &Beside<'_>, node: usize) -> [u32; 2] {
    match run.original.wiring.ops[node] {
        Op::Binary(_, operands) => operands,
        _ => unreachable!("only what has two operands gets another operator"),
    }
}

/// What a delayed node is in the first of the steps, in which it would be `own`.
fn before(run: &Beside<'_>, at: usize, own: Word) -> Word {
    let Edit { node, instead } = &run.edits[at];
    match instead {
        Instead::Delayed { at_first: true } if run.original.is_first(0) => own,
        _ if run.original.is_first(0) => Word::UNKNOWN,
        _ => {
            let slot = run.original.wiring.program.delays().len() + at;
            let carried = run.memory.iter().find(|(of, _)| *of as usize == slot);
            let original = run.original.row_before(0)[run.home(node.index())];
            carried.map_or(original, |(_, word)| *word)
        }
    }
}

/// The result for words; `None` if it is no word, or may depend on what an unknown operand is.
fn arithmetic(op: BinaryOp, a: Word, b: Word) -> Option<Word> {
    match (a.number(), b.number()) {
        (Some(a), Some(b)) => Word::of(small(op, a, b)?),
        _ if op.is_relation() || matches!(op, BinaryOp::Add | BinaryOp::Sub) => Some(Word::UNKNOWN),
        _ => None,
    }
}
