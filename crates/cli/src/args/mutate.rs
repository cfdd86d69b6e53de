//! The options of `provoke mutate`.

use std::path::PathBuf;

use clap::Args;
use provoke::Fill;
use provoke_mutate::{MutationOperator, REPLACEMENTS};

use super::words::{percentage, word};
use super::{ModelArgs, NumberArgs, WorkArgs};

#[derive(Args)]
pub(crate) struct MutateArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The tests: JSON, CSV, Kind 2 JSON, XLSX, .sss, JKind XML; without them, --list
    #[arg(value_name = "SUITE")]
    pub(crate) suite: Option<PathBuf>,
    /// List the mutants; run nothing
    #[arg(long, conflicts_with_all = ["equivalence", "kill", "matrix", "stryker", "require"])]
    pub(crate) list: bool,
    /// Mutation operators, separated by commas: arithmetic, relational, boolean, negation, delay,
    /// constant, variable [default: all]
    #[arg(long, value_name = "OPERATORS", value_delimiter = ',', value_parser = operator)]
    pub(crate) operators: Vec<MutationOperator>,
    /// Try N other variables in place of one; all would be quadratic in the size of the model
    #[arg(long, value_name = "N", default_value_t = REPLACEMENTS as u32)]
    pub(crate) replacements: u32,
    /// Draw N mutants at random, so that each operator keeps its share
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) sample: Option<u32>,
    /// Monitored variables: output, maximum, or names separated by commas
    #[arg(long, value_name = "ORACLE", default_value = "output")]
    pub(crate) oracle: String,
    /// How to fill inputs that the tests do not set: keep (they stay unknown), default (false, 0, the
    /// first constant or the lower bound), hold (as in the step before), random (see --seed)
    #[arg(long, value_name = "HOW", default_value = "keep", value_parser = word::<Fill>)]
    pub(crate) fill: Fill,
    /// Decide surviving mutants: equivalent, or killable by a new test
    #[arg(long)]
    pub(crate) equivalence: bool,
    /// Add tests that kill surviving mutants to the suite; -o names the output folder
    #[arg(long, requires = "output")]
    pub(crate) kill: bool,
    /// Run every mutant on all tests, and list those that kill it
    #[arg(long)]
    pub(crate) matrix: bool,
    /// Exit 1 if the mutation score, killed / (valid - equivalent), is below PERCENT
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    pub(crate) require: Option<f64>,
    /// Also write a report for the viewer of mutation-testing-elements
    #[arg(long, value_name = "FILE")]
    pub(crate) stryker: Option<PathBuf>,
    /// Output folder for suite.json, mutants.json and model.lus
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) numbers: NumberArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

fn operator(word: &str) -> Result<MutationOperator, String> {
    let known: Vec<_> = MutationOperator::ALL.iter().map(|operator| operator.word()).collect();
    MutationOperator::named(word).ok_or_else(|| format!("the operators are {}", known.join(", ")))
}
