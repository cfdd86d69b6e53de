//! What workers are asked for: a verb, with everything that it needs.

use std::path::PathBuf;

use provoke_base::{Error, ErrorCode, SourceFile};
use provoke_model::{Suite, System};
use provoke_suite::Format;
use provoke_work::{Served, WorkerLoop};
use serde::{Deserialize, Serialize};

use crate::generation::before_assumptions;
use crate::mine::MineOptions;
use crate::model::Model;
use crate::options::{GenerateOptions, MutateOptions, WorkOptions};
use crate::{generation, mine, mutation, tests};

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
        Model::read(&file, Some(&self.main), &work.assume).map_err(|_| {
            let message = format!("{} cannot be read by this worker", self.name);
            Error::new(ErrorCode::PlanMismatch, message)
        })
    }
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
            Request::Mine { target, options } => mine::serve_mine(&target, &options, worker),
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
