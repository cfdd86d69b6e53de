//! The rules by which outcomes of repeated runs become verdicts, and what a whole suite costs by them.
//!
//! Every command and the study take their rules from here. `two-stage` and `sequential` share a
//! probability of error among all hypotheses of a suite, so that a right system fails *any* test of it
//! no more often than that; hypotheses need not be independent. `published` is the rule of STUIOS
//! (section 5.4), which judges each test for itself.

use provoke_results::OracleWord;
use provoke_stats::{ConfidenceInterval, CountTest, InvalidArgument, clopper_pearson};
use serde::{Deserialize, Serialize};

use crate::timed_tests::timed_test::{Probability, TimedSuite};

/// What may be chosen about the verdicts of a suite.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct SuiteOracle {
    /// The kind of rule.
    pub kind: OracleWord,
    /// How often a right system may fail any test of a suite.
    pub suite_error: f64,
    /// How far the system's probabilities may be from the model's without being wrong.
    pub margin: f64,
    /// Sequential: the difference of probabilities that is to be found.
    pub difference: f64,
    /// Published: how sure the system's interval is, between 0 and 1.
    pub confidence: f64,
    /// Published: how wide the system's interval may be at the end.
    pub width: f64,
    /// Sequential and published: the most runs of a test; 1000 and 100 if nothing is said.
    pub most: Option<u64>,
}

impl Default for SuiteOracle {
    fn default() -> SuiteOracle {
        SuiteOracle {
            kind: OracleWord::TwoStage,
            suite_error: 0.0025,
            margin: 0.0,
            difference: 0.2,
            confidence: 0.95,
            width: 0.1,
            most: None,
        }
    }
}

/// A number of runs, and how often a right system may look wrong after them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stage {
    /// The runs.
    pub runs: u64,
    /// The probability of error for one hypothesis.
    pub level: f64,
}

/// What hypotheses allow for beside chance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Allowance {
    /// One minus the confidence of intervals that stand for probabilities the model's runs estimate.
    pub estimate_error: f64,
    /// How far the system may be from the model.
    pub margin: f64,
}

/// How outcomes of one test become a verdict.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum VerdictRule {
    /// Few runs for all; what looks wrong after them is repeated with many fresh runs.
    TwoStage {
        /// The runs that all hypotheses see.
        first: Stage,
        /// Those that only suspects see.
        second: Stage,
        /// What is allowed for beside chance.
        allowance: Allowance,
    },
    /// Sequential probability ratio tests.
    Sequential {
        /// The difference that is to be found.
        difference: f64,
        /// How often a right system may look wrong, for one hypothesis.
        level: f64,
        /// How often such a difference may be missed.
        beta: f64,
        /// The most runs.
        most: u64,
        /// What is allowed for beside chance.
        allowance: Allowance,
    },
    /// Whether intervals overlap.
    Published {
        /// One minus the confidence of the system's interval.
        alpha: f64,
        /// How wide it may be at the end.
        width: f64,
        /// The most runs.
        most: u64,
    },
}

/// The runs that all hypotheses see, and how often a right one becomes a suspect.
const FIRST: Stage = Stage { runs: 100, level: 0.05 };
/// The fresh runs for suspects.
const SECOND_RUNS: u64 = 1000;
/// How often a sequential test may miss the difference.
const MISSED: f64 = 0.01;
/// Half of the width of the model's intervals in the literature.
const PUBLISHED_HALF: f64 = 0.05;
/// The part of the suite's error that goes to estimates of the model's own probabilities, if there are
/// any.
const ESTIMATES_SHARE: f64 = 0.4;

/// The hypotheses of a suite: the outputs of each test with each of its sequences and, if it has one,
/// of both together.
pub fn hypotheses(suite: &TimedSuite) -> u64 {
    known(suite).count() as u64
}

fn known(suite: &TimedSuite) -> impl Iterator<Item = &Probability> {
    suite.tests.iter().flat_map(|test| {
        let alone = std::iter::repeat_n(test.probability.as_ref(), test.uios.len().max(1));
        alone.flatten().chain(test.uios.iter().filter_map(|uio| uio.joint.as_ref()))
    })
}

impl SuiteOracle {
    /// The rule for each test of a suite.
    pub fn rule(&self, suite: &TimedSuite) -> VerdictRule {
        let estimated = known(suite).any(|probability| probability.exact.is_none());
        self.rule_for(hypotheses(suite), estimated)
    }

    /// The rule for each test of a suite with so many hypotheses, some of which may be estimated.
    pub fn rule_for(&self, hypotheses: u64, estimated: bool) -> VerdictRule {
        let share = if estimated { ESTIMATES_SHARE } else { 0.0 };
        let each = self.suite_error / hypotheses.max(1) as f64;
        let (estimate_error, level) = (each * share, each * (1.0 - share));
        let allowance = Allowance { estimate_error, margin: self.margin };
        match self.kind {
            OracleWord::TwoStage => {
                // Both stages are wrong about the same hypothesis with the product of their levels.
                let second = (level / FIRST.level).min(FIRST.level);
                let second = Stage { runs: SECOND_RUNS, level: second };
                VerdictRule::TwoStage { first: FIRST, second, allowance }
            }
            OracleWord::Sequential => VerdictRule::Sequential {
                difference: self.difference,
                level,
                beta: MISSED,
                most: self.most.unwrap_or(1000),
                allowance,
            },
            OracleWord::Published => VerdictRule::Published {
                alpha: 1.0 - self.confidence,
                width: self.width,
                most: self.most.unwrap_or(100),
            },
        }
    }
}

