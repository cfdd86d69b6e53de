//! What workers are asked for: a verb, with everything that it needs.

use std::path::PathBuf;

use provoke_base::{Error, ErrorCode, SourceFile};
use provoke_coverage::CoverageRequest;
use provoke_study::StudyRequest;
use provoke_work::{Served, WorkerLoop};
use serde::{Deserialize, Serialize};

use crate::mine::{self, MineOptions};
use crate::timed::{
    self, NetworkModel, TimedCompleteOptions, TimedEstimateOptions, TimedMutateOptions,
    TimedRunOptions, TimedTests, WorkerOptions,
};

/// A verb whose tasks workers share. It holds texts and options: a worker on another machine need not know
/// the caller's folders, unless there is a program in them.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// A study.
    Study(Box<StudyRequest>),
    /// A part of [`crate::mine`].
    Mine {
        /// The file that describes the program.
        target: PathBuf,
        /// What is asked for.
        options: MineOptions,
    },
    /// A part of [`timed::estimate()`].
    TimedEstimate {
        /// The model.
        model: NetworkText,
        /// What is asked for.
        options: TimedEstimateOptions,
    },
    /// A part of [`timed::complete()`].
    TimedComplete {
        /// The model.
        model: NetworkText,
        /// The tests.
        tests: TestsText,
        /// What is asked for.
        options: TimedCompleteOptions,
    },
    /// A part of [`timed::run()`].
    TimedRun {
        /// The model.
        model: NetworkText,
        /// What the system is simulated from.
        system: NetworkText,
        /// The tests.
        tests: TestsText,
        /// What is asked for.
        options: TimedRunOptions,
    },
    /// A part of [`timed::mutate()`].
    TimedMutate {
        /// The model.
        model: NetworkText,
        /// The tests.
        tests: TestsText,
        /// What is asked for.
        options: TimedMutateOptions,
    },
    /// Tests, proofs or mutants of a model.
    #[serde(untagged)]
    Coverage(Box<CoverageRequest>),
}

/// A timed network as it is written, with the questions that are asked of it.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct NetworkText {
    name: String,
    text: String,
    queries: Vec<String>,
}

impl NetworkText {
    /// The text of a network.
    pub(crate) fn new(model: &NetworkModel) -> NetworkText {
        let NetworkModel { file, queries, .. } = model;
        let (name, text) = (file.name.clone(), file.text.to_string());
        NetworkText { name, text, queries: queries.clone() }
    }

    fn read(&self) -> Result<NetworkModel, Error> {
        let file = SourceFile::new(self.name.clone(), self.text.as_str());
        NetworkModel::read(&file, &self.queries).map_err(|_| unreadable(&self.name))
    }
}

/// Timed tests as JSON.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct TestsText {
    name: String,
    json: String,
}

impl TestsText {
    /// The text of timed tests.
    pub(crate) fn new(tests: &TimedTests) -> TestsText {
        let json = provoke_oracle::json::print(&tests.suite);
        TestsText { name: tests.name.clone(), json }
    }

    fn read(&self) -> Result<TimedTests, Error> {
        TimedTests::read(&self.name, &self.json)
    }
}

fn unreadable(name: &str) -> Error {
    Error::new(ErrorCode::PlanMismatch, format!("{name} cannot be read by this worker"))
}

impl Request {
    /// Does a worker's part.
    pub fn serve(self, worker: &mut WorkerLoop) -> Result<Served, Error> {
        match self {
            Request::Coverage(request) => request.serve(worker),
            Request::Study(request) => request.serve(worker),
            Request::Mine { target, options } => mine::serve_mine(&target, &options, worker),
            Request::TimedEstimate { model, mut options } => {
                options.work = WorkerOptions::alone();
                timed::serve_estimate(&model.read()?, &options, worker)
            }
            Request::TimedComplete { model, tests, options } => {
                timed::serve_complete(&model.read()?, &tests.read()?, &options, worker)
            }
            Request::TimedRun { model, system, tests, options } => {
                let (model, system) = (model.read()?, system.read()?);
                timed::serve_run(&model, &system, &tests.read()?, &options, worker)
            }
            Request::TimedMutate { model, tests, options } => {
                timed::serve_mutate(&model.read()?, &tests.read()?, &options, worker)
            }
        }
    }
}
