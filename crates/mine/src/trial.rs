//! Whether a program can be explored in this process: it must do the same again, and keep its state
//! where it can be saved.

use provoke_base::Random;

use crate::alphabet::Alphabet;
use crate::library::LoadedProgram;
use crate::run::{Effects, Vector};
use crate::search::{InputSequence, RunningProgram};

/// What was seen when the program was tried.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trial {
    /// Why it does not do the same again.
    pub unrepeatable: Option<String>,
    /// The most it did beside computing in a test.
    pub effects: Effects,
}

const TESTS: usize = 16;
const LENGTH: usize = 60;

fn tests(alphabet: &Alphabet, seed: u64) -> Vec<InputSequence> {
    let mut random = Random::for_part(seed, "trial");
    (0..TESTS).map(|_| (0..LENGTH).map(|_| alphabet.vector(&mut random)).collect()).collect()
}

fn worst(a: Effects, b: Effects) -> Effects {
    Effects {
        allocations: a.allocations.max(b.allocations),
        live: a.live.max(b.live),
        starts: a.starts.max(b.starts),
    }
}

/// What a test does beside computing, up to the first step that does any of it: memory and threads
/// that are taken here are not given back.
fn first_effects(program: &mut LoadedProgram, test: &InputSequence) -> Effects {
    program.reset();
    let mut out = Vector::new();
    for inputs in test {
        let stop = program.step(inputs, &mut out);
        let effects = program.effects();
        if stop.is_some() || effects.allocations > 0 || effects.starts > 0 {
            return effects;
        }
    }
    Effects::default()
}

/// Whether steps give the outputs that they gave before; only with the last one may the program end.
fn repeats(program: &mut LoadedProgram, test: &[Vector], expected: &[Vector]) -> bool {
    let (mut out, mut ended) = (Vector::new(), false);
    test.iter().zip(expected).all(|(inputs, expected)| {
        if ended {
            return false;
        }
        let stop = program.step(inputs, &mut out);
        ended = stop.is_some();
        !stop.is_some_and(|stop| stop.is_finding()) && out == *expected
    })
}

/// Tries a library: twice from the initial state, and twice from a state in the middle.
pub fn try_library(program: &mut LoadedProgram, alphabet: &Alphabet, seed: u64) -> Trial {
    let mut trial = Trial::default();
    for test in tests(alphabet, seed) {
        trial.effects = first_effects(program, &test);
        if trial.effects.allocations > 0 || trial.effects.starts > 0 {
            return trial;
        }
        let first = program.run(&test);
        let second = program.run(&test);
        if (&first.outputs, &first.stop) != (&second.outputs, &second.stop) {
            let step =
                first.outputs.iter().zip(&second.outputs).take_while(|(a, b)| a == b).count();
            trial.unrepeatable = Some(format!(
                "the same inputs give other outputs in step {} after a reset",
                step + 1
            ));
            return trial;
        }
        let length = first.outputs.len();
        let (head, tail) = test[..length].split_at(length / 2);
        program.run(head);
        let saved = program.save();
        for _ in 0..2 {
            program.restore(&saved);
            if !repeats(program, tail, &first.outputs[head.len()..]) {
                let other = "the same inputs give other outputs after its memory is restored";
                trial.unrepeatable = Some(other.to_string());
                return trial;
            }
        }
    }
    trial
}

/// Tries a program in processes of its own.
pub fn try_processes(
    subject: &mut RunningProgram,
    alphabet: &Alphabet,
    seed: u64,
) -> Result<Trial, crate::compile::MiningError> {
    let mut trial = Trial::default();
    for test in tests(alphabet, seed).into_iter().take(4) {
        let first = subject.run(&test)?;
        trial.effects = worst(trial.effects, first.effects);
        let second = subject.run(&test)?;
        if (&first.outputs, &first.stop) != (&second.outputs, &second.stop) {
            trial.unrepeatable =
                Some("the same inputs give other outputs in another process".to_string());
            return Ok(trial);
        }
    }
    Ok(trial)
}
