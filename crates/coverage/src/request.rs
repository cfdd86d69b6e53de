//! What workers are asked for: a verb about a model, with everything that it needs.

use provoke_base::{Error, ErrorCode, SourceFile};
use provoke_files::{Model, ModelText};
use provoke_model::System;
use provoke_work::{Served, WorkerLoop};
use serde::{Deserialize, Serialize};

use crate::generation::before_assumptions;
use crate::options::{GenerateOptions, MutateOptions, WorkOptions};
use crate::tests::suite_of_text;
use crate::{generation, mutation};

/// What a suite without a file is called in messages.
const SUITE: &str = "the suite";

/// A verb whose tasks workers share. It holds texts and options: a worker on another machine need not know
/// the caller's folders.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum CoverageRequest {
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
}

/// The text of a model, without the assumptions that stand behind it.
pub(crate) fn model_text(file: &SourceFile, system: &System, work: &WorkOptions) -> ModelText {
    let text = before_assumptions(&file.text, &work.assume);
    ModelText { main: Some(system.name.clone()), ..ModelText::new(file.name.as_str(), text) }
}

fn read(model: &ModelText, work: &WorkOptions) -> Result<Model, Error> {
    model.read(&work.assume).map_err(|_| {
        let message = format!("{} cannot be read by this worker", model.name);
        Error::new(ErrorCode::PlanMismatch, message)
    })
}

impl CoverageRequest {
    /// Does a worker's part.
    pub fn serve(self, worker: &mut WorkerLoop) -> Result<Served, Error> {
        match self {
            CoverageRequest::Generate { model, given, mut options } => {
                options.work = options.work.alone();
                let model = read(&model, &options.work)?;
                let given =
                    given.map(|text| suite_of_text(SUITE, &text, &model.system)).transpose()?;
                generation::serve_generate(&model, given, &options, worker)
            }
            CoverageRequest::Prove { model, work } => {
                let work = work.alone();
                generation::serve_prove(&read(&model, &work)?, &work, worker)
            }
            CoverageRequest::Mutate { model, suite, mut options } => {
                options.work = options.work.alone();
                let model = read(&model, &options.work)?;
                let suite = suite_of_text(SUITE, &suite, &model.system)?;
                mutation::serve_mutate(model, suite, &options, worker)
            }
        }
    }
}
