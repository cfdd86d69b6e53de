//! A run with the values of all its nodes, for others to be compared with.

use std::sync::Arc;

use provoke_base::index::Id;
use provoke_model::{BinaryOp, Type, Value};

use crate::cell::Cell;
use crate::program::{Node, NodeId, Program};
use crate::pursuit::{Edit, Instead};
use crate::wiring::{Op, Wiring, quick};
use crate::word::{Wides, Word};

/// How many steps are recorded at a time.
pub const SPAN: usize = 64;

/// Some steps of a run, a bit for each.
pub(crate) type Steps = u64;

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
    wide_constants: Vec<(usize, Cell)>,
    /// In which steps a Boolean node is true, and in which it is known.
    truths: Vec<(Steps, Steps)>,
    booleans: Vec<u32>,
}

impl Recording {
    /// Nothing is recorded yet.
    pub(crate) fn new(program: Arc<Program>, watched: &[NodeId]) -> Recording {
        let wiring = Wiring::new(program, watched);
        let nodes = wiring.ops.len();
        let homes = || (0..nodes).filter(|node| wiring.home[*node] as usize == *node);
        let computed = homes().filter(|node| !matches!(wiring.ops[*node], Op::Given));
        let ty = |node: usize| wiring.program.type_of(NodeId::new(node));
        let booleans = homes().filter(|node| ty(*node) == Type::Bool);
        let (mut wides, mut rows) = (Wides::default(), vec![Word::UNKNOWN; (SPAN + 1) * nodes]);
        let mut wide_constants = Vec::new();
        for (id, node) in wiring.program.nodes().entries() {
            if let Node::Const(cell) = node {
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
            truths: vec![(0, 0); nodes],
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
        self.truths.fill((0, 0));
        self.len = 0;
        for inputs in steps.iter().take(SPAN) {
            self.compute(inputs);
            if self.has_fault() {
                return;
            }
            self.note_truths();
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
                let cell = old.cell(*word, self.wiring.program.type_of(NodeId::new(node)));
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
            *place = wides.word(Cell::from(value));
        }
        for delay in wiring.program.delays() {
            let remembered = past[wiring.home[delay.operand.index()] as usize];
            row[delay.pre.index()] = if first_step { Word::UNKNOWN } else { remembered };
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

    fn note_truths(&mut self) {
        let nodes = self.wiring.ops.len();
        let row = &self.rows[(self.len + 1) * nodes..];
        for &node in &self.booleans {
            let (word, truth) = (row[node as usize], &mut self.truths[node as usize]);
            truth.0 |= u64::from(word == Word::TRUE) << self.len;
            truth.1 |= u64::from(word.is_small()) << self.len;
        }
    }

    fn home(&self, node: NodeId) -> usize {
        self.wiring.home[node.index()] as usize
    }

    /// The steps in which an edit may come to something else than the original, where nothing
    /// else is changed. For truth values all steps are looked at together.
    pub(crate) fn infected(&self, Edit { node, instead }: &Edit) -> Steps {
        let all = !0 >> (SPAN - self.len.max(1));
        let is_boolean = |node| self.wiring.program.type_of(node) == Type::Bool;
        let infected = match (instead, &self.wiring.program.nodes()[*node]) {
            (Instead::Value(cell), _) => match (cell.as_bool(), self.truths[self.home(*node)]) {
                (Some(value), (truth, known)) => !known | (truth ^ all_if(value)),
                _ => all,
            },
            (Instead::Negate, _) => self.truths[self.home(*node)].1,
            (Instead::Join(op), &Node::Binary(_, a, b)) if is_boolean(a) => {
                self.differs(*node, join(*op, self.truth(a), self.truth(b)))
            }
            (Instead::Join(op), &Node::Binary(_, a, b)) => self.joins_differ(*op, *node, [a, b]),
            (Instead::Join(_), _) => unreachable!("only what has two operands gets another"),
            (Instead::Node(used), _) if is_boolean(*node) => self.differs(*node, self.truth(*used)),
            (Instead::Node(used), _) => {
                let [used, own] = [*used, *node].map(|node| self.home(node));
                self.steps(|step| self.row(step)[used] != self.row(step)[own])
            }
            (Instead::Delayed { at_first }, _) => self.moves(*node, *at_first),
        };
        infected & all
    }

    fn truth(&self, node: NodeId) -> (Steps, Steps) {
        self.truths[self.home(node)]
    }

    fn differs(&self, node: NodeId, other: (Steps, Steps)) -> Steps {
        let own = self.truth(node);
        (own.0 ^ other.0) | !own.1 | !other.1
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

fn all_if(value: bool) -> Steps {
    0_u64.wrapping_sub(u64::from(value))
}

/// An operator on truth values, where both are known.
fn join(
    op: BinaryOp,
    (a, a_known): (Steps, Steps),
    (b, b_known): (Steps, Steps),
) -> (Steps, Steps) {
    let value = match op {
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor | BinaryOp::Ne => a ^ b,
        BinaryOp::Implies => !a | b,
        BinaryOp::Eq => !(a ^ b),
        _ => unreachable!("`{}` does not join truth values", op.symbol()),
    };
    (value, a_known & b_known)
}
