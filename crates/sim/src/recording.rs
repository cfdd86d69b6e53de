//! A run with the values of all its nodes, for others to be compared with.

use std::sync::Arc;

use provoke_base::index::Id;
use provoke_model::{BinaryOp, Value};

use crate::bits::{Bits, Steps};
use crate::compact_value::CompactValue;
use crate::program::{NodeId, ProgramNode, SimProgram};
use crate::pursuit::{Edit, NodeReplacement};
use crate::wiring::{Op, Wiring, quick};
use crate::word::{Wides, Word};

/// How many steps are recorded at a time.
pub const SPAN: usize = 64;

/// Up to [`SPAN`] steps of a run.
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    pub(crate) wiring: Wiring,
    pub(crate) wides: Wides,
    /// A row for each step, behind that of the step before the first one.
    rows: Vec<Word>,
    /// How many steps are recorded, and how many of the run came before.
    len: usize,
    before: usize,
    /// The nodes that are computed, in order.
    computed: Vec<u32>,
    /// The constants that are no words.
    wide_constants: Vec<(usize, CompactValue)>,
    /// The Boolean nodes, also with all their steps together.
    bits: Vec<Bits>,
    booleans: Vec<u32>,
}

impl Recording {
    /// Nothing is recorded yet.
    pub(crate) fn new(program: Arc<SimProgram>, watched: &[NodeId]) -> Recording {
        let wiring = Wiring::new(program, watched);
        let nodes = wiring.ops.len();
        let homes = || (0..nodes).filter(|node| wiring.home[*node] as usize == *node);
        let computed = homes().filter(|node| !matches!(wiring.ops[*node], Op::Given));
        let booleans = homes().filter(|node| wiring.is_bool(*node));
        let (mut wides, mut rows) = (Wides::default(), vec![Word::UNKNOWN; (SPAN + 1) * nodes]);
        let mut wide_constants = Vec::new();
        for (id, node) in wiring.program.nodes().entries() {
            if let ProgramNode::Const(cell) = node {
                let word = wides.word(cell.clone());
                rows.iter_mut().skip(id.index()).step_by(nodes).for_each(|place| *place = word);
                if !word.is_small() {
                    wide_constants.push((id.index(), cell.clone()));
                }
            }
        }
        Recording {
            computed: computed.map(|node| node as u32).collect(),
            booleans: booleans.map(|node| node as u32).collect(),
            bits: vec![Bits::default(); nodes],
            wiring,
            wides: Wides::default(),
            rows,
            len: 0,
            before: 0,
            wide_constants,
        }
    }

    /// The next run begins.
    pub(crate) fn reset(&mut self) {
        (self.len, self.before) = (0, 0);
    }

    /// How many steps are recorded.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether a recorded step is the first one of the run.
    pub(crate) fn is_first(&self, step: usize) -> bool {
        self.before + step == 0
    }

    /// The values of a step, or of the one before.
    #[inline]
    pub(crate) fn row(&self, step: usize) -> &[Word] {
        self.row_at(step + 1)
    }

    #[inline]
    pub(crate) fn row_before(&self, step: usize) -> &[Word] {
        self.row_at(step)
    }

    #[inline]
    fn row_at(&self, position: usize) -> &[Word] {
        let nodes = self.wiring.ops.len();
        &self.rows[position * nodes..][..nodes]
    }

    /// Records the next steps, at most [`SPAN`], as far as they have values.
    pub(crate) fn record(&mut self, steps: &[Vec<Value>]) {
        self.keep_last();
        self.bits.fill(Bits::default());
        self.len = 0;
        for inputs in steps.iter().take(SPAN) {
            self.compute(inputs);
            if self.has_fault() {
                return;
            }
            self.note_bits();
            self.len += 1;
        }
    }

    /// The last step becomes the one before; wide values that were only in others are forgotten.
    fn keep_last(&mut self) {
        let nodes = self.wiring.ops.len();
        self.before += self.len;
        self.rows.copy_within(self.len * nodes..(self.len + 1) * nodes, 0);
        let old = std::mem::take(&mut self.wides);
        if self.before > 0 && !old.is_empty() {
            for (node, word) in self.rows[..nodes].iter_mut().enumerate() {
                let cell = old.cell(*word, self.wiring.type_of(node));
                *word = self.wides.word(cell);
            }
        }
        for (node, cell) in &self.wide_constants {
            let word = self.wides.word(cell.clone());
            self.rows.iter_mut().skip(*node).step_by(nodes).for_each(|place| *place = word);
        }
    }

