//! Studies: what is compared with what, and the tables of the literature.
//!
//! Each study is a function of plain options and a `Control`, by which the caller watches and ends the
//! work. It writes its tables into a folder, keeps finished cases there, and gives a result of
//! `provoke_results`: [`observability`] and [`incremental`] compare criteria and methods, [`platform`] ways
//! to execute tests behind delays, [`stochastic`] oracles under uncertain timing, and [`mining`] ways to
//! explore programs. Workers are asked for parts of them by a [`StudyRequest`].
//!
//! Below that, a study of criteria is a list of [`StudyCase`]s. For each of them tests are generated; [`SuitePool`]
//! makes of these many reduced suites and scores them, and the tables in [`tables`] stand on the
//! [`CaseOutcome`]s alone.

mod anatomy;
mod case;
mod cells;
mod compare;
mod criteria_study;
mod mining_study;
mod outcome;
mod placement;
mod platform_study;
mod pool;
mod request;
mod stochastic_study;
mod table;
pub mod tables;

pub use anatomy::Anatomy;
pub use case::{Group, ModelForm, StudyCase, incremental_cases, observability_cases};
pub use cells::{StudyCell, StudyCells};
pub use criteria_study::{
    CriteriaOptions, IncrementalOptions, ObservabilityOptions, incremental, observability,
};
pub use mining_study::{MiningOptions, mining};
pub use outcome::{CaseOutcome, MonitoredSet, ScoredSuite, Survivors, Totals};
pub use placement::Placement;
pub use platform_study::{PlatformOptions, SuiteText, platform};
pub use pool::{Kills, SuitePool, TestBeginning};
pub use request::StudyRequest;
pub use stochastic_study::{StochasticOptions, stochastic};
pub use table::Table;

/// A study that came to its end.
#[derive(Clone, PartialEq, Debug)]
pub struct FinishedStudy<R> {
    /// What programs read.
    pub result: R,
    /// What people read, as Markdown.
    pub page: String,
}
