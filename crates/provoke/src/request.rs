//! What workers are asked for: a verb, with everything that it needs.

use provoke_base::{Error, ErrorCode, SourceFile};
use provoke_model::{Suite, System};
use provoke_suite::Format;
use provoke_work::{Served, WorkerLoop};
use serde::{Deserialize, Serialize};

use crate::generation::before_assumptions;
use crate::model::Model;
use crate::options::{GenerateOptions, MutateOptions, WorkOptions};
use crate::timed::{
    self, NetworkModel, TimedCompleteOptions, TimedEstimateOptions, TimedMutateOptions,
    TimedRunOptions, TimedTests, WorkerOptions,
};
use crate::{generation, mutation, tests};

/// A verb whose tasks workers share. It holds texts and options, no names of files: a worker on another
/// machine knows nothing of the caller's folders.
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

/// A model as it is written.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct ModelText {
    name: String,
    text: String,
    main: String,
}

impl ModelText {
    /// The text of a model, without the assumptions that stand behind it.
    pub(crate) fn new(file: &SourceFile, system: &System, work: &WorkOptions) -> ModelText {
        let text = before_assumptions(&file.text, &work.assume).to_string();
        ModelText { name: file.name.clone(), text, main: system.name.clone() }
    }

    fn read(&self, work: &WorkOptions) -> Result<Model, Error> {
        let file = SourceFile::new(self.name.clone(), self.text.as_str());
        let model = Model::read(&file, Some(&self.main), &work.assume);
        model.map_err(|_| unreadable(&self.name))
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
                let model = model.read(&options.work)?;
                let given = given.map(|text| read_suite(&text, &model.system)).transpose()?;
                generation::serve_generate(&model, given, &options, worker)
            }
            Request::Prove { model, work } => {
                let work = work.alone();
                generation::serve_prove(&model.read(&work)?, &work, worker)
            }
            Request::Mutate { model, suite, mut options } => {
                options.work = options.work.alone();
                let model = model.read(&options.work)?;
                let suite = read_suite(&suite, &model.system)?;
                mutation::serve_mutate(model, suite, &options, worker)
            }
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

/// A suite as one text: it can be read back, and equal suites have equal texts.
pub(crate) fn suite_text(suite: &Suite) -> Result<String, Error> {
    let wrong = |message: String| Error::new(ErrorCode::WrongInput, message);
    let files = provoke_suite::write(suite, Format::Json).map_err(|error| wrong(error.message))?;
    let bytes = files.into_iter().next().map(|file| file.bytes).unwrap_or_default();
    String::from_utf8(bytes).map_err(|error| wrong(error.to_string()))
}

fn read_suite(text: &str, system: &System) -> Result<Suite, Error> {
    Ok(tests::read("the suite", text.as_bytes(), Some(Format::Json), system)?.suite)
}
