//! Mutants and what is known of them, as the results that programs read.

use provoke_results::{Schema, TimedMutantResult, TimedMutantWord, TimedMutate};

use crate::mutants::equivalence::MutantStatus;
use crate::mutants::mutant::TimedMutant;
use crate::timed_tests::timed_test::TimedSuite;

/// The mutants of a model, with what is known of them before a test is run.
pub fn mutants_result(model: &str, mutants: &[TimedMutant], known: &[MutantStatus]) -> TimedMutate {
    let listed = |(mutant, known): (&TimedMutant, &MutantStatus)| {
        let (outcome, status) = standing(known);
        let (id, operator) = (mutant.id, mutant.operator.word().to_string());
        TimedMutantResult { id, operator, text: mutant.text.clone(), outcome, status }
    };
    let list: Vec<TimedMutantResult> = mutants.iter().zip(known).map(listed).collect();
    let count = |word| list.iter().filter(|mutant| mutant.outcome == word).count();
    TimedMutate {
        schema: Schema::default(),
        model: model.to_string(),
        mutants: list.len(),
        duplicate: count(TimedMutantWord::Duplicate),
        equivalent: count(TimedMutantWord::Equivalent),
        killed: None,
        survived: None,
        percent: None,
        percent_nonequivalent: None,
        list,
    }
}

fn standing(known: &MutantStatus) -> (TimedMutantWord, String) {
    match known {
        MutantStatus::Open => (TimedMutantWord::Open, "open".to_string()),
        MutantStatus::Duplicate(other) => {
            (TimedMutantWord::Duplicate, format!("duplicate of {other}"))
        }
        MutantStatus::Equivalent(why) => {
            (TimedMutantWord::Equivalent, format!("equivalent: {why}"))
        }
    }
}

/// Notes for each mutant that was open which test of a suite kills it, by position.
pub fn note_killers(result: &mut TimedMutate, killers: &[Option<usize>], suite: &TimedSuite) {
    let open = result.list.iter_mut().filter(|mutant| mutant.outcome == TimedMutantWord::Open);
    for (mutant, killer) in open.zip(killers) {
        (mutant.outcome, mutant.status) = match killer {
            Some(test) => {
                (TimedMutantWord::Killed, format!("killed by {}", suite.tests[*test].name))
            }
            None => (TimedMutantWord::Survived, "survived".to_string()),
        };
    }
    let (killed, all) = (killers.iter().flatten().count(), killers.len());
    let percent = |of: usize| (of > 0).then(|| 100.0 * killed as f64 / of as f64);
    result.killed = Some(killed);
    result.survived = Some(all - killed);
    result.percent = percent(result.mutants - result.duplicate);
    result.percent_nonequivalent = percent(all);
}
