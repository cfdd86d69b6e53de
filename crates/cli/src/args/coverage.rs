//! The options of `provoke measure` and `reduce`.

use std::path::PathBuf;

use clap::Args;
use provoke::{Fill, Reduction, ReductionUnit};
use provoke_criteria::{ExactChange, Masking};

use super::words::{percentage, word};
use super::{CriterionArgs, ModelArgs, NumberArgs};

/// How a suite is looked at.
#[derive(Args)]
pub(crate) struct SuiteArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The tests: JSON, CSV, Kind 2 JSON, XLSX, .sss, JKind XML
    #[arg(value_name = "SUITE")]
    pub(crate) suite: PathBuf,
    #[command(flatten)]
    pub(crate) criterion: CriterionArgs,
    /// When an operand counts as masked: strict, original (as published), short-circuit
    #[arg(long, value_name = "READING", default_value = "strict", value_parser = word::<Masking>)]
    pub(crate) masking: Masking,
    /// Monitored variables: output, maximum, or names separated by commas
    #[arg(long, value_name = "ORACLE", default_value = "output")]
    pub(crate) oracle: String,
    /// How to fill inputs that the tests do not set: keep (they stay unknown), default (false, 0, the
    /// first constant or the lower bound), hold (as in the step before), random (see --seed)
    #[arg(long, value_name = "HOW", default_value = "keep", value_parser = word::<Fill>)]
    pub(crate) fill: Fill,
    /// Seed of the random number generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
}

#[derive(Args)]
pub(crate) struct MeasureArgs {
    #[command(flatten)]
    pub(crate) on: SuiteArgs,
    #[command(flatten)]
    pub(crate) numbers: NumberArgs,
    /// Check observability by fault injection: at one step, or for the whole test
    #[arg(long, value_name = "MODE", value_parser = word::<ExactChange>)]
    pub(crate) exact: Option<ExactChange>,
    /// Follow tags as the published work does, and grade nothing
    #[arg(long)]
    pub(crate) as_published: bool,
    /// Suggest up to N variables whose monitoring would raise coverage
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) suggest_oracle: usize,
    /// List every obligation, covered ones with their effect path
    #[arg(long)]
    pub(crate) all: bool,
    /// Exit 1 if coverage is below PERCENT
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    pub(crate) require: Option<f64>,
    /// Output folder for suite.json, verdicts.json, settings.json and model.lus: evidence for report,
    /// explain and audit
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
}

/// How a generated suite is made smaller, if it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ReduceMethod(pub(crate) Option<Reduction>);

pub(super) fn reducing(word: &str) -> Result<ReduceMethod, String> {
    match (word, Reduction::named(word)) {
        ("none", _) => Ok(ReduceMethod(None)),
        (_, Some(method)) => Ok(ReduceMethod(Some(method))),
        _ => Err("the methods are none, random, greedy, hgs, exact".to_string()),
    }
}

#[derive(Args)]
pub(crate) struct ReduceArgs {
    #[command(flatten)]
    pub(crate) on: SuiteArgs,
    /// How to choose tests: greedy (repeatedly the test that adds most), random (in random order, what
    /// adds something), hgs (the rarest obligations first), exact (the smallest possible suite)
    #[arg(long, value_name = "METHOD", default_value = "greedy", value_parser = word::<Reduction>)]
    pub(crate) method: Reduction,
    /// What the exact method minimises: tests, steps (in all tests)
    #[arg(long, value_name = "UNIT", default_value = "tests", value_parser = word::<ReductionUnit>)]
    pub(crate) by: ReductionUnit,
    /// Repeat the random method N times, show the distribution of sizes, keep the smallest
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) repeat: u32,
    /// Also cut steps at the end of tests that no obligation needs
    #[arg(long)]
    pub(crate) trim: bool,
    /// Effort of the exact method, in units of work
    #[arg(long, value_name = "N", default_value_t = provoke_cover::DEFAULT_EFFORT)]
    pub(crate) effort: u64,
    /// Output file for the smaller suite
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
