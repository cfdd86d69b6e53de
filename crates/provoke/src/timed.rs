//! Networks of timed automata, in UPPAAL's format: what is so in all of their runs, how probable it is,
//! and tests of systems whose timing is uncertain.
//!
//! A [`NetworkModel`] is read once, [`TimedTests`] as often as there are suites. Each verb takes them with
//! plain options and a [`Control`](crate::Control).

mod complete;
mod estimate;
mod generate;
mod mutate;
mod options;
mod remote_runs;
mod run;
mod simulate;
mod verify;

use provoke_base::{Diagnostic, Error, SourceFile};
use provoke_results::TimedCheck;

pub use complete::{CompletedTests, complete};
pub use estimate::estimate;
pub use generate::{GeneratedTests, generate};
pub use mutate::mutate;
pub use options::{
    TimedCompleteOptions, TimedEstimateOptions, TimedGenerateOptions, TimedMutateOptions,
    TimedRunOptions, TimedSimulateOptions, TimedVerifyOptions,
};
pub use provoke_oracle::TimedTests;
pub use provoke_uppaal::draw::{dot, svg};
pub use provoke_uppaal::{NetworkModel, RejectedNetwork};
pub use provoke_work::WorkerOptions;
pub use run::{JudgedTest, TimedTarget, run, signals};
pub use simulate::simulate;
pub use verify::verify;

pub(crate) use complete::serve as serve_complete;
pub(crate) use estimate::serve as serve_estimate;
pub(crate) use mutate::serve as serve_mutate;
pub(crate) use run::serve as serve_run;

/// The errors and warnings of a text, and what the network consists of.
pub fn check(file: &SourceFile) -> (TimedCheck, Vec<Diagnostic>) {
    let loaded = provoke_uppaal::load(file);
    let result = TimedCheck::new(file, loaded.network.as_ref(), &loaded.diagnostics);
    (result, loaded.diagnostics)
}

/// Tests that cannot be run as they are.
fn incomplete(message: String) -> Error {
    Error::input(message, "complete the tests again")
}
