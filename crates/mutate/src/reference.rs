//! The slow, obvious scorer: every mutant is a system of its own, run by the reference
//! interpreter. What is fast is tested against it.

use provoke_model::{System, Value, VarId};
use provoke_sim::{RunCheck, Simulator};

use crate::mutant::Mutant;
use crate::score::{KillMoment, MutantFate, Score, TestInputs};

/// What becomes of a mutant on the tests.
pub fn score(system: &System, mutant: &Mutant, tests: &[TestInputs], monitored: &[VarId]) -> Score {
    let mutated = mutant.apply(system);
    let mut score = Score { fate: MutantFate::Survived, kills: Vec::new() };
    for (test, steps) in tests.iter().enumerate() {
        let end = run(system, &mutated, steps, monitored);
        if let MutantRunEnd::Killed(step) = end {
            score.kills.push(KillMoment { test, step });
        }
        if let (MutantRunEnd::Faulted(step), MutantFate::Survived) = (end, score.fate) {
            score.fate = MutantFate::Faulted(KillMoment { test, step });
        }
    }
    if let Some(first) = score.kills.first() {
        score.fate = MutantFate::Killed(*first);
    }
    score
}

/// How the run of a mutant beside the original ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MutantRunEnd {
    /// They differ in this step.
    Killed(usize),
    /// The mutant has no values in this step.
    Faulted(usize),
    /// They never differ.
    Alike,
}

/// Runs a mutated system beside the original, as long as that is in a run.
pub fn run(
    original: &System,
    mutated: &System,
    steps: &[Vec<Value>],
    monitored: &[VarId],
) -> MutantRunEnd {
    let (mut one, mut other) = (Simulator::new(original), Simulator::new(mutated));
    let inside = RunCheck::new(original).steps(steps);
    for (index, row) in steps[..inside].iter().enumerate() {
        if one.step(row).is_err() {
            break;
        }
        if other.step(row).is_err() {
            return MutantRunEnd::Faulted(index + 1);
        }
        let differs = |var: &VarId| {
            let (a, b) = (&one.values()[*var], &other.values()[*var]);
            a.is_known() && b.is_known() && a != b
        };
        if monitored.iter().any(differs) {
            return MutantRunEnd::Killed(index + 1);
        }
    }
    MutantRunEnd::Alike
}
