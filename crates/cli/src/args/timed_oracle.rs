//! The options of `provoke timed` that are about tests.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use provoke::timed::{
    TimedCompleteOptions, TimedGenerateOptions, TimedMutateOptions, TimedRunOptions,
};
use provoke_oracle::mutants::{Amount, TimedOperator};
use provoke_oracle::timed_tests::TimedMethod;
use provoke_oracle::verdict::SuiteOracle;
use provoke_results::{OracleWord, Word};

use super::{PlaceArgs, TimedModelArgs};
use crate::outcome::Failure;

/// How tests are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum TimedMethodChoice {
    /// Every edge; those with a time range also just before it, in its middle and at its end
    Edge,
    /// Every location
    Location,
    /// Random inputs
    Random,
    /// Every edge, and random inputs that differ most from each other
    Diversity,
}

#[derive(Args)]
pub(crate) struct TimedGenerateArgs {
    #[command(flatten)]
    pub(crate) model: TimedModelArgs,
    /// How to choose tests
    #[arg(long, value_enum, default_value = "edge")]
    pub(crate) method: TimedMethodChoice,
    /// Observed variables, separated by commas [default: the global variables that no guard reads]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) observe: Vec<String>,
    /// Number of tests, for random and diversity
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) tests: u32,
    /// Maximum number of inputs of a test
    #[arg(long, value_name = "N", default_value_t = 8,
          value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) length: u32,
    /// Seed of the random number generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Output file for the tests: .json, or text otherwise
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
}

impl TimedGenerateArgs {
    /// What the library is told.
    pub(crate) fn options(&self) -> TimedGenerateOptions {
        TimedGenerateOptions {
            method: match self.method {
                TimedMethodChoice::Edge => TimedMethod::Edge,
                TimedMethodChoice::Location => TimedMethod::Location,
                TimedMethodChoice::Random => TimedMethod::Random,
                TimedMethodChoice::Diversity => TimedMethod::Diversity,
            },
            observe: self.observe.clone(),
            tests: self.tests as usize,
            length: self.length as usize,
            seed: self.seed,
        }
    }
}

#[derive(Args)]
pub(crate) struct TimedStochasticArgs {
    #[command(flatten)]
    pub(crate) model: TimedModelArgs,
    /// The tests, as text or JSON
    #[arg(value_name = "TESTS")]
    pub(crate) tests: PathBuf,
    /// Maximum length of a sequence
    #[arg(long, value_name = "L", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) length: u32,
    /// Random runs for each probability
    #[arg(long, value_name = "N", default_value_t = 10_000,
          value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(crate) runs: u64,
    /// Add runs until intervals are no wider than this
    #[arg(long, value_name = "W", default_value_t = 0.1, value_parser = super::timed::inside)]
    pub(crate) width: f64,
    /// Confidence level of intervals
    #[arg(long, value_name = "P", default_value_t = 0.95, value_parser = super::timed::inside)]
    pub(crate) confidence: f64,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// Seed of the random number generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Output folder for suite.json and suite.txt
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
}

impl TimedStochasticArgs {
    /// What the library is told.
    pub(crate) fn options(&self) -> Result<TimedCompleteOptions, Failure> {
        let mut work = self.place.options()?;
        if work.workers.is_some() {
            work.store.get_or_insert_with(|| self.output.clone());
        }
        let (length, runs, seed) = (self.length as usize, self.runs, self.seed);
        let (width, confidence) = (self.width, self.confidence);
        Ok(TimedCompleteOptions { length, runs, width, confidence, work, seed })
    }
}

fn oracle(word: &str) -> Result<OracleWord, String> {
    let hint = match word {
        "overlap" => "; the rule of overlapping intervals is called published",
        _ => "",
    };
    OracleWord::named(word)
        .ok_or_else(|| format!("`{word}` is none of two-stage, sequential, published{hint}"))
}

/// How repeated runs become a verdict.
#[derive(Args)]
pub(crate) struct OracleArgs {
    /// How repeated runs become a verdict: two-stage (few runs of all tests, many fresh ones of those that
    /// look wrong), sequential (until the evidence decides about --difference), published (intervals that
    /// overlap, each test for itself)
    #[arg(long, value_name = "RULE", default_value = "two-stage", value_parser = oracle)]
    pub(crate) oracle: OracleWord,
    /// two-stage, sequential: how often a correct system may fail any test of the suite
    #[arg(long, value_name = "P", default_value_t = 0.0025, value_parser = super::timed::inside)]
    pub(crate) suite_error: f64,
    /// two-stage, sequential: how far probabilities may be from the model's without being wrong
    #[arg(long, value_name = "D", value_parser = super::timed::inside)]
    pub(crate) margin: Option<f64>,
    /// sequential: the difference of probabilities to detect
    #[arg(long, value_name = "D", default_value_t = 0.2, value_parser = super::timed::inside)]
    pub(crate) difference: f64,
    /// published: confidence level of the system's interval
    #[arg(long, value_name = "P", default_value_t = 0.95, value_parser = super::timed::inside)]
    pub(crate) confidence: f64,
    /// published: maximum width of the system's interval
    #[arg(long, value_name = "W", default_value_t = 0.1, value_parser = super::timed::inside)]
    pub(crate) width: f64,
    /// sequential, published: maximum runs of a test [default: 1000, published 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub(crate) most: Option<u64>,
}

