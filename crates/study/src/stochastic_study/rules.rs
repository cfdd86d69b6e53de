//! The rules and faults that are compared, with their numbers.

use provoke_oracle::verdict::ScoredOracle;
use provoke_oracle::verdict::VerdictRule;

use crate::stochastic_study::faults::Judged;
use crate::stochastic_study::power::Way;

/// The rule of STUIOS with its numbers, against intervals of the width UPPAAL gives.
const OVERLAP: Way = Way { name: "overlap", rule: VerdictRule::OVERLAP, alpha: 0.05, half: 0.05 };
/// The same, but surer, for many tests at a time.
const SURER: Way =
    Way { name: "overlap 99.9 %", rule: VerdictRule::OVERLAP, alpha: 0.001, half: 0.05 };
/// The same against probabilities that are known exactly.
const POINT: Way =
    Way { name: "overlap, exact p", rule: VerdictRule::OVERLAP, alpha: 0.05, half: 0.0 };
/// Sequential tests with as few false alarms as overlap has at p = 0.5.
const SEQUENTIAL: Way = Way {
    name: "sequential",
    rule: VerdictRule::Sequential { difference: 0.2, beta: 0.01, most: 400 },
    alpha: 0.002,
    half: 0.0,
};
/// Sequential tests for many tests at a time.
const CAREFUL: Way = Way {
    name: "sequential, careful",
    rule: VerdictRule::Sequential { difference: 0.2, beta: 0.01, most: 400 },
    alpha: 1e-5,
    half: 0.0,
};

/// The rules whose power is shown, and those whose cost is.
pub(super) const POWER: [Way; 4] = [OVERLAP, POINT, SEQUENTIAL, CAREFUL];
pub(super) const COST: [Way; 5] = [OVERLAP, SURER, POINT, SEQUENTIAL, CAREFUL];
/// Probabilities of outputs of valid systems.
pub(super) const CERTAINTIES: [f64; 3] = [0.5, 0.9, 1.0];

/// Those who judge networks: one run each, and the rules.
pub(super) fn judges() -> impl Iterator<Item = (&'static str, Judged)> {
    let rule = |way: Way| {
        let oracle = ScoredOracle::Stochastic(way.rule, way.alpha);
        (way.name, Judged { oracle, half: way.half })
    };
    let simple = ("simple", Judged { oracle: ScoredOracle::Simple, half: 0.05 });
    std::iter::once(simple).chain([OVERLAP, SURER, SEQUENTIAL, CAREFUL].map(rule))
}

/// Ranges of width 1 that are longer or shorter by d: the word, d, and the probability of what a
/// valid system shows in the middle of its range.
pub(super) fn faults_of_size() -> impl Iterator<Item = (&'static str, f64, f64)> {
    let parts = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.375, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0];
    let both = |d: f64| [("longer", d, 0.5 / (1.0 + d)), ("shorter", d, 0.5 / (1.0 - d))];
    parts.into_iter().flat_map(both).filter(|(_, _, q)| (0.0..=1.0).contains(q))
}
