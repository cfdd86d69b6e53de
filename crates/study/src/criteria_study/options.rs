//! What may be chosen about studies of criteria.

use std::time::Duration;

use provoke_criteria::{Criterion, Masking};
use provoke_files::ModelText;
use provoke_testgen::GenerationMethod;
use serde::{Deserialize, Serialize};

use crate::case::ModelForm;
use crate::placement::Placement;

/// What studies of criteria and of methods have in common.
#[derive(Serialize, Deserialize, Clone, Debug, Default)]
#[serde(default)]
pub struct CriteriaOptions {
    /// The models, in the order of the tables. Tables tell them by their names, which must differ.
    pub models: Vec<ModelText>,
    /// Whether only the three smallest models are studied, with little work on them.
    pub quick: bool,
    /// Wall-clock time for each case. What is found is sound, but need not be the same next time.
    pub budget: Option<Duration>,
    /// A repeatable measure of work for each obligation; 10 if nothing is said, 1 if it has to be quick.
    pub effort: Option<u32>,
    /// How many mutants of each model are taken, if it has more; the literature's number if nothing is
    /// said.
    pub mutants: Option<u32>,
    /// How many suites for each case, or runs of each method; the literature's number if nothing is said.
    pub suites: Option<u32>,
    /// Where random numbers start.
    pub seed: u64,
    /// Where the study is written, and who works on it.
    pub place: Placement,
}

impl CriteriaOptions {
    /// How many suites and mutants: the user's numbers, else small ones if it has to be quick, else those
    /// of the literature.
    pub(super) fn numbers(&self, quick: [u32; 2], literature: [u32; 2]) -> [u32; 2] {
        let [suites, mutants] = if self.quick { quick } else { literature };
        [self.suites.unwrap_or(suites), self.mutants.unwrap_or(mutants)]
    }
}

/// How criteria with and without observability are compared.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(default)]
pub struct ObservabilityOptions {
    /// What the studies of criteria have in common.
    pub study: CriteriaOptions,
    /// The criteria; all eight if none is named.
    pub criteria: Vec<Criterion>,
    /// The shapes in which models are studied.
    pub forms: Vec<ModelForm>,
    /// How masking is read.
    pub masking: Vec<Masking>,
    /// How tests are searched for.
    pub method: GenerationMethod,
    /// Whether mutants that the strongest criterion's tests do not kill are decided: equivalent, or killed
    /// by a further test.
    pub kill: bool,
    /// Wall-clock time for the survivors of each model; that of a case if nothing is said.
    pub kill_budget: Option<Duration>,
}

impl Default for ObservabilityOptions {
    fn default() -> ObservabilityOptions {
        ObservabilityOptions {
            study: CriteriaOptions::default(),
            criteria: Vec::new(),
            forms: ModelForm::ALL.to_vec(),
            masking: vec![Masking::Strict, Masking::Original],
            method: GenerationMethod::Hybrid,
            kill: false,
            kill_budget: None,
        }
    }
}

/// How incremental and regular generation are compared.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(default)]
pub struct IncrementalOptions {
    /// What the studies of criteria have in common.
    pub study: CriteriaOptions,
    /// What tests are asked for.
    pub criterion: Criterion,
}

impl Default for IncrementalOptions {
    fn default() -> IncrementalOptions {
        let criterion = Criterion::named("omcdc").expect("a criterion");
        IncrementalOptions { study: CriteriaOptions::default(), criterion }
    }
}
