//! Single steps from states that tests pass through, so that the machine shows more than what the
//! tests needed.

use provoke_base::Random;

use crate::alphabet::Alphabet;
use crate::library::LoadedProgram;
use crate::run::{StepFailure, Vector};
use crate::search::InputSequence;

/// A step that was seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeenStep {
    /// The outputs before it.
    pub before: Vector,
    /// Its inputs.
    pub inputs: Vector,
    /// The outputs after it.
    pub after: Vector,
}

/// States that are looked at, and the steps that are tried in each.
const STATES: usize = 600;
const TRIES: usize = 32;

/// Steps with random inputs from states along the tests.
pub fn survey(
    program: &mut LoadedProgram,
    alphabet: &Alphabet,
    tests: &[InputSequence],
    seed: u64,
) -> Vec<SeenStep> {
    let mut random = Random::for_part(seed, "survey");
    let mut seen = Vec::new();
    if tests.is_empty() {
        return seen;
    }
    let (mut before, mut after) = (Vector::new(), Vector::new());
    for _ in 0..STATES {
        let test = random.pick(tests);
        let length = random.below(test.len() + 1);
        if program.run(&test[..length]).stop.is_some() {
            continue;
        }
        let state = program.save();
        program.outputs(&mut before);
        for _ in 0..TRIES {
            let inputs = alphabet.vector(&mut random);
            program.restore(&state);
            match program.step(&inputs, &mut after) {
                None => {
                    seen.push(SeenStep { before: before.clone(), inputs, after: after.clone() })
                }
                // What hangs takes long, and was found before.
                Some(StepFailure::Hang) => return seen,
                Some(_) => {}
            }
        }
    }
    seen
}
