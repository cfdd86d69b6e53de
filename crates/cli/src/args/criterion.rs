//! What is to be exercised.

use clap::Args;
use provoke::CoverageTarget;
use provoke_criteria::{Counting, Criterion};

use super::ModelArgs;

/// What is to be exercised.
#[derive(Args)]
pub(crate) struct CriterionArgs {
    /// Criteria, separated by commas: condition, decision, branch, mcdc; with an `o` in front the
    /// effect must be observed; properties: the model's properties, each to be violated
    #[arg(short, long, value_name = "CRITERIA", default_value = "omcdc", value_delimiter = ',',
          value_parser = asked)]
    pub(crate) criterion: Vec<CoverageTarget>,
    /// How obligations are counted: published (as the published tool does) or precise (each
    /// occurrence once)
    #[arg(long, value_name = "RULE", default_value = "published", value_parser = counting)]
    pub(crate) counting: Counting,
}

fn asked(word: &str) -> Result<CoverageTarget, String> {
    let all = Criterion::ALL
        .into_iter()
        .map(CoverageTarget::Criterion)
        .chain([CoverageTarget::Properties]);
    let known: Vec<_> = all.clone().map(CoverageTarget::word).collect();
    all.into_iter()
        .find(|asked| asked.word() == word)
        .ok_or_else(|| format!("the criteria are {}", known.join(", ")))
}

fn counting(word: &str) -> Result<Counting, String> {
    Counting::named(word).ok_or_else(|| "the rules are published and precise".to_string())
}

#[derive(Args)]
pub(crate) struct ObligationsArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) criterion: CriterionArgs,
}
