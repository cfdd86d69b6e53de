//! Which obligations a test covers, measured on the graph.
//!
//! A tag travels from an occurrence to what uses it unmasked, and through `pre` to the next step;
//! it is seen when it reaches a monitored variable. Here that is asked backward: from the last
//! step to the first, and from users to what they use, which occurrences are seen from there on.

mod arrival;

use provoke_base::IndexVec;
use provoke_base::index::Id;
use provoke_model::{BinaryOp, Value};

use crate::graph::{CellId, Graph, Kind, NodeId};
use crate::obligations::{Host, Obligation, decision_tops, joins};
use crate::run::{Change, GraphRun};

/// When a condition of an `if` or an operand is taken for unmasked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Masking {
    /// The condition of an `if` matters when the branches differ.
    Strict,
    /// The condition of an `if` always matters.
    Original,
    /// As strict, but a left operand that decides alone always matters.
    ShortCircuit,
}

impl Masking {
    /// The reading that users call so.
    pub fn named(word: &str) -> Option<Masking> {
        match word {
            "strict" => Some(Masking::Strict),
            "original" => Some(Masking::Original),
            "short-circuit" => Some(Masking::ShortCircuit),
            _ => None,
        }
    }
}

/// What is changed to see whether it matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exact {
    /// The value in the one step in which it is exercised.
    Step,
    /// The value in all steps.
    Stuck,
}

/// How a suite is measured.
pub struct Measure<'g> {
    graph: &'g Graph,
    masking: Masking,
    exact: Option<Exact>,
    monitored: Vec<CellId>,
    tops: IndexVec<NodeId, bool>,
}

/// What has to be known of a step afterwards, one byte for each occurrence.
struct Frame {
    first: bool,
    bits: Vec<u8>,
}

const KNOWN: u8 = 1;
const TRUE: u8 = 2;
/// The branches of an `if` certainly differ.
const DIFFER: u8 = 4;
/// Seen from here on.
const SEEN: u8 = 8;
/// Alone in charge of its decision.
const DECIDES: u8 = 16;

