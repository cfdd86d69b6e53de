//! The expected values of tests that were read: compared with what the model computes, never overwritten.

use provoke_base::Error;
use provoke_criteria::Oracle;
use provoke_model::{Range, Suite, System, TestCase, Value, VarId};
use provoke_results::{ExpectationDifference, ExpectationsResult};
use provoke_sim::{RuntimeError, Simulator};

use crate::tests;

/// What tests expect, against what the model computes.
#[derive(Clone, Debug, Default)]
pub struct ExpectationCheck {
    /// How many values there were to compare.
    pub totals: ExpectationsResult,
    /// Where the two differ, in the order of the suite.
    pub differences: Vec<ExpectationDifference>,
}

/// Compares the expected values of a suite over all inputs of the model. A value that is left open is not
/// compared, and nothing is from the step on that leaves the assumptions.
pub fn check_expectations(suite: &Suite, system: &System) -> ExpectationCheck {
    let expected = suite.outputs.iter().map(|signal| system.var_named(&signal.name)).collect();
    let mut comparing = ComparedSuite { system, expected, found: ExpectationCheck::default() };
    suite.tests.iter().for_each(|test| comparing.run(test));
    comparing.found
}

struct ComparedSuite<'a> {
    system: &'a System,
    /// The variable of each output of the suite.
    expected: Vec<Option<VarId>>,
    found: ExpectationCheck,
}

impl ComparedSuite<'_> {
    /// Runs a test in the reference interpreter, as far as it expects something.
    fn run(&mut self, test: &TestCase) {
        let last = test.steps.iter().rposition(|step| step.outputs.iter().any(Value::is_known));
        let mut simulator = Simulator::new(self.system);
        let mut is_over = false;
        for at in 0..last.map_or(0, |last| last + 1) {
            if !is_over {
                is_over = !self.step(&mut simulator, test, at);
            }
            if is_over {
                self.found.totals.outside += self.wanted(test, at).count();
            }
        }
    }

    /// Does a step and compares it; false if the run has no such step.
    fn step(&mut self, simulator: &mut Simulator<'_>, test: &TestCase, at: usize) -> bool {
        match simulator.step(&test.steps[at].inputs) {
            Ok(breaches) if breaches.iter().any(|breach| breach.is_outside(self.system)) => false,
            Ok(_) => {
                self.compare(simulator, test, at);
                true
            }
            Err(error) => {
                self.fault(&error, test, at);
                false
            }
        }
    }

    /// What a step expects: the variables, and their values.
    fn wanted<'t>(
        &self,
        test: &'t TestCase,
        at: usize,
    ) -> impl Iterator<Item = (VarId, &'t Value)> + use<'t> {
        let expected = self.expected.clone().into_iter().zip(&test.steps[at].outputs);
        expected.filter_map(|(var, value)| Some((var.filter(|_| value.is_known())?, value)))
    }

    fn compare(&mut self, simulator: &Simulator<'_>, test: &TestCase, at: usize) {
        for (var, expected) in self.wanted(test, at) {
            let computed = &simulator.values()[var];
            match computed.is_known() {
                true => self.found.totals.compared += 1,
                false => self.found.totals.undefined += 1,
            }
            if computed.is_known() && computed != expected {
                let computed = self.show(computed, var);
                self.differs(test, at, var, expected, computed);
            }
        }
    }

    /// A step without values contradicts whoever expects one, unless it may be outside the assumptions: what
    /// cannot be computed does not tell whether they hold.
    fn fault(&mut self, error: &RuntimeError, test: &TestCase, at: usize) {
        let is_outside = !self.system.assumptions.is_empty()
            || self
                .inputs_with_ranges()
                .any(|(position, range)| !range.contains(&test.steps[at].inputs[position]));
        let first = self.wanted(test, at).next();
        if let (Some((var, expected)), false) = (first, is_outside) {
            let computed = format!("no value ({})", error.fault);
            self.differs(test, at, var, expected, computed);
        }
    }

    fn inputs_with_ranges(&self) -> impl Iterator<Item = (usize, &Range)> {
        let inputs = self.system.inputs.iter().enumerate();
        inputs.filter_map(|(at, var)| Some((at, self.system.vars[*var].range.as_ref()?)))
    }

    fn differs(
        &mut self,
        test: &TestCase,
        at: usize,
        var: VarId,
        expected: &Value,
        computed: String,
    ) {
        self.found.differences.push(ExpectationDifference {
            test: test.name.clone(),
            step: at + 1,
            variable: self.system.vars[var].name.clone(),
            expected: self.show(expected, var),
            computed,
        });
    }

    fn show(&self, value: &Value, var: VarId) -> String {
        value.show(self.system.vars[var].ty, &self.system.enums)
    }
}

/// Computes what is expected of what is monitored, wherever the first tests of `suite`, which are those of
/// `given`, do not say it themselves. What they expect of other variables stays, too.
pub fn complete_expectations(
    suite: &mut Suite,
    given: &Suite,
    system: &System,
    oracle: &Oracle,
) -> Result<(), Error> {
    tests::expect(suite, system, oracle)?;
    for (position, signal) in given.outputs.iter().enumerate() {
        let says =
            |test: &TestCase| test.steps.iter().any(|step| step.outputs[position].is_known());
        if !given.tests.iter().any(says) {
            continue;
        }
        let known = suite.outputs.iter().position(|output| output.name == signal.name);
        let column = known.unwrap_or_else(|| {
            suite.outputs.push(signal.clone());
            let steps = suite.tests.iter_mut().flat_map(|test| &mut test.steps);
            steps.for_each(|step| step.outputs.push(Value::Unknown));
            suite.outputs.len() - 1
        });
        for (test, said) in suite.tests.iter_mut().zip(&given.tests) {
            for (step, said) in test.steps.iter_mut().zip(&said.steps) {
                if said.outputs[position].is_known() {
                    step.outputs[column].clone_from(&said.outputs[position]);
                }
            }
        }
    }
    Ok(())
}
