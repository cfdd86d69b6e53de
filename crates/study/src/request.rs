//! What workers are asked for: a study, with everything that it needs.

use provoke_base::Error;
use provoke_work::{CaseRunner, Served, WorkerLoop, study_identity};
use serde::{Deserialize, Serialize};

use crate::criteria_study::{IncrementalOptions, ObservabilityOptions, Plan};
use crate::mining_study::{self, MiningOptions};
use crate::platform_study::{self, PlatformOptions};
use crate::stochastic_study::{self, StochasticOptions};

/// A study whose cases workers share. It holds the texts of models; only the programs that are mined are
/// named by their files, which workers must see.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum StudyRequest {
    /// A part of [`crate::observability`].
    Observability(ObservabilityOptions),
    /// A part of [`crate::incremental`].
    Incremental(IncrementalOptions),
    /// A part of [`crate::platform`].
    Platform(PlatformOptions),
    /// A part of [`crate::stochastic`].
    Stochastic(StochasticOptions),
    /// A part of [`crate::mining`].
    Mining(MiningOptions),
}

/// A request as workers find it, told apart from those of other libraries.
#[derive(Serialize)]
pub(crate) struct Labelled<'a> {
    pub(crate) study: &'a StudyRequest,
}

impl StudyRequest {
    /// The name of the study, which its finished cases are kept under.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            StudyRequest::Observability(_) => "observability",
            StudyRequest::Incremental(_) => "incremental",
            StudyRequest::Platform(_) => "platform",
            StudyRequest::Stochastic(_) => "stochastic",
            StudyRequest::Mining(_) => "mining",
        }
    }

    /// Does a worker's part.
    pub fn serve(self, worker: &mut WorkerLoop) -> Result<Served, Error> {
        let control = worker.control().clone();
        let mut runner = CaseRunner::of_worker(&study_identity(self.name()), worker)?;
        match &self {
            StudyRequest::Observability(options) => {
                drop(Plan::of_observability(options, &control)?.cells(&mut runner)?);
            }
            StudyRequest::Incremental(options) => {
                drop(Plan::of_incremental(options, &control)?.cells(&mut runner)?);
            }
            StudyRequest::Platform(options) => platform_study::serve(options, &mut runner)?,
            StudyRequest::Stochastic(options) => {
                return stochastic_study::serve(options, runner, &control);
            }
            StudyRequest::Mining(options) => mining_study::serve(options, &mut runner)?,
        }
        runner.served()
    }
}
