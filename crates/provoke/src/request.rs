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
}

impl ModelText {
    /// The text of a model, without the assumptions that stand behind it.
    pub(crate) fn of(file: &SourceFile, system: &System, work: &WorkOptions) -> ModelText {
        let text = before_assumptions(&file.text, &work.assume);
        ModelText { main: Some(system.name.clone()), ..ModelText::new(file.name.as_str(), text) }
    }

    fn read_by_worker(&self, work: &WorkOptions) -> Result<Model, Error> {
        self.read(&work.assume).map_err(|_| {
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
        }
    }
}