impl<'g> Measure<'g> {
    /// A measure for what is monitored.
    pub fn new(
        graph: &'g Graph,
        masking: Masking,
        exact: Option<Exact>,
        monitored: Vec<CellId>,
    ) -> Measure<'g> {
        Measure { graph, masking, exact, monitored, tops: decision_tops(graph) }
    }

    /// The positions of the obligations that a test covers. A step that faults, and what follows,
    /// is no part of it.
    pub fn covered(&self, obligations: &[Obligation], steps: &[Vec<Value>]) -> Vec<usize> {
        if obligations.iter().all(|obligation| !obligation.criterion.observable) {
            return self.only_exercised(obligations, steps);
        }
        let mut run = GraphRun::new(self.graph);
        let (mut frames, mut shown) = (Vec::new(), Vec::new());
        for inputs in steps {
            if run.step(inputs, None).is_err() {
                break;
            }
            frames.push(self.frame(&run));
            shown.push(self.shown(&run));
        }
        self.look_back(&mut frames);
        let steps = &steps[..frames.len()];
        let mut covered: Vec<usize> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        for (at, obligation) in obligations.iter().enumerate() {
            if self.exact.is_some() && obligation.criterion.observable {
                open.push(at);
            } else if frames
                .iter()
                .any(|frame| base(obligation, frame) && self.seen(obligation, frame))
            {
                covered.push(at);
            }
        }
        match self.exact {
            Some(Exact::Step) => {
                let flips = Flips { measure: self, steps, frames: &frames, shown: &shown };
                covered.extend(flips.covered(obligations, open));
            }
            Some(Exact::Stuck) => covered.extend(open.into_iter().filter(|at| {
                let reached = frames.iter().position(|frame| base(&obligations[*at], frame));
                reached.is_some_and(|reached| self.stuck(&obligations[*at], steps, &shown, reached))
            })),
            None => {}
        }
        covered.sort_unstable();
        covered
    }

    /// The positions of the obligations that the last step of a run exercises, whether or not that is
    /// ever seen.
    pub fn exercised(&self, obligations: &[Obligation], run: &GraphRun<'_>) -> Vec<usize> {
        let mut frames = [self.frame(run)];
        self.look_back(&mut frames);
        let exercised = |at: &usize| base(&obligations[*at], &frames[0]);
        (0..obligations.len()).filter(exercised).collect()
    }

    /// The same where nothing has to be seen: no step has to be kept for later.
    fn only_exercised(&self, obligations: &[Obligation], steps: &[Vec<Value>]) -> Vec<usize> {
        let mut run = GraphRun::new(self.graph);
        let mut open: Vec<usize> = (0..obligations.len()).collect();
        let mut covered = Vec::new();
        for inputs in steps {
            if open.is_empty() || run.step(inputs, None).is_err() {
                break;
            }
            let mut frame = [self.frame(&run)];
            self.look_back(&mut frame);
            open.retain(|&at| {
                let reached = base(&obligations[at], &frame[0]);
                if reached {
                    covered.push(at);
                }
                !reached
            });
        }
        covered.sort_unstable();
        covered
    }

    /// The values of what is monitored.
    fn shown(&self, run: &GraphRun<'_>) -> Vec<Value> {
        self.monitored.iter().map(|cell| run.cell(*cell).clone()).collect()
    }

    /// Whether a monitored value certainly differs from what a run without the change shows.
    fn differs(&self, changed: &GraphRun<'_>, shown: &[Value]) -> bool {
        let values = self.monitored.iter().map(|cell| changed.cell(*cell));
        values.zip(shown).any(|(one, other)| certainly_differ(one, other))
    }

    /// Whether a run in which the occurrence always has the other value shows something else,
    /// in the step in which the obligation is reached or later.
    fn stuck(
        &self,
        obligation: &Obligation,
        steps: &[Vec<Value>],
        shown: &[Vec<Value>],
        reached: usize,
    ) -> bool {
        let change = Change { node: obligation.node, value: !obligation.outcome };
        let mut changed = GraphRun::new(self.graph);
        for (at, inputs) in steps.iter().enumerate() {
            if changed.step(inputs, Some(change)).is_err() {
                return false;
            }
            if at >= reached && self.differs(&changed, &shown[at]) {
                return true;
            }
        }
        false
    }

    fn frame(&self, run: &GraphRun<'_>) -> Frame {
        let mut bits = vec![0; self.graph.nodes.len()];
        for (node, found) in self.graph.nodes.entries() {
            let bit = &mut bits[node.index()];
            if let Some(truth) = run.truth(node) {
                *bit |= KNOWN | if truth { TRUE } else { 0 };
            }
            if let Kind::If(_, then, otherwise) = found.kind
                && let (Some(one), Some(other)) = (run.value(then), run.value(otherwise))
                && one.is_known()
                && other.is_known()
                && one != other
            {
                *bit |= DIFFER;
            }
        }
        Frame { first: run.steps() == 1, bits }
    }

    /// Marks what is seen from each step on, and what decides in it.
    fn look_back(&self, frames: &mut [Frame]) {
        let mut waiting = vec![false; self.graph.delays.len()];
        for frame in frames.iter_mut().rev() {
            for &cell in &self.monitored {
                if let Some(root) = self.graph.cells[cell].root {
                    frame.bits[root.index()] |= SEEN;
                }
            }
            for (&(_, operand), waits) in self.graph.delays.iter().zip(&waiting) {
                if *waits {
                    frame.bits[operand.index()] |= SEEN;
                }
            }
            for (top, _) in self.tops.entries().filter(|(_, is_top)| **is_top) {
                frame.bits[top.index()] |= DECIDES;
            }
            self.spread(frame);
            for (&(pre, _), waits) in self.graph.delays.iter().zip(&mut waiting) {
                *waits = frame.bits[pre.index()] & SEEN != 0;
            }
        }
    }

    /// From users to what they use.
    fn spread(&self, frame: &mut Frame) {
        self.last_computed_first().for_each(|node| self.spread_from(node, frame));
    }

    /// All occurrences, users before what they use.
    fn last_computed_first(&self) -> impl Iterator<Item = NodeId> + use<'g> {
        let Graph { promises, late, instant, .. } = self.graph;
        let instant = instant.iter().rev().flat_map(|needed| needed.iter().rev());
        let promises = promises.clone().rev().map(NodeId::new);
        promises.chain(late.iter().rev().chain(instant).copied())
    }

    fn spread_from(&self, node: NodeId, frame: &mut Frame) {
        let mut marks = frame.bits[node.index()] & (SEEN | DECIDES);
        if marks == 0 {
            return;
        }
        let kind = &self.graph.nodes[node].kind;
        if !joins(self.graph, node) {
            marks &= SEEN;
        }
        match kind {
            Kind::Use(cell) => {
                if let Some(root) = self.graph.cells[*cell].root {
                    frame.bits[root.index()] |= marks;
                }
            }
            // What is remembered is seen one step later.
            Kind::Pre(_) => {}
            _ => {
                for (position, operand) in kind.operands().enumerate() {
                    if self.unmasked(node, position, frame) {
                        frame.bits[operand.index()] |= marks;
                    }
                }
            }
        }
    }

    /// Whether an operand is certainly in charge of what it is part of.
    fn unmasked(&self, node: NodeId, position: usize, frame: &Frame) -> bool {
        let is = |node: NodeId, value: bool| truth(frame, node) == Some(value);
        match self.graph.nodes[node].kind {
            Kind::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies), left, right) => {
                // What the other operand must be, and what makes the left one decide alone.
                let (other, value) = match (op, position) {
                    (BinaryOp::And, 0) => (right, true),
                    (BinaryOp::And, _) => (left, true),
                    (BinaryOp::Or, 0) | (BinaryOp::Implies, 0) => (right, false),
                    (BinaryOp::Or, _) => (left, false),
                    _ => (left, true),
                };
                let alone = self.masking == Masking::ShortCircuit
                    && position == 0
                    && is(left, op == BinaryOp::Or);
                alone || is(other, value)
            }
            Kind::If(condition, ..) => match position {
                0 => self.masking == Masking::Original || frame.bits[node.index()] & DIFFER != 0,
                1 => is(condition, true),
                _ => is(condition, false),
            },
            Kind::Arrow(..) => frame.first == (position == 0),
            _ => true,
        }
    }

    /// Whether what the obligation asks to be seen is seen from this step on.
    fn seen(&self, obligation: &Obligation, frame: &Frame) -> bool {
        !obligation.criterion.observable || frame.bits[self.watched(obligation).index()] & SEEN != 0
    }

    /// What has to be seen: a condition is only asked to stand in an equation that is.
    fn watched(&self, obligation: &Obligation) -> NodeId {
        match obligation.criterion.host {
            Host::Condition => self.graph.cells[obligation.cell].root.expect("an equation"),
            _ => obligation.node,
        }
    }
}

