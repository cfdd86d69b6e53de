//! Values of an input that the program does not tell apart, as far as samples show: one of each class
//! stands for all.

use provoke_base::Random;

use crate::alphabet::Alphabet;
use crate::library::{LoadedProgram, SavedState};
use crate::run::Vector;

/// Walks through the program, and how long their vectors are held at most.
const WALKS: usize = 60;
const VECTORS: usize = 40;
const HOLD: usize = 24;
/// Every so many steps of a walk the values are compared.
const PAUSE: usize = 16;

/// An input with many values, and which of them begin a class.
struct Ladder {
    input: usize,
    values: Vec<i64>,
    begins: Vec<bool>,
}

/// The classes of values as far as they are known.
pub struct Classes<'a> {
    alphabet: &'a Alphabet,
    ladders: Vec<Ladder>,
    random: Random,
}

impl<'a> Classes<'a> {
    /// Classes from samples of states that random walks reach.
    pub fn sampled(program: &mut LoadedProgram, alphabet: &'a Alphabet, seed: u64) -> Classes<'a> {
        let ladder = |(input, values): (usize, Vec<i64>)| {
            let mut begins = vec![false; values.len()];
            begins[0] = true;
            Ladder { input, values, begins }
        };
        let ladders = alphabet.ladders().into_iter().map(ladder).collect();
        let mut classes = Classes { alphabet, ladders, random: Random::for_part(seed, "classes") };
        let mut out = Vector::new();
        for _ in 0..WALKS {
            program.reset();
            for step in 0..VECTORS {
                let vector = alphabet.vector(&mut classes.random);
                for _ in 0..=classes.random.below(HOLD) {
                    if program.step(&vector, &mut out).is_some() {
                        program.reset();
                    }
                }
                if step % PAUSE == 0 {
                    classes.compare(program, |_| {});
                }
            }
        }
        classes
    }

    /// The alphabet with one value for each class.
    pub fn representatives(&self) -> Alphabet {
        let first = |ladder: &Ladder| {
            let begins = ladder.values.iter().zip(&ladder.begins).filter(|(_, begins)| **begins);
            (ladder.input, begins.map(|(value, _)| *value).collect::<Vec<i64>>())
        };
        self.alphabet.with_values(self.ladders.iter().map(first).collect())
    }

    /// How many steps a comparison takes.
    pub fn cost(&self) -> usize {
        self.ladders.iter().map(|ladder| ladder.values.len()).sum()
    }

    /// From the state as it is, one step with each value of each input: a value that does something
    /// else than the one below it begins a class. True if a class is new; `fresh` is told of vectors
    /// that reach new code.
    pub fn compare(&mut self, program: &mut LoadedProgram, mut fresh: impl FnMut(&Vector)) -> bool {
        let (state, mut out) = (program.save(), Vector::new());
        let mut vector = self.alphabet.vector(&mut self.random);
        let mut found = false;
        for ladder in &mut self.ladders {
            let own = vector[ladder.input];
            let mut below: Option<(Vector, SavedState)> = None;
            for (value, begins) in ladder.values.iter().zip(&mut ladder.begins) {
                vector[ladder.input] = *value;
                program.restore(&state);
                let stopped = program.step(&vector, &mut out).is_some();
                if program.fresh() > 0 && !stopped {
                    fresh(&vector);
                }
                let now = (out.clone(), program.save());
                let differs = below.as_ref().is_some_and(|below| *below != now);
                found |= differs && !*begins;
                *begins |= differs;
                below = Some(now);
            }
            vector[ladder.input] = own;
        }
        program.restore(&state);
        found
    }
}
