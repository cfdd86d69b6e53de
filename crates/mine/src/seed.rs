//! The published method: runs become a machine over outputs, whose terminal states are extended
//! (Bokil, "Generating effective test suites for reactive systems using specification mining",
//! 2014, algorithms 1 to 6). Kept as it is described, as the reference that others are compared to.

use std::collections::{BTreeMap, BTreeSet};

use provoke_base::Random;

use crate::compile::MiningError;
use crate::random_search::random_test;
use crate::run::{ProgramRun, StepFailure, Vector};
use crate::search::{HANG_COST, InputSequence, SearchContext, SearchResult, StepBudget};

/// The tests that the method starts from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Initial {
    /// So many random tests of so many vectors.
    Random(usize, usize),
    /// A suite of the user.
    Given(Vec<InputSequence>),
}

impl Initial {
    /// What the text of the publication says.
    pub const PUBLISHED: Initial = Initial::Random(100, 100);
}

/// The merged machine, as far as the method needs it.
#[derive(Default)]
struct Specification {
    states: BTreeMap<Vector, usize>,
    /// For each state, a test and how many of its vectors reach it, and whether an edge leaves it.
    reached: Vec<(usize, usize, bool)>,
    transitions: BTreeSet<(usize, usize, usize)>,
    inputs: BTreeMap<Vector, usize>,
    known_inputs: Vec<Vector>,
    /// States without an edge that leaves them; kept sorted so that choices can be repeated.
    terminal: BTreeSet<usize>,
}

impl Specification {
    fn state(&mut self, outputs: &Vector, test: usize, length: usize) -> usize {
        let next = self.reached.len();
        let state = *self.states.entry(outputs.clone()).or_insert(next);
        if state == next {
            self.reached.push((test, length, false));
            self.terminal.insert(state);
        }
        state
    }

    fn input(&mut self, vector: &Vector) -> usize {
        let next = self.known_inputs.len();
        let input = *self.inputs.entry(vector.clone()).or_insert(next);
        if input == next {
            self.known_inputs.push(vector.clone());
        }
        input
    }

    /// Algorithms 3 and 4: the run as a chain of states, merged by equal outputs.
    fn merge(&mut self, number: usize, test: &[Vector], run: &ProgramRun) {
        let mut source = self.state(&run.initial, number, 0);
        for (step, (vector, outputs)) in test.iter().zip(&run.outputs).enumerate() {
            let input = self.input(vector);
            let target = self.state(outputs, number, step + 1);
            self.transitions.insert((source, input, target));
            self.reached[source].2 = true;
            self.terminal.remove(&source);
            source = target;
        }
    }
}

/// The method of the publication, without its reduction.
pub fn seed_search(
    setting: &mut SearchContext<'_>,
    initial: &Initial,
    work: &mut StepBudget<'_>,
) -> Result<SearchResult, MiningError> {
    let mut random = Random::for_part(setting.seed, "mine");
    let mut found = SearchResult::default();
    let mut known = BTreeSet::new();
    let mut specification = Specification::default();
    let mut pending: Vec<InputSequence> = match initial {
        Initial::Random(tests, vectors) => {
            (0..*tests).map(|_| random_test(setting, &mut random, *vectors)).collect()
        }
        Initial::Given(tests) => tests.clone(),
    };
    loop {
        for test in pending.drain(..) {
            if !work.take(setting.subject.cost(test.len())) {
                break;
            }
            let run = setting.subject.run(&test)?;
            if let Some(stop) = &run.stop {
                if *stop == StepFailure::Hang {
                    work.take(HANG_COST);
                }
                let last = run.outputs.last().unwrap_or(&run.initial);
                found.stopped(
                    &mut known,
                    stop,
                    last,
                    &test[..test.len().min(run.outputs.len() + 1)],
                );
            }
            let test = test[..run.outputs.len().min(test.len())].to_vec();
            specification.merge(found.tests.len(), &test, &run);
            found.tests.push(test);
        }
        // Algorithm 5: a random terminal state, and a random known vector.
        let terminal: Vec<usize> = specification.terminal.iter().copied().collect();
        if terminal.is_empty() || specification.known_inputs.is_empty() || !work.take(1) {
            break;
        }
        let (test, length, _) = specification.reached[*random.pick(&terminal)];
        let mut extended = found.tests[test][..length].to_vec();
        extended.push(random.pick(&specification.known_inputs).clone());
        pending.push(extended);
    }
    found.tests.retain(|test| !test.is_empty());
    found.states = specification.reached.len();
    found.steps = work.done;
    Ok(found)
}

/// Algorithm 6: the longest tests first; a test stays if it shows a new state, or the first
/// transition between two states. A test is read up to its first novelty and no further.
pub fn seed_reduction(tests: &[(InputSequence, ProgramRun)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..tests.len()).collect();
    order.sort_by_key(|&test| std::cmp::Reverse(tests[test].0.len()));
    let mut states: BTreeSet<&Vector> = BTreeSet::new();
    let mut connected: BTreeSet<(&Vector, &Vector)> = BTreeSet::new();
    let mut kept = Vec::new();
    for test in order {
        let run = &tests[test].1;
        let mut source = &run.initial;
        let mut novel = states.insert(source);
        for target in &run.outputs {
            if novel {
                break;
            }
            let new_state = states.insert(target);
            let new_transition = connected.insert((source, target));
            novel = new_state || new_transition;
            source = target;
        }
        if novel {
            kept.push(test);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(outputs: &[i64]) -> (InputSequence, ProgramRun) {
        let vectors: Vec<Vector> = outputs.iter().map(|output| vec![*output]).collect();
        let run =
            ProgramRun { initial: vec![0], outputs: vectors.clone(), ..ProgramRun::default() };
        (vectors, run)
    }

    #[test]
    fn reduction_reads_a_test_up_to_its_first_novelty() {
        // The longest test brings the initial state; no more of it is read. The next two show the
        // same transition; the last one shows a state that only the first, unread, had shown.
        let tests = [test(&[1, 2, 3]), test(&[1, 1]), test(&[1]), test(&[2])];
        assert_eq!(seed_reduction(&tests), [0, 1, 3]);
    }
}