impl OracleArgs {
    /// What the library is told.
    fn oracle(&self) -> Result<SuiteOracle, Failure> {
        let wrong = |option: &str, rules: &str| {
            let message = format!("{option} is for {rules}, not for {}", self.oracle);
            Err(Failure::usage(
                message,
                format!("leave out {option}, or name such a rule with --oracle"),
            ))
        };
        if self.most.is_some() && self.oracle == OracleWord::TwoStage {
            return wrong("--most", "sequential and published");
        }
        if self.margin.is_some() && self.oracle == OracleWord::Published {
            return wrong("--margin", "two-stage and sequential");
        }
        Ok(SuiteOracle {
            kind: self.oracle,
            suite_error: self.suite_error,
            margin: self.margin.unwrap_or(0.0),
            difference: self.difference,
            confidence: self.confidence,
            width: self.width,
            most: self.most,
        })
    }
}

#[derive(Args)]
pub(crate) struct TimedRunArgs {
    /// The suite, as `timed stochastic` wrote it
    #[arg(value_name = "SUITE")]
    pub(crate) suite: PathBuf,
    /// What to run it on: a target file, or a model to simulate the system from, which workers can
    /// do, too (--workers)
    #[arg(long, value_name = "TARGET.toml|MODEL.xml")]
    pub(crate) on: PathBuf,
    /// The model [default: the one that the suite names]
    #[arg(long, value_name = "MODEL.xml")]
    pub(crate) model: Option<PathBuf>,
    /// Put this fault, a number of `timed mutate --list`, into the simulated system
    #[arg(long, value_name = "ID")]
    pub(crate) mutant: Option<usize>,
    #[command(flatten)]
    pub(crate) oracle: OracleArgs,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// Seed of the random number generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Also write the verdicts to this file, as JSON for `provoke report`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

impl TimedRunArgs {
    /// What the library is told.
    pub(crate) fn options(&self) -> Result<TimedRunOptions, Failure> {
        Ok(TimedRunOptions {
            mutant: self.mutant,
            oracle: self.oracle.oracle()?,
            work: self.place.options()?,
            seed: self.seed,
        })
    }
}

#[derive(Args)]
pub(crate) struct TimedMutateArgs {
    #[command(flatten)]
    pub(crate) model: TimedModelArgs,
    /// A suite, as `timed stochastic` wrote it; without it, mutants are listed
    #[arg(value_name = "SUITE")]
    pub(crate) suite: Option<PathBuf>,
    /// List the mutants, with duplicates and equivalent ones marked
    #[arg(long)]
    pub(crate) list: bool,
    /// Mutation operators, separated by commas [default: all]
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = operator)]
    pub(crate) operators: Vec<TimedOperator>,
    /// By how much time ranges are changed: units, or a part of the range
    #[arg(long, value_name = "D", default_value = "50%", value_parser = amount)]
    pub(crate) by: Amount,
    /// Observed variables, separated by commas [default: those of the suite, else the global
    /// variables that no guard reads]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) observe: Vec<String>,
    #[command(flatten)]
    pub(crate) oracle: OracleArgs,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// Seed of the random number generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
}

impl TimedMutateArgs {
    /// What the library is told.
    pub(crate) fn options(&self) -> Result<TimedMutateOptions, Failure> {
        Ok(TimedMutateOptions {
            list: self.list,
            operators: self.operators.clone(),
            by: self.by,
            observe: self.observe.clone(),
            oracle: self.oracle.oracle()?,
            work: self.place.options()?,
            seed: self.seed,
        })
    }
}

fn operator(word: &str) -> Result<TimedOperator, String> {
    TimedOperator::named(word).ok_or_else(|| {
        let all: Vec<&str> = TimedOperator::ALL.into_iter().map(TimedOperator::word).collect();
        format!("one of {}", all.join(", "))
    })
}

/// Units, or a part of the range with `%`.
fn amount(word: &str) -> Result<Amount, String> {
    let wrong = || "write units such as 850, or a part of the range such as 50%".to_string();
    match word.strip_suffix('%') {
        Some(part) => match part.parse::<f64>() {
            Ok(part) if part > 0.0 && part <= 10_000.0 => Ok(Amount::Part(part / 100.0)),
            _ => Err(wrong()),
        },
        None => match word.parse::<i64>() {
            Ok(units) if (1..=1 << 24).contains(&units) => Ok(Amount::Units(units)),
            _ => Err(wrong()),
        },
    }
}

#[derive(Args)]
pub(crate) struct StochasticArgs {
    /// Networks in UPPAAL's format, in place of the two built-in ones; may be given several times
    #[arg(long, value_name = "MODEL.xml")]
    pub(crate) models: Vec<PathBuf>,
    /// Few mutants, seeds and repeats
    #[arg(long)]
    pub(crate) quick: bool,
    /// RQ1: fraction of its length by which a range ends earlier in a faulty system
    #[arg(long, value_name = "PART", default_value_t = 0.375, value_parser = super::timed::inside)]
    pub(crate) earlier: f64,
    /// RQ1: multiple of its length by which a range ends later in a faulty system
    #[arg(long, value_name = "TIMES", default_value_t = 1.5)]
    pub(crate) later: f64,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// Seed of the random number generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Output folder for tables and pictures; finished cases are kept there and not repeated
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
}
