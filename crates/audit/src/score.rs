//! The claims of `mutate`: killed and equivalent mutants.

use std::collections::{BTreeMap, BTreeSet};

use provoke_model::Value;

use crate::certificate::Subject;
use crate::claim::{Claim, Reason, State, Word};
use crate::folder::{MutantVerdict, Mutants, Suite, Totals};
use crate::instances::Model;
use crate::mutation::{changes_nothing, first_difference, mutated};
use crate::replay::Replayed;

const FILE: &str = "mutants.json";

/// A model, a suite that was run again, and what is said of mutants.
pub(crate) struct Scored<'a> {
    pub(crate) model: &'a Model,
    pub(crate) text: &'a str,
    pub(crate) main: &'a str,
    pub(crate) monitored: &'a [String],
    pub(crate) assumptions: &'a [String],
    pub(crate) suite: &'a Suite,
    pub(crate) replayed: &'a [Replayed],
    pub(crate) stop: &'a dyn Fn() -> bool,
}

impl Scored<'_> {
    /// The claims of the results, and what is wrong with the list as a whole.
    pub(crate) fn claims(&self, mutants: &Mutants) -> (Vec<Claim>, Vec<String>) {
        let claims = mutants.results.iter().filter_map(|mutant| self.claim(mutant)).collect();
        let mut troubles = miscounted(mutants);
        let steps: usize = self.suite.tests.iter().map(|test| test.steps.len()).sum();
        if (mutants.tests, mutants.steps) != (self.suite.tests.len(), steps) {
            troubles.push(format!("{FILE}: the suite has another number of tests or steps"));
        }
        for (test, replayed) in self.suite.tests.iter().zip(self.replayed) {
            troubles.extend(replayed.troubles(&test.name));
        }
        (claims, troubles)
    }

    fn claim(&self, mutant: &MutantVerdict) -> Option<Claim> {
        let word = match mutant.status.as_str() {
            "killed" => Word::Killed,
            "equivalent" => Word::Equivalent,
            _ => return None,
        };
        let state = if (self.stop)() {
            State::Unconfirmed(Reason::Limit, "no time left".to_string())
        } else {
            match (mutated(self.text, self.main, self.assumptions, mutant), word) {
                // What cannot be read can be neither true nor false.
                (Err(why), _) => State::Unconfirmed(Reason::Uncertified, why),
                (Ok(_), _) if changes_nothing(self.text, mutant) => {
                    State::Refuted("its text is that of the model".to_string())
                }
                (Ok(changed), Word::Killed) => State::of(self.killed(mutant, &changed)),
                (Ok(changed), _) => self.equivalent(mutant, &changed),
            }
        };
        Some(Claim { word, id: mutant.id.clone(), state })
    }

    fn killed(&self, mutant: &MutantVerdict, changed: &Model) -> Result<(), String> {
        let name = mutant.test.as_ref().ok_or("no test is named")?;
        let step = mutant.step.ok_or("no step is named")?;
        let test = self.suite.tests.iter().position(|test| test.name == *name);
        let test = test.ok_or_else(|| format!("the suite has no test {name}"))?;
        if let Some(wrong) = &self.replayed[test].wrong {
            return Err(format!("test {name}: {wrong}"));
        }
        match self.difference(test, changed) {
            Some(found) if found == step => self.killed_by(mutant, changed),
            Some(found) => Err(format!("test {name} tells it in step {found}, not in step {step}")),
            None => Err(format!("test {name} does not tell it from the model")),
        }
    }

    /// Whether exactly the tests that are listed kill it, where they are.
    fn killed_by(&self, mutant: &MutantVerdict, changed: &Model) -> Result<(), String> {
        let Some(listed) = &mutant.killed_by else { return Ok(()) };
        for (position, test) in self.suite.tests.iter().enumerate() {
            let kills = self.difference(position, changed).is_some();
            if kills != listed.contains(&test.name) {
                let not = if kills { "" } else { "not " };
                return Err(format!("test {} does {not}kill it", test.name));
            }
        }
        let is_test = |name: &&String| self.suite.tests.iter().any(|test| test.name == **name);
        match listed.iter().find(|name| !is_test(name)) {
            Some(name) => Err(format!("the suite has no test {name}")),
            None => Ok(()),
        }
    }

    fn equivalent(&self, mutant: &MutantVerdict, changed: &Model) -> State {
        let told = (0..self.suite.tests.len())
            .find_map(|test| Some((test, self.difference(test, changed)?)));
        match told {
            Some((test, step)) => {
                let name = &self.suite.tests[test].name;
                State::Refuted(format!("test {name} tells it from the model in step {step}"))
            }
            None => State::Open(vec![Subject::Equivalent(mutant.id.clone())]),
        }
    }

    fn difference(&self, test: usize, changed: &Model) -> Option<usize> {
        let steps = self.suite.tests[test].steps[..self.replayed[test].steps].iter();
        let inputs: Vec<&[Value]> = steps.map(|step| step.inputs.as_slice()).collect();
        first_difference(self.model, changed, self.monitored, &inputs)
    }
}

/// What the list of mutants and the numbers about it do not agree in.
fn miscounted(mutants: &Mutants) -> Vec<String> {
    let mut troubles = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut counted = Totals::default();
    let mut by_operator: BTreeMap<&str, Totals> = BTreeMap::new();
    for mutant in &mutants.results {
        if !seen.insert(&mutant.id) {
            troubles.push(format!("{FILE}: `{}` is listed twice", mutant.id));
        }
        let row = by_operator.entry(&mutant.operator).or_default();
        if !(counted.count(&mutant.status) && row.count(&mutant.status)) {
            troubles.push(format!("{FILE}: `{}` is no status of `{}`", mutant.status, mutant.id));
        }
    }
    if counted != mutants.totals {
        troubles.push(format!("{FILE}: the totals are not those of the list"));
    }
    let told: BTreeMap<&str, Totals> =
        mutants.operators.iter().map(|row| (row.operator.as_str(), row.totals)).collect();
    if told != by_operator || told.len() != mutants.operators.len() {
        troubles.push(format!("{FILE}: the numbers of an operator are not those of the list"));
    }
    let Totals { mutants: all, invalid, killed, survived, .. } = counted;
    let shares =
        [(mutants.percent, all - invalid), (mutants.percent_nonequivalent, killed + survived)];
    if shares.into_iter().any(|(told, of)| !is_percentage(told, killed, of)) {
        troubles.push(format!("{FILE}: a percentage does not follow from the list"));
    }
    troubles
}

/// Whether a number is a part of a whole in per cent, cut to two digits; of nothing, all.
fn is_percentage(told: f64, part: usize, whole: usize) -> bool {
    let hundredths = (part * 10_000).checked_div(whole).unwrap_or(10_000);
    told == hundredths as f64 / 100.0
}

impl Totals {
    /// Counts a mutant; `false` if there is no such status.
    fn count(&mut self, status: &str) -> bool {
        let place = match status {
            "invalid" => &mut self.invalid,
            "killed" => &mut self.killed,
            "equivalent" => &mut self.equivalent,
            "survived" => &mut self.survived,
            _ => return false,
        };
        *place += 1;
        self.mutants += 1;
        true
    }
}
