//! Values of an input that the program does not tell apart, as far as samples show: one of each class
//! stands for all.

use provoke_base::Random;

use crate::alphabet::Alphabet;
use crate::library::LoadedProgram;
use crate::run::Vector;

/// Walks through the program, and how long their vectors are held at most.
const WALKS: usize = 60;
const VECTORS: usize = 40;
const HOLD: usize = 24;
/// Every so many steps of a walk the values are compared.
const PAUSE: usize = 16;

/// The alphabet with one value for each class of values that did the same in all samples.
pub fn representatives(program: &mut LoadedProgram, alphabet: &Alphabet, seed: u64) -> Alphabet {
    let mut random = Random::for_part(seed, "classes");
    let mut ladders: Vec<(usize, Vec<i64>, Vec<bool>)> = alphabet
        .ladders()
        .into_iter()
        .map(|(input, values)| {
            let cuts = vec![false; values.len()];
            (input, values, cuts)
        })
        .collect();
    for _ in 0..WALKS {
        program.reset();
        let mut out = Vector::new();
        for step in 0..VECTORS {
            let vector = alphabet.vector(&mut random);
            for _ in 0..=random.below(HOLD) {
                if program.step(&vector, &mut out).is_some() {
                    program.reset();
                }
            }
            if step % PAUSE == 0 {
                compare(program, alphabet, &mut ladders, &mut random);
            }
        }
    }
    let first = |(input, values, cuts): (usize, Vec<i64>, Vec<bool>)| {
        let kept =
            values.iter().zip(&cuts).enumerate().filter(|(place, (_, cut))| *place == 0 || **cut);
        (input, kept.map(|(_, (value, _))| *value).collect::<Vec<i64>>())
    };
    alphabet.with_values(ladders.into_iter().map(first).collect())
}

/// From the state as it is, one step with each value of each input: a value that does something
/// else than the one below it begins a class.
fn compare(
    program: &mut LoadedProgram,
    alphabet: &Alphabet,
    ladders: &mut [(usize, Vec<i64>, Vec<bool>)],
    random: &mut Random,
) {
    let (mut state, mut out, mut after) = (Vec::new(), Vector::new(), Vec::new());
    program.save(&mut state);
    let mut vector = alphabet.vector(random);
    for (input, values, cuts) in ladders {
        let own = vector[*input];
        let mut below: Option<(Vector, Vec<u8>, bool)> = None;
        for (place, value) in values.iter().enumerate() {
            vector[*input] = *value;
            program.restore(&state);
            let stopped = program.step(&vector, &mut out).is_some();
            program.save(&mut after);
            let now = (out.clone(), after.clone(), stopped);
            cuts[place] |= below.as_ref().is_some_and(|below| *below != now);
            below = Some(now);
        }
        vector[*input] = own;
    }
    program.restore(&state);
}
