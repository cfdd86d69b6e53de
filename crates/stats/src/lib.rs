//! What is said about chance, and how surely: distributions, intervals for a probability,
//! rules for when to stop sampling, sequential tests, tests on samples.
//!
//! Everything here is a pure function of its arguments: nothing is read, printed or drawn
//! except from a generator that is handed in. Arguments outside a function's domain are an
//! [`InvalidArgument`], never a panic and never a NaN.
//!
//! Probabilities of error are called `alpha` as in the literature: `alpha` = 0.05 is a
//! confidence of 95 %. The values are compared with tables computed to forty digits, in
//! `testdata`; each function says how close it comes.

pub mod beta;
pub mod binomial;
mod compare;
mod count_test;
pub mod describe;
mod gamma;
mod independence;
mod invalid;
pub mod normal;
mod permutation;
mod proportion;
mod ranks;
mod sequential;
mod stopping;
mod walk;

pub use compare::PairedSprt;
pub use count_test::CountTest;
pub use gamma::{ln_choose, ln_gamma};
pub use independence::{RunsTest, autocorrelation, runs_test};
pub use invalid::InvalidArgument;
pub use permutation::{Arrangements, MeansTest, means_test};
pub use proportion::{ConfidenceInterval, clopper_pearson, hoeffding, hoeffding_runs, wilson};
pub use ranks::{Alternative, RankMethod, RankTest, mann_whitney, mann_whitney_by};
pub use sequential::{Decision, Deviation, Operation, Sprt, TwoSided};
pub use stopping::{Accuracy, Estimation, StoppingCoverage, StoppingRule, StoppingRuleKind};
