//! What was found about tests and mutants, as the results that programs read.

use provoke_results::{
    ChanceResult, CompletedResult, EvidenceResult, Schema, SequenceResult, SequenceWord,
    TimedMutantResult, TimedMutantWord, TimedMutate, TimedVerdict, TimedVerdictWord, Word,
};
use serde::{Deserialize, Serialize};

use crate::equivalence::Known;
use crate::judge::Evidence;
use crate::mutant::Mutant;
use crate::session::Verdict;
use crate::text::print_steps;
use crate::timed_test::{Probability, TimedSuite, TimedTest, Uio};

/// A completed test.
pub fn completed(test: &TimedTest) -> CompletedResult {
    let sequence = |uio: &Uio| SequenceResult {
        kind: SequenceWord::of(uio.kind.word()),
        steps: uio.steps.len(),
        excludes: uio.excludes.clone(),
        joint: chance(uio.joint.as_ref()),
    };
    CompletedResult {
        test: test.name.clone(),
        probability: chance(test.probability.as_ref()),
        uio: test.uios.iter().map(sequence).collect(),
        remark: test.remark.clone(),
    }
}

fn chance(probability: Option<&Probability>) -> ChanceResult {
    match probability {
        Some(Probability { interval, exact, runs, .. }) => {
            ChanceResult { low: interval.low, high: interval.high, exact: *exact, runs: *runs }
        }
        None => ChanceResult { low: 0.0, high: 1.0, exact: None, runs: 0 },
    }
}

/// The verdict of a test with one of its sequences.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct JudgedTest {
    /// The verdict.
    pub verdict: TimedVerdict,
    /// What was done and seen in a run that the model does not have, a line for each step.
    pub seen: Vec<String>,
}

impl JudgedTest {
    /// Describes what came of a test, `uio` being the position of the sequence behind it.
    pub fn new(test: &TimedTest, uio: Option<usize>, verdict: &Verdict) -> JudgedTest {
        let mut result = TimedVerdict {
            test: test.name.clone(),
            uio: uio.filter(|_| test.uios.len() > 1).map(|uio| uio + 1),
            verdict: TimedVerdictWord::of(verdict.word()),
            runs: verdict.runs(),
            unreliable: false,
            output: None,
            joint: None,
            dependent: None,
            reason: None,
        };
        let mut lines = Vec::new();
        match verdict {
            Verdict::Pass(decided) | Verdict::Fail(decided) => {
                result.unreliable = decided.unreliable;
                result.output = Some(evidence(&decided.test));
                result.joint = decided.joint.as_ref().map(evidence);
                result.dependent = decided.dependent;
            }
            Verdict::Illegal { seen, at, .. } => {
                let mut steps = String::new();
                print_steps(&mut steps, seen);
                lines = steps.lines().map(str::to_string).collect();
                let line = lines.get(*at).cloned().unwrap_or_default();
                result.reason = Some(format!("no run of the model shows step {}: {line}", at + 1));
            }
            Verdict::Error { trouble, .. } => {
                result.reason = Some(format!("{}; {}", trouble.reason, trouble.hint));
            }
        }
        JudgedTest { verdict: result, seen: lines }
    }
}

fn evidence(evidence: &Evidence) -> EvidenceResult {
    EvidenceResult {
        expected: [evidence.expected.low, evidence.expected.high],
        observed: [evidence.observed.low, evidence.observed.high],
        successes: evidence.successes,
        differs: evidence.differs,
    }
}

/// The mutants of a model, with what is known of them before a test is run.
pub fn mutants(model: &str, mutants: &[Mutant], known: &[Known]) -> TimedMutate {
    let listed = |(mutant, known): (&Mutant, &Known)| {
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

fn standing(known: &Known) -> (TimedMutantWord, String) {
    match known {
        Known::Open => (TimedMutantWord::Open, "open".to_string()),
        Known::Duplicate(other) => (TimedMutantWord::Duplicate, format!("duplicate of {other}")),
        Known::Equivalent(why) => (TimedMutantWord::Equivalent, format!("equivalent: {why}")),
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