    fn compute(&mut self, inputs: &[Value]) {
        let Recording { wiring, wides, rows, computed, .. } = self;
        let (nodes, first_step) = (wiring.ops.len(), self.before + self.len == 0);
        assert_eq!(inputs.len(), wiring.program.inputs, "one value for each input");
        let (past, rest) = rows.split_at_mut((self.len + 1) * nodes);
        let (past, row) = (&past[self.len * nodes..], &mut rest[..nodes]);
        for (place, value) in row.iter_mut().zip(inputs) {
            *place = wides.word(CompactValue::from(value));
        }
        let memories = nodes - wiring.memories.len();
        for (memory, place) in wiring.memories.iter().zip(&mut row[memories..]) {
            *place = if first_step { Word::UNKNOWN } else { past[memory.operand as usize] };
        }
        for &node in computed.iter() {
            let node = node as usize;
            row[node] = wiring.compute(wides, node, first_step, |at| row[at as usize]);
        }
    }

    fn has_fault(&self) -> bool {
        let row = self.row(self.len);
        let faulty = |node: NodeId| self.wides.is_fault(row[self.home(node)]);
        !self.wides.is_empty() && self.wiring.program.roots().any(faulty)
    }

    fn note_bits(&mut self) {
        let nodes = self.wiring.ops.len();
        let row = &self.rows[(self.len + 1) * nodes..];
        for &node in &self.booleans {
            let (word, bits) = (row[node as usize], &mut self.bits[node as usize]);
            bits.value |= u64::from(word == Word::TRUE) << self.len;
            bits.known |= u64::from(word.is_small()) << self.len;
        }
    }

    fn home(&self, node: NodeId) -> usize {
        self.wiring.home[node.index()] as usize
    }

    /// The steps in which an edit may come to something else than the original, where nothing
    /// else is changed. For truth values all steps are looked at together.
    pub(crate) fn infected(&self, Edit { node, instead }: &Edit) -> Steps {
        let all = !0 >> (SPAN - self.len.max(1));
        let is_boolean = |node: NodeId| self.wiring.is_bool(node.index());
        let infected = match (instead, &self.wiring.program.nodes()[*node]) {
            (NodeReplacement::Value(cell), _) => match cell.as_bool() {
                Some(value) => self.differs(*node, Bits::always(value)),
                None => all,
            },
            (NodeReplacement::Negate, _) => self.bits[self.home(*node)].known,
            (NodeReplacement::Join(op), &ProgramNode::Binary(_, a, b)) if is_boolean(a) => {
                let [a, b] = [a, b].map(|operand| self.bits[self.home(operand)]);
                self.differs(*node, Bits::join(*op, a, b))
            }
            (NodeReplacement::Join(op), &ProgramNode::Binary(_, a, b)) => {
                self.joins_differ(*op, *node, [a, b])
            }
            (NodeReplacement::Join(_), _) => {
                unreachable!("only what has two operands gets another")
            }
            (NodeReplacement::Node(used), _) if is_boolean(*node) => {
                self.differs(*node, self.bits[self.home(*used)])
            }
            (NodeReplacement::Node(used), _) => {
                let [used, own] = [*used, *node].map(|node| self.home(node));
                self.steps(|step| self.row(step)[used] != self.row(step)[own])
            }
            (NodeReplacement::Delayed { at_first }, _) => self.moves(*node, *at_first),
        };
        infected & all
    }

    /// The steps in which a Boolean node may be something else. Faults are not known either, but
    /// are not alike.
    fn differs(&self, node: NodeId, other: Bits) -> Steps {
        let own = self.bits[self.home(node)];
        own.differ(other) | !own.known | !other.known
    }

    fn steps(&self, holds: impl Fn(usize) -> bool) -> Steps {
        (0..self.len).fold(0, |steps, step| steps | u64::from(holds(step)) << step)
    }

    fn joins_differ(&self, op: BinaryOp, node: NodeId, operands: [NodeId; 2]) -> Steps {
        let ([a, b], own) = (operands.map(|operand| self.home(operand)), self.home(node));
        self.steps(|step| {
            let row = self.row(step);
            quick(op, row[a], row[b]) != Some(row[own])
        })
    }

    /// The steps in which a node is not what it was in the step before.
    fn moves(&self, node: NodeId, at_first: bool) -> Steps {
        let home = self.home(node);
        let moved = self.steps(|step| self.row(step)[home] != self.row_before(step)[home]);
        match self.before == 0 {
            true => moved & !1 | u64::from(!at_first),
            false => moved,
        }
    }
}
