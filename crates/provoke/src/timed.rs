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

use provoke_base::{Diagnostic, Error, ErrorCode, SourceFile};
use provoke_oracle::{Interface, TimedSuite, json};
use provoke_results::TimedCheck;
use provoke_timed::Network;

pub use complete::{CompletedTests, complete};
pub use estimate::estimate;
pub use generate::{GeneratedTests, generate};
pub use mutate::mutate;
pub use options::{
    TimedCompleteOptions, TimedEstimateOptions, TimedGenerateOptions, TimedMutateOptions,
    TimedRunOptions, TimedSimulateOptions, TimedVerifyOptions, WorkerOptions,
};
pub use provoke_timed::draw::{dot, svg};
pub use run::{JudgedTest, TimedTarget, run, signals};
pub use simulate::simulate;
pub use verify::verify;

pub(crate) use complete::serve as serve_complete;
pub(crate) use estimate::serve as serve_estimate;
pub(crate) use mutate::serve as serve_mutate;
pub(crate) use run::serve as serve_run;

/// A network of timed automata without errors, with the questions that are asked of it.
#[derive(Clone, Debug)]
pub struct NetworkModel {
    /// Its text.
    pub file: SourceFile,
    /// What it does, and what is asked of it.
    pub network: Network,
    /// The questions that were given in place of those of the file, if there are any.
    pub queries: Vec<String>,
}

/// Why a text is no network that can be worked on.
#[derive(Clone, Debug)]
pub struct RejectedNetwork {
    /// What is wrong with the text, and what may be; nothing if only questions are wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// What is wrong with each of the questions; its places are in the question's own text.
    pub about_queries: Vec<Option<Diagnostic>>,
}

impl NetworkModel {
    /// The network of a text, with questions in place of its own if there are any.
    pub fn read(file: &SourceFile, queries: &[String]) -> Result<NetworkModel, RejectedNetwork> {
        let (loaded, about_queries) = provoke_timed::load_asking(file, queries);
        match loaded.network {
            Some(network) if about_queries.iter().all(Option::is_none) => {
                Ok(NetworkModel { file: file.clone(), network, queries: queries.to_vec() })
            }
            Some(_) => Err(RejectedNetwork { diagnostics: Vec::new(), about_queries }),
            None => Err(RejectedNetwork { diagnostics: loaded.diagnostics, about_queries }),
        }
    }
}

/// The errors and warnings of a text, and what the network consists of.
pub fn check(file: &SourceFile) -> (TimedCheck, Vec<Diagnostic>) {
    let loaded = provoke_timed::load(file);
    let result = TimedCheck::new(file, loaded.network.as_ref(), &loaded.diagnostics);
    (result, loaded.diagnostics)
}

/// Timed tests, with the name of what they were read from.
#[derive(Clone, Debug)]
pub struct TimedTests {
    /// The name of the file or whatever it was.
    pub name: String,
    /// The tests.
    pub suite: TimedSuite,
}

impl TimedTests {
    /// Reads tests in either form, as text or as JSON.
    pub fn read(name: &str, text: &str) -> Result<TimedTests, Error> {
        let suite = json::read(text).map_err(|error| {
            let place = match error.line {
                0 => name.to_string(),
                line => format!("{name}:{line}"),
            };
            let hint = "docs/book/oracles.md shows both forms of timed tests";
            Error::input(format!("{place}: {}", error.message), hint)
        })?;
        Ok(TimedTests { name: name.to_string(), suite })
    }

    /// Fails if the tests name something that the network does not have.
    fn check_names(&self, model: &NetworkModel) -> Result<(), Error> {
        let checked = Interface::new(&model.network).check_suite(&self.suite);
        checked.map_err(|message| unfit(&self.name, &message))
    }
}

/// A network that lacks what is needed of it.
fn unfit(name: &str, message: &str) -> Error {
    Error::new(ErrorCode::NetworkUnfit, format!("{name}: {message}"))
}

/// Tests that cannot be run as they are.
fn incomplete(message: String) -> Error {
    Error::input(message, "complete the tests again")
}
