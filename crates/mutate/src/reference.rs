//! The slow, obvious scorer: every mutant is a system of its own, run by the reference
//! interpreter. What is fast is tested against it.

use provoke_model::{System, Value, VarId};
use provoke_sim::{RunCheck, Simulator};

use crate::mutant::Mutant;
use crate::score::{Fate, Moment, Score, Test};

/// What becomes of a mutant on the tests.
pub fn score(system: &System, mutant: &Mutant, tests: &[Test], monitored: &[VarId]) -> Score {
    let mutated = mutant.apply(system);
    let mut score = Score { fate: Fate::Survived, kills: Vec::new() };
    for (test, steps) in tests.iter().enumerate() {
        let end = run(system, &mutated, steps, monitored);
        if let End::Killed(step) = end {
            score.kills.push(Moment { test, step });
        }
        if score.fate == Fate::Survived {
            score.fate = match end {
                End::Killed(step) => Fate::Killed(Moment { test, step }),
                End::Faulted(step) => Fate::Faulted(Moment { test, step }),
                End::Alike => Fate::Survived,
            };
        }
    }
    score
}

/// How the run of a mutant beside the original ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// They differ in this step.
    Killed(usize),
    /// The mutant has no values in this step.
    Faulted(usize),
    /// They never differ.
    Alike,
}

/// Runs a mutated system beside the original, as long as that is in a run.
pub fn run(original: &System, mutated: &System, steps: &[Vec<Value>], monitored: &[VarId]) -> End {
    let (mut one, mut other) = (Simulator::new(original), Simulator::new(mutated));
    let inside = RunCheck::new(original).steps(steps);
    for (index, row) in steps[..inside].iter().enumerate() {
        if one.step(row).is_err() {
            break;
        }
        if other.step(row).is_err() {
            return End::Faulted(index + 1);
        }
        let differs = |var: &VarId| {
            let (a, b) = (&one.values()[*var], &other.values()[*var]);
            a.is_known() && b.is_known() && a != b
        };
        if monitored.iter().any(differs) {
            return End::Killed(index + 1);
        }
    }
    End::Alike
}
