//! Completed tests, as the results that programs read.

use provoke_results::{ChanceResult, CompletedResult, SequenceResult, SequenceWord, Word};

use crate::timed_tests::timed_test::{Probability, TimedTest, Uio};

/// A completed test.
pub fn completed_result(test: &TimedTest) -> CompletedResult {
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
