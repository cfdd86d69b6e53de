//! The rules and faults that are compared: the rules that the commands offer, with the numbers that
//! they have there.

use provoke_oracle::TimedSuite;
use provoke_oracle::verdict::{ScoredOracle, SuiteOracle};
use provoke_results::OracleWord;

use crate::stochastic_study::power::Way;

/// A rule of the commands with its defaults.
fn usual(kind: OracleWord) -> SuiteOracle {
    SuiteOracle { kind, ..SuiteOracle::default() }
}

fn two_stage() -> Way {
    Way { name: "two-stage", oracle: usual(OracleWord::TwoStage) }
}

fn sequential() -> Way {
    Way { name: "sequential", oracle: usual(OracleWord::Sequential) }
}

/// The rule of STUIOS with its numbers.
fn published() -> Way {
    Way { name: "published", oracle: usual(OracleWord::Published) }
}

/// The same, but surer, for many tests at a time.
fn published_surer() -> Way {
    let oracle = SuiteOracle { confidence: 0.999, ..published().oracle };
    Way { name: "published 99.9 %", oracle }
}

/// The rules whose power is shown.
pub(super) fn power() -> [Way; 3] {
    [two_stage(), sequential(), published()]
}

/// Those whose cost is.
pub(super) fn cost() -> [Way; 4] {
    [two_stage(), sequential(), published(), published_surer()]
}

/// Probabilities of outputs of valid systems.
pub(super) const CERTAINTIES: [f64; 3] = [0.5, 0.9, 1.0];

/// Those who judge networks with a suite: one run each, and the rules.
pub(super) fn judges(suite: &TimedSuite) -> impl Iterator<Item = (&'static str, ScoredOracle)> {
    let rule = |way: Way| (way.name, ScoredOracle::Stochastic(way.oracle.rule(suite)));
    let rules = cost().map(rule);
    std::iter::once(("simple", ScoredOracle::Simple)).chain(rules)
}

/// Ranges of width 1 that are longer or shorter by d: the word, d, and the probability of what a
/// valid system shows in the middle of its range.
pub(super) fn faults_of_size() -> impl Iterator<Item = (&'static str, f64, f64)> {
    let parts = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.375, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0];
    let both = |d: f64| [("longer", d, 0.5 / (1.0 + d)), ("shorter", d, 0.5 / (1.0 - d))];
    parts.into_iter().flat_map(both).filter(|(_, _, q)| (0.0..=1.0).contains(q))
}
