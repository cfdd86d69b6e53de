//! The same tests with fewer or more inputs that change: what the outputs do stays the same.

use std::sync::Arc;

use provoke_base::Random;
use provoke_model::{Suite, System, TestCase, Value};
use provoke_sim::{Dense, SimProgram, SimState};
use provoke_suite::FillPolicy;

/// How many inputs change from one step to the next, on average.
pub(crate) fn changes_per_step(suite: &Suite) -> f64 {
    let (mut changes, mut pairs) = (0, 0);
    for test in &suite.tests {
        for pair in test.steps.windows(2) {
            changes += count(&pair[0].inputs, &pair[1].inputs);
            pairs += 1;
        }
    }
    changes as f64 / f64::from(pairs.max(1))
}

fn count(before: &[Value], after: &[Value]) -> usize {
    before.iter().zip(after).filter(|(a, b)| a != b).count()
}

/// The suite with about so many changes per step: changes without effect on the outputs are taken
/// away or added at random. Where all have an effect, more remain.
pub(crate) fn with_changes(suite: &Suite, system: &System, wanted: u32, seed: u64) -> Suite {
    let mut fresh = suite.clone();
    for value in fresh.tests.iter_mut().flat_map(|t| &mut t.steps).flat_map(|s| &mut s.inputs) {
        *value = Value::Unknown;
    }
    provoke_suite::fill(&mut fresh, system, FillPolicy::Random(seed));
    let program = Arc::new(SimProgram::new(system));
    let mut result = suite.clone();
    for (test, fresh) in result.tests.iter_mut().zip(&fresh.tests) {
        let mut thinning = Thinning {
            dense: Dense::of(Arc::clone(&program)),
            system,
            random: Random::for_part(seed, &test.name),
            test,
            fresh,
        };
        thinning.adjust(wanted as usize);
    }
    result
}

struct Thinning<'a> {
    dense: Dense,
    system: &'a System,
    random: Random,
    test: &'a mut TestCase,
    fresh: &'a TestCase,
}

impl Thinning<'_> {
    /// Tries places at random until each step has about as many changes as wanted.
    fn adjust(&mut self, wanted: usize) {
        let steps = self.test.steps.len();
        self.dense.reset();
        for step in 1..steps {
            // What is before the step stays as it is.
            if self.dense.step(&self.test.steps[step - 1].inputs).is_err() {
                return;
            }
            let before = self.dense.state();
            let mut places: Vec<usize> = (0..self.system.inputs.len()).collect();
            for left in (1..places.len()).rev() {
                places.swap(left, self.random.below(left + 1));
            }
            for input in places {
                let now = count(&self.test.steps[step - 1].inputs, &self.test.steps[step].inputs);
                let value_before = self.test.steps[step - 1].inputs[input].clone();
                let value = self.test.steps[step].inputs[input].clone();
                if now > wanted && value != value_before {
                    self.replace(&before, step, input, value_before);
                } else if now < wanted && value == value_before {
                    let other = match value {
                        Value::Bool(value) => Value::Bool(!value),
                        _ => self.fresh.steps[step].inputs[input].clone(),
                    };
                    self.replace(&before, step, input, other);
                }
            }
            self.dense.restore(&before);
        }
    }

    /// Gives an input another value as long as it has the one it has, if no output minds.
    fn replace(&mut self, before: &SimState, step: usize, input: usize, value: Value) {
        let old = self.test.steps[step].inputs[input].clone();
        let same = self.test.steps[step..].iter().take_while(|s| s.inputs[input] == old).count();
        for step in &mut self.test.steps[step..step + same] {
            step.inputs[input] = value.clone();
        }
        if !self.as_before(before, step) {
            for step in &mut self.test.steps[step..step + same] {
                step.inputs[input] = old.clone();
            }
        }
    }

    /// Whether the outputs from a step on are still those of the test.
    fn as_before(&mut self, before: &SimState, step: usize) -> bool {
        self.dense.restore(before);
        self.test.steps[step..].iter().all(|step| {
            self.dense.step(&step.inputs).is_ok_and(|breaches| breaches.is_empty())
                && self
                    .system
                    .outputs
                    .iter()
                    .zip(&step.outputs)
                    .all(|(var, expected)| self.dense.var(*var).to_value() == *expected)
        })
    }
}
