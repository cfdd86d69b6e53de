//! Random tests, the baseline: those that show something new are kept.

use std::collections::BTreeSet;

use provoke_base::Random;

use crate::compile::Trouble;
use crate::run::Stop;
use crate::search::{Behaviour, Found, HANG_COST, Setting, Subject, Test, Work};

/// The vectors of a random test.
const LENGTH: usize = 100;

/// A test of random vectors.
pub fn random_test(setting: &Setting<'_>, random: &mut Random, length: usize) -> Test {
    (0..length).map(|_| setting.alphabet.vector(random)).collect()
}

/// Runs random tests until there is no work left.
pub fn random_search(setting: &mut Setting<'_>, work: &mut Work<'_>) -> Result<Found, Trouble> {
    let mut random = Random::for_part(setting.seed, "random");
    let mut found = Found::default();
    let mut known = BTreeSet::new();
    let mut behaviour = Behaviour::default();
    if let Subject::Library(program) = setting.subject {
        program.forget();
    }
    while work.take(setting.subject.cost(LENGTH)) {
        let test = random_test(setting, &mut random, LENGTH);
        let run = setting.subject.run(&test)?;
        let mut novel = match setting.subject {
            Subject::Library(program) => program.fresh() > 0,
            _ => false,
        };
        let mut before = &run.initial;
        for after in &run.outputs {
            novel |= behaviour.note(before, after);
            before = after;
        }
        if let Some(stop) = &run.stop {
            if *stop == Stop::Hang {
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
