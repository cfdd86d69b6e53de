//! What is to be exercised.

use clap::Args;
use provoke::CoverageTarget;
use provoke_criteria::Counting;

use super::ModelArgs;
use super::words::word;

/// What is to be exercised.
#[derive(Args)]
pub(crate) struct CriterionArgs {
    /// Criteria, separated by commas: condition, decision, branch, mcdc; with an `o` in front the
    /// effect must be observed; properties: the model's properties, each to be violated
    #[arg(short, long, value_name = "CRITERIA", default_value = "omcdc", value_delimiter = ',',
          value_parser = word::<CoverageTarget>)]
    pub(crate) criterion: Vec<CoverageTarget>,
    /// How obligations are counted: published (as the published tool does) or precise (each
    /// occurrence once)
    #[arg(long, value_name = "RULE", default_value = "published", value_parser = word::<Counting>)]
    pub(crate) counting: Counting,
}

#[derive(Args)]
pub(crate) struct ObligationsArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) criterion: CriterionArgs,
}
