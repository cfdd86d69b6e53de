//! Random tests, the baseline: those that show something new are kept.

use std::collections::BTreeSet;

use provoke_base::Random;

use crate::compile::MiningError;
use crate::run::StepFailure;
use crate::search::{
    Behaviour, HANG_COST, InputSequence, RunningProgram, SearchContext, SearchResult, StepBudget,
};

/// The vectors of a random test.
const LENGTH: usize = 100;

/// A test of random vectors.
pub fn random_test(
    setting: &SearchContext<'_>,
    random: &mut Random,
    length: usize,
) -> InputSequence {
    (0..length).map(|_| setting.alphabet.vector(random)).collect()
}

/// Runs random tests until there is no work left.
pub fn random_search(
    setting: &mut SearchContext<'_>,
    work: &mut StepBudget<'_>,
) -> Result<SearchResult, MiningError> {
    let mut random = Random::for_part(setting.seed, "random");
    let mut found = SearchResult::default();
    let mut known = BTreeSet::new();
    let mut behaviour = Behaviour::default();
    if let RunningProgram::Library(program) = setting.subject {
        program.forget();
    }
    while work.take(setting.subject.cost(LENGTH)) {
        let test = random_test(setting, &mut random, LENGTH);
        let run = setting.subject.run(&test)?;
        let mut novel = match setting.subject {
            RunningProgram::Library(program) => program.fresh() > 0,
            _ => false,
        };
        let mut before = &run.initial;
        for after in &run.outputs {
            novel |= behaviour.note(before, after);
            before = after;
        }
        if let Some(stop) = &run.stop {
            if *stop == StepFailure::Hang {
                work.take(HANG_COST);
            }
            let length = test.len().min(run.outputs.len() + 1);
            found.stopped(&mut known, stop, before, &test[..length]);
        }
        if novel {
            found.tests.push(test[..test.len().min(run.outputs.len())].to_vec());
        }
    }
    found.tests.retain(|test| !test.is_empty());
    found.steps = work.done;
    Ok(found)
}