impl Allowance {
    /// Where a right system's probability lies.
    fn expected(&self, known: &Probability) -> Result<ConfidenceInterval, InvalidArgument> {
        let ConfidenceInterval { low, high } = match known.exact {
            Some(p) => ConfidenceInterval { low: p, high: p },
            None => clopper_pearson(known.successes, known.runs, self.estimate_error)?,
        };
        Ok(widened(low, high, self.margin))
    }
}

fn widened(low: f64, high: f64, by: f64) -> ConfidenceInterval {
    ConfidenceInterval { low: (low - by).max(0.0), high: (high + by).min(1.0) }
}

impl VerdictRule {
    /// What a system is compared with of which the model knows a probability.
    pub fn expected(&self, known: &Probability) -> Result<ConfidenceInterval, InvalidArgument> {
        match self {
            VerdictRule::TwoStage { allowance, .. } | VerdictRule::Sequential { allowance, .. } => {
                allowance.expected(known)
            }
            VerdictRule::Published { .. } => {
                Ok(widened(known.point(), known.point(), PUBLISHED_HALF))
            }
        }
    }

    /// The most runs of a test.
    pub fn most_runs(&self) -> u64 {
        match self {
            VerdictRule::TwoStage { first, second, .. } => first.runs + second.runs,
            VerdictRule::Sequential { most, .. } | VerdictRule::Published { most, .. } => *most,
        }
    }

    /// About how many runs a test takes on a right system, with one hypothesis or two.
    pub fn usual_runs(&self, hypotheses: u64) -> f64 {
        match self {
            VerdictRule::TwoStage { first, second, .. } => {
                let suspect = (hypotheses as f64 * first.level).min(1.0);
                first.runs as f64 + suspect * second.runs as f64
            }
            VerdictRule::Sequential { most, .. } | VerdictRule::Published { most, .. } => {
                *most as f64
            }
        }
    }

    /// The least difference, in hundredths, that is found with this probability in one test whose
    /// outputs are due in half of all runs, where differences are hardest to see; nothing if there is
    /// none, or no promise.
    pub fn finds(&self, power: f64) -> Option<f64> {
        match self {
            VerdictRule::TwoStage { first, second, allowance } => {
                let expected = widened(0.5, 0.5, allowance.margin);
                let test = |stage: &Stage| CountTest::new(expected, stage.runs, stage.level).ok();
                let (first, second) = (test(first)?, test(second)?);
                let found = |hundredths: &u32| {
                    let p = 0.5 + f64::from(*hundredths) / 100.0;
                    let both = first.power(p).ok().zip(second.power(p).ok());
                    both.is_some_and(|(first, second)| first * second >= power)
                };
                (1..=50).find(found).map(|hundredths| f64::from(hundredths) / 100.0)
            }
            VerdictRule::Sequential { difference, beta, .. } => {
                (1.0 - beta >= power).then_some(*difference)
            }
            VerdictRule::Published { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probability that a right system fails a suite of exact hypotheses, by adding up.
    fn suite_error(hypotheses: u64, p: f64) -> f64 {
        let rule = SuiteOracle::default().rule_for(hypotheses, false);
        let VerdictRule::TwoStage { first, second, .. } = rule else { unreachable!() };
        let point = ConfidenceInterval { low: p, high: p };
        let wrong = |stage: Stage| {
            CountTest::new(point, stage.runs, stage.level).unwrap().power(p).unwrap()
        };
        hypotheses as f64 * wrong(first) * wrong(second)
    }

    #[test]
    fn two_stages_keep_the_error_of_the_whole_suite() {
        for hypotheses in [1, 2, 10, 311, 1000, 100_000] {
            for p in [0.0, 0.03, 0.5, 0.9, 0.999, 1.0] {
                let error = suite_error(hypotheses, p);
                assert!(error <= 0.0025, "{hypotheses} hypotheses at {p}: {error}");
            }
        }
    }

    #[test]
    fn a_difference_of_a_fifth_is_found_in_suites_of_any_size() {
        for hypotheses in [10, 100, 1000] {
            let rule = SuiteOracle::default().rule_for(hypotheses, false);
            assert!(rule.finds(0.93).is_some_and(|least| least <= 0.2), "{hypotheses}");
        }
    }

    #[test]
    fn estimates_of_the_model_are_compared_by_the_nearer_end() {
        let rule = SuiteOracle::default().rule_for(100, true);
        let interval = ConfidenceInterval::ALL;
        let known = Probability { interval, exact: None, runs: 10_000, successes: 5_000 };
        let expected = rule.expected(&known).unwrap();
        assert!(expected.low < 0.48 && expected.low > 0.47, "{expected:?}");
        let exact = Probability { exact: Some(0.5), ..known };
        assert_eq!(rule.expected(&exact).unwrap(), ConfidenceInterval { low: 0.5, high: 0.5 });
    }
}
