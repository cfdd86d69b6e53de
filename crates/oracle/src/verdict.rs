//! Verdicts from repeated runs: a completed test meets a system, simulated or real, as often as a
//! rule demands, and what is seen is compared with what the model makes probable. Outputs that no
//! run of the model shows fail at once.

pub(crate) mod judge;
mod judged;
mod rule;
mod score;
pub(crate) mod session;
mod stand;
pub(crate) mod subject;

pub use judge::{Hit, Judge, RepeatedEvidence, RuleDecision, RuleOutcome};
pub use judged::JudgedTest;
pub use rule::{Allowance, Stage, SuiteOracle, VerdictRule, hypotheses};
pub use score::{Bench, ScoredOracle, Tally, is_certain};
pub use session::{OracleVerdict, RepeatedSession};
pub use stand::{MutantTrial, TestStand, TestedSystem, Variant};
pub use subject::{
    ConnectedSystem, SeenRun, SimulatedSystem, SystemError, SystemUnderTest, UnclearValue, signals,
};