/// Runs in which an occurrence has the other value in one step.
struct Flips<'a, 'g> {
    measure: &'a Measure<'g>,
    steps: &'a [Vec<Value>],
    frames: &'a [Frame],
    shown: &'a [Vec<Value>],
}

impl Flips<'_, '_> {
    /// Which of the `open` obligations a changed run shows.
    fn covered(&self, obligations: &[Obligation], mut open: Vec<usize>) -> Vec<usize> {
        let mut covered = Vec::new();
        let mut plain = GraphRun::new(self.measure.graph);
        for (at, inputs) in self.steps.iter().enumerate() {
            open.retain(|&position| {
                let obligation = &obligations[position];
                let shown = base(obligation, &self.frames[at]) && self.flip(obligation, &plain, at);
                if shown {
                    covered.push(position);
                }
                !shown
            });
            if plain.step(inputs, None).is_err() {
                break;
            }
        }
        covered
    }

    /// Changes the occurrence in step `at`, before which the plain run stands, and follows the
    /// changed run until it shows something else or is where the plain one is.
    fn flip(&self, obligation: &Obligation, plain: &GraphRun<'_>, at: usize) -> bool {
        let change = Change { node: obligation.node, value: !obligation.outcome };
        let (mut plain, mut changed) = (plain.clone(), plain.clone());
        for step in at..self.steps.len() {
            let inputs = &self.steps[step];
            let change = (step == at).then_some(change);
            if changed.step(inputs, change).is_err() || plain.step(inputs, None).is_err() {
                return false;
            }
            if self.measure.differs(&changed, &self.shown[step]) {
                return true;
            }
            if changed.remembers_like(&plain) {
                return false;
            }
        }
        false
    }
}

/// Whether two values are known and not the same.
pub fn certainly_differ(one: &Value, other: &Value) -> bool {
    one.is_known() && other.is_known() && one != other
}

fn truth(frame: &Frame, node: NodeId) -> Option<bool> {
    let bits = frame.bits[node.index()];
    (bits & KNOWN != 0).then_some(bits & TRUE != 0)
}

/// Whether the occurrence has the outcome and, for MC/DC, alone decides.
fn base(obligation: &Obligation, frame: &Frame) -> bool {
    truth(frame, obligation.node) == Some(obligation.outcome)
        && (obligation.criterion.host != Host::Mcdc
            || frame.bits[obligation.node.index()] & DECIDES != 0)
}
