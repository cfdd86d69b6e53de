//! What workers are asked for: a verb, with everything that it needs.

use std::path::PathBuf;

use provoke_base::{Error, ErrorCode, SourceFile};
use provoke_model::System;
use provoke_work::{Served, WorkerLoop};
use serde::{Deserialize, Serialize};

use crate::generation::before_assumptions;
use crate::mine::MineOptions;
use crate::model::{Model, ModelText};
use crate::options::{GenerateOptions, MutateOptions, WorkOptions};
use crate::tests::suite_of_text;
use crate::timed::{
    self, NetworkModel, TimedCompleteOptions, TimedEstimateOptions, TimedMutateOptions,
    TimedRunOptions, TimedTests, WorkerOptions,
};
use crate::{generation, mine, mutation};

/// What a suite without a file is called in messages.
const SUITE: &str = "the suite";

/// A verb whose tasks workers share. It holds texts and options: a worker on another machine need not know
/// the caller's folders, unless there is a program in them.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// A part of [`crate::generate`].
    Generate {
        /// The model.
        model: ModelText,
        /// Tests that are kept, as JSON.
        given: Option<String>,
        /// What is asked for.
        options: GenerateOptions,
    },
    /// A part of [`crate::prove`].
    Prove {
        /// The model.
        model: ModelText,
        /// How much work is done.
        work: WorkOptions,
    },
    /// A part of [`crate::mutate`].
    Mutate {
        /// The model.
        model: ModelText,
        /// The tests, as JSON.
        suite: String,
        /// What is asked for.
        options: MutateOptions,
    },
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
}

impl ModelText {
    /// The text of a model, without the assumptions that stand behind it.
    pub(crate) fn of(file: &SourceFile, system: &System, work: &WorkOptions) -> ModelText {
        let text = before_assumptions(&file.text, &work.assume);
        ModelText { main: Some(system.name.clone()), ..ModelText::new(file.name.as_str(), text) }
    }

    fn read_by_worker(&self, work: &WorkOptions) -> Result<Model, Error> {
        self.read(&work.assume).map_err(|_| unreadable(&self.name))
    }
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
            Request::Generate { model, given, mut options } => {
                options.work = options.work.alone();
                let model = model.read_by_worker(&options.work)?;
                let given =
                    given.map(|text| suite_of_text(SUITE, &text, &model.system)).transpose()?;
                generation::serve_generate(&model, given, &options, worker)
            }
            Request::Prove { model, work } => {
                let work = work.alone();
                generation::serve_prove(&model.read_by_worker(&work)?, &work, worker)
            }
            Request::Mutate { model, suite, mut options } => {
                options.work = options.work.alone();
                let model = model.read_by_worker(&options.work)?;
                let suite = suite_of_text(SUITE, &suite, &model.system)?;
                mutation::serve_mutate(model, suite, &options, worker)
            }
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
