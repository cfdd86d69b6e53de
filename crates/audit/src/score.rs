//! The claims of `mutate`: killed and equivalent mutants.

use provoke_model::Value;

use crate::certificate::Subject;
use crate::claim::{Claim, Reason, State, Word};
use crate::folder::{MutantVerdict, Mutants, Suite};
use crate::instances::Model;
use crate::mutation::{first_difference, mutated};
use crate::replay::Replayed;

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
        let count =
            |status: &str| mutants.results.iter().filter(|mutant| mutant.status == status).count();
        let counted = (mutants.results.len(), count("killed"), count("equivalent"));
        let mut troubles = Vec::new();
        if counted != (mutants.mutants, mutants.killed, mutants.equivalent) {
            troubles.push("mutants.json: the totals are not those of the list".to_string());
        }
        for (test, replayed) in self.suite.tests.iter().zip(self.replayed) {
            if let Some(wrong) = &replayed.wrong {
                troubles.push(format!("test {}: {wrong}", test.name));
            }
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
            Some(found) if found == step => Ok(()),
            Some(found) => Err(format!("test {name} tells it in step {found}, not in step {step}")),
            None => Err(format!("test {name} does not tell it from the model")),
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
            None => State::Open(Subject::Equivalent(mutant.id.clone())),
        }
    }

    fn difference(&self, test: usize, changed: &Model) -> Option<usize> {
        let steps = self.suite.tests[test].steps[..self.replayed[test].steps].iter();
        let inputs: Vec<&[Value]> = steps.map(|step| step.inputs.as_slice()).collect();
        first_difference(self.model, changed, self.monitored, &inputs)
    }
}
