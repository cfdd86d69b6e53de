//! The options of `provoke measure` and `reduce`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use provoke_criteria::{ExactChange, Masking};

use super::words::{exact, masking, percentage};
use super::{CriterionArgs, Fill, ModelArgs};

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
    #[arg(long, value_name = "READING", default_value = "strict", value_parser = masking)]
    pub(crate) masking: Masking,
    /// Monitored variables: output, maximum, or names separated by commas
    #[arg(long, value_name = "ORACLE", default_value = "output")]
    pub(crate) oracle: String,
    /// How to fill inputs that the tests do not set
    #[arg(long, value_enum, default_value = "keep")]
    pub(crate) fill: Fill,
    /// Seed of the random number generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
}

#[derive(Args)]
pub(crate) struct MeasureArgs {
    #[command(flatten)]
    pub(crate) on: SuiteArgs,
    /// Check observability by fault injection: at one step, or for the whole test
    #[arg(long, value_name = "MODE", value_parser = exact)]
    pub(crate) exact: Option<ExactChange>,
    /// Suggest up to N variables whose monitoring would raise coverage
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) suggest_oracle: usize,
    /// List every obligation, covered ones with their effect path
    #[arg(long)]
    pub(crate) all: bool,
    /// Exit 1 if coverage is below PERCENT
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    pub(crate) require: Option<f64>,
}

/// How tests are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Reduction {
    /// Repeatedly take the test that adds most coverage
    Greedy,
    /// Random order; keep a test if it adds coverage
    Random,
    /// Tests for the rarest obligations first (Harrold, Gupta, Soffa)
    Hgs,
    /// The smallest possible suite
    Exact,
}

impl From<Reduction> for provoke::Reduction {
    fn from(reduction: Reduction) -> provoke::Reduction {
        match reduction {
            Reduction::Greedy => provoke::Reduction::Greedy,
            Reduction::Random => provoke::Reduction::Random,
            Reduction::Hgs => provoke::Reduction::Hgs,
            Reduction::Exact => provoke::Reduction::Exact,
        }
    }
}

/// How a generated suite is made smaller, if it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reducing(pub(crate) Option<Reduction>);

pub(super) fn reducing(word: &str) -> Result<Reducing, String> {
    match (word, Reduction::from_str(word, false)) {
        ("none", _) => Ok(Reducing(None)),
        (_, Ok(method)) => Ok(Reducing(Some(method))),
        _ => Err("the methods are none, random, greedy, hgs, exact".to_string()),
    }
}

/// What the exact method minimises.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Unit {
    /// The number of tests
    Tests,
    /// The number of steps in all tests
    Steps,
}

impl From<Unit> for provoke::ReductionUnit {
    fn from(unit: Unit) -> provoke::ReductionUnit {
        match unit {
            Unit::Tests => provoke::ReductionUnit::Tests,
            Unit::Steps => provoke::ReductionUnit::Steps,
        }
    }
}

#[derive(Args)]
pub(crate) struct ReduceArgs {
    #[command(flatten)]
    pub(crate) on: SuiteArgs,
    /// How to choose tests
    #[arg(long, value_enum, default_value = "greedy")]
    pub(crate) method: Reduction,
    /// What the exact method minimises
    #[arg(long, value_enum, default_value = "tests")]
    pub(crate) by: Unit,
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
