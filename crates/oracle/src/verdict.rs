//! Verdicts from repeated runs: a completed test meets a system, simulated or real, as often as a
//! rule demands, and what is seen is compared with what the model makes probable. Outputs that no
//! run of the model shows fail at once.

pub(crate) mod judge;
mod judged;
mod score;
pub(crate) mod session;
mod stand;
pub(crate) mod subject;

pub use judge::{Decided, Evidence, Judge, Outcome, Rule};
pub use judged::JudgedTest;
pub use score::{Bench, Oracle, Tally, is_certain};
pub use session::{Session, Verdict};
pub use stand::{MutantTrial, TestStand, TestedSystem, Variant};
pub use subject::{Reached, Simulated, Subject, Trouble, signals};
