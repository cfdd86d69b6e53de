//! Verdicts, as the results that programs read.

use provoke_results::{EvidenceResult, TimedVerdict, TimedVerdictWord, Word};
use serde::{Deserialize, Serialize};

use crate::timed_tests::text::print_steps;
use crate::timed_tests::timed_test::TimedTest;
use crate::verdict::judge::RepeatedEvidence;
use crate::verdict::session::OracleVerdict;

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
    pub fn new(test: &TimedTest, uio: Option<usize>, verdict: &OracleVerdict) -> JudgedTest {
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
            OracleVerdict::Pass(decided) | OracleVerdict::Fail(decided) => {
                result.unreliable = decided.unreliable;
                result.output = Some(evidence(&decided.test));
                result.joint = decided.joint.as_ref().map(evidence);
                result.dependent = decided.dependent;
            }
            OracleVerdict::Illegal { seen, at, .. } => {
                let mut steps = String::new();
                print_steps(&mut steps, seen);
                lines = steps.lines().map(str::to_string).collect();
                let line = lines.get(*at).cloned().unwrap_or_default();
                result.reason = Some(format!("no run of the model shows step {}: {line}", at + 1));
            }
            OracleVerdict::Error { trouble, .. } => {
                result.reason = Some(format!("{}; {}", trouble.reason, trouble.hint));
            }
        }
        JudgedTest { verdict: result, seen: lines }
    }
}

fn evidence(evidence: &RepeatedEvidence) -> EvidenceResult {
    EvidenceResult {
        expected: [evidence.expected.low, evidence.expected.high],
        observed: [evidence.observed.low, evidence.observed.high],
        successes: evidence.successes,
        unclear: evidence.unclear,
        runs: evidence.runs,
        suspected: evidence.suspected,
        differs: evidence.differs,
    }
}
