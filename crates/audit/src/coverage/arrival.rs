//! When tags arrive: the first step in which what is seen of an occurrence is seen.

use provoke_base::IndexVec;
use provoke_model::Value;

use super::{Frame, Measure, base};
use crate::graph::{Kind, NodeId};
use crate::obligations::Obligation;
use crate::run::GraphRun;

/// The first step, counted from 1, in which an occurrence of some step is seen.
type Arrivals = IndexVec<NodeId, Option<usize>>;

impl Measure<'_> {
    /// For each obligation the first step of a test, counted from 1, in which its tag is seen.
    pub fn arrivals(
        &self,
        obligations: &[&Obligation],
        steps: &[Vec<Value>],
    ) -> Vec<Option<usize>> {
        let mut run = GraphRun::new(self.graph);
        let mut frame = |inputs: &Vec<Value>| {
            run.step(inputs, None).ok()?;
            Some(self.frame(&run))
        };
        let mut frames: Vec<Frame> = steps.iter().map_while(&mut frame).collect();
        self.look_back(&mut frames);
        let mut first = vec![None; obligations.len()];
        let mut waiting = vec![None; self.graph.delays.len()];
        for (at, frame) in frames.iter().enumerate().rev() {
            let arrivals = self.seen_from(frame, at + 1, &waiting);
            for (first, obligation) in first.iter_mut().zip(obligations) {
                if base(obligation, frame) {
                    earlier(first, arrivals[self.watched(obligation)]);
                }
            }
            for (&(pre, _), waits) in self.graph.delays.iter().zip(&mut waiting) {
                *waits = arrivals[pre];
            }
        }
        first
    }

    /// When the occurrences of a step are seen; what is remembered, when it is waited for.
    fn seen_from(&self, frame: &Frame, step: usize, waiting: &[Option<usize>]) -> Arrivals {
        let graph = self.graph;
        let mut arrivals: Arrivals = IndexVec::repeat(None, graph.nodes.len());
        for root in self.monitored.iter().filter_map(|cell| graph.cells[*cell].root) {
            arrivals[root] = Some(step);
        }
        for (&(_, operand), waits) in graph.delays.iter().zip(waiting) {
            earlier(&mut arrivals[operand], *waits);
        }
        for node in self.last_computed_first() {
            let seen = arrivals[node];
            match &graph.nodes[node].kind {
                _ if seen.is_none() => {}
                Kind::Use(cell) => {
                    if let Some(root) = graph.cells[*cell].root {
                        earlier(&mut arrivals[root], seen);
                    }
                }
                Kind::Pre(_) => {}
                kind => {
                    for (position, operand) in kind.operands().enumerate() {
                        if self.unmasked(node, position, frame) {
                            earlier(&mut arrivals[operand], seen);
                        }
                    }
                }
            }
        }
        arrivals
    }
}

/// The earlier of two steps, where there is one.
fn earlier(known: &mut Option<usize>, other: Option<usize>) {
    *known = [*known, other].into_iter().flatten().min();
}
