//! The options of `provoke timed`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use provoke::timed::{TimedEstimateOptions, TimedVerifyOptions};
use provoke_stats::StoppingRuleKind;
use provoke_zones::Order;

use super::PlaceArgs;
use super::timed_oracle::{TimedGenerateArgs, TimedMutateArgs, TimedRunArgs, TimedStochasticArgs};
use super::words::duration;
use crate::outcome::Failure;

#[derive(Subcommand)]
pub(crate) enum TimedCommand {
    /// Check a model: errors, warnings, size
    #[command(after_help = "Example: provoke timed check models/timed/lamp.xml")]
    Check(TimedModelArgs),
    /// Answer the model's queries about all runs: E<>, A[], E[], A<>, -->, sup, inf
    #[command(after_help = "Examples:\n  \
        provoke timed verify models/timed/lamp.xml\n  \
        provoke timed verify models/timed/lamp.xml -q \"E<> Lamp.Bright\" --trace\n  \
        provoke timed verify models/timed/lamp.xml --budget 10s --format json")]
    Verify(TimedVerifyArgs),
    /// Answer the model's queries about probabilities with random runs: Pr, E[max], E[min]
    #[command(after_help = "Examples:\n  \
        provoke timed estimate models/timed/lamp.xml\n  \
        provoke timed estimate models/timed/lamp.xml -q \"Pr[<=60](<> Lamp.Bright)\" --epsilon 0.01\n  \
        provoke timed estimate models/timed/lamp.xml -q \"Pr[<=60](<> Lamp.Bright) >= 0.5\"")]
    Estimate(TimedEstimateArgs),
    /// Write random runs as points: values over time
    #[command(
        after_help = "Example: provoke timed simulate models/timed/lamp.xml --show \"Lamp.y, Lamp.Bright\" --time 60 -o run.csv"
    )]
    Simulate(TimedSimulateArgs),
    /// Draw the automata
    #[command(after_help = "Example: provoke timed show models/timed/lamp.xml -o lamp.svg")]
    Show(TimedShowArgs),
    /// Generate tests from the automata
    #[command(after_help = "Examples:\n  \
        provoke timed generate models/timed/temperature.xml\n  \
        provoke timed generate models/timed/temperature.xml --method diversity --tests 20 -o tests.json")]
    Generate(TimedGenerateArgs),
    /// Complete tests with separating sequences and the probabilities of their outputs
    #[command(after_help = "Example: \
        provoke timed stochastic models/timed/temperature.xml models/timed/temperature.tests -o out/temperature")]
    Stochastic(TimedStochasticArgs),
    /// Run a stochastic suite on a system, as often as the verdicts need
    #[command(after_help = "Examples:\n  \
        provoke timed run out/temperature/suite.json --on models/timed/temperature.xml\n  \
        provoke timed run out/temperature/suite.json --on models/timed/temperature.xml --mutant 7\n  \
        provoke timed run out/temperature/suite.json --on models/timed/temperature.xml --workers local --store out/run\n  \
        provoke timed run out/temperature/suite.json --on target.toml --oracle sequential")]
    Run(TimedRunArgs),
    /// Mutants of the automata: list them, or see which of them a suite kills
    #[command(after_help = "Examples:\n  \
        provoke timed mutate models/timed/temperature.xml --list\n  \
        provoke timed mutate models/timed/temperature.xml out/temperature/suite.json --operators restrict,widen")]
    Mutate(TimedMutateArgs),
}

#[derive(Args)]
pub(crate) struct TimedModelArgs {
    /// The model in UPPAAL's XML format, or - for standard input
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
}

/// In which order sets of states are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum SearchOrder {
    /// Oldest first: traces are short
    Breadth,
    /// Newest first
    Depth,
    /// Random order, see --seed
    Random,
}

#[derive(Args)]
pub(crate) struct TimedVerifyArgs {
    #[command(flatten)]
    pub(crate) model: TimedModelArgs,
    /// A query to answer instead of those in the file; may be given several times
    #[arg(short, long, value_name = "QUERY", allow_hyphen_values = true)]
    pub(crate) query: Vec<String>,
    /// Show the run that proves or refutes the query
    #[arg(long)]
    pub(crate) trace: bool,
    /// Wall-clock time for each query, such as 500ms, 60s or 10m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) budget: Option<Duration>,
    /// Number of threads [default: number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) jobs: Option<u32>,
    /// Memory limit of the zones
    #[arg(long, value_name = "MB", default_value_t = 2048,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) memory: u32,
    /// Order in which to explore sets of states
    #[arg(long, value_enum, default_value = "breadth")]
    pub(crate) order: SearchOrder,
    /// Seed of the random number generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Also write the answers to this file, as JSON for `provoke report`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

impl TimedVerifyArgs {
    /// What the library is told.
    pub(crate) fn options(&self) -> TimedVerifyOptions {
        let order = match self.order {
            SearchOrder::Breadth => Order::Breadth,
            SearchOrder::Depth => Order::Depth,
            SearchOrder::Random => Order::Random(self.seed),
        };
        let (budget, jobs, memory) = (self.budget, self.jobs, self.memory);
        TimedVerifyOptions { budget, jobs, memory, order }
    }
}

/// When an estimate is good enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum StopRule {
    /// Both ends of the Clopper-Pearson interval are within epsilon of the frequency
    Uppaal5,
    /// The interval is at most 2 epsilon wide, one-sided while all runs are alike
    Uppaal41,
    /// The Clopper-Pearson interval is at most 2 epsilon wide
    ClopperPearson,
    /// Wilson's interval is at most 2 epsilon wide
    Wilson,
    /// As many runs as Hoeffding's inequality requires
    Chernoff,
}

#[derive(Args)]
pub(crate) struct TimedEstimateArgs {
    #[command(flatten)]
    pub(crate) model: TimedModelArgs,
    /// A query to answer instead of those in the file; may be given several times
    #[arg(short, long, value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    /// Stopping rule of an estimate
    #[arg(long, value_enum, default_value = "uppaal5")]
    pub(crate) rule: StopRule,
    /// Exact number of runs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(crate) runs: Option<u64>,
    /// Confidence level
    #[arg(long, value_name = "P", default_value_t = 0.95, value_parser = inside)]
    pub(crate) confidence: f64,
    /// Half-width of the confidence interval
    #[arg(long, value_name = "E", default_value_t = 0.05, value_parser = inside)]
    pub(crate) epsilon: f64,
    /// Give up after this many runs
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    pub(crate) most_runs: u64,
    /// Wall-clock time for each query, such as 500ms, 60s or 10m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) budget: Option<Duration>,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// Seed of the random number generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Also write the answers to this file, as JSON for `provoke report`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

impl TimedEstimateArgs {
    /// What the library is told.
    pub(crate) fn options(&self) -> Result<TimedEstimateOptions, Failure> {
        Ok(TimedEstimateOptions {
            rule: match (self.runs, self.rule) {
                (Some(runs), _) => StoppingRuleKind::Fixed(runs),
                (None, StopRule::Uppaal5) => StoppingRuleKind::Uppaal5,
                (None, StopRule::Uppaal41) => StoppingRuleKind::Uppaal41,
                (None, StopRule::ClopperPearson) => StoppingRuleKind::ClopperPearson,
                (None, StopRule::Wilson) => StoppingRuleKind::Wilson,
                (None, StopRule::Chernoff) => StoppingRuleKind::Hoeffding,
            },
            confidence: self.confidence,
            epsilon: self.epsilon,
            most_runs: self.most_runs,
            budget: self.budget,
            work: self.place.options()?,
            seed: self.seed,
        })
    }
}

/// A number between 0 and 1.
pub(super) fn inside(word: &str) -> Result<f64, String> {
    match word.parse::<f64>() {
        Ok(number) if number > 0.0 && number < 1.0 => Ok(number),
        _ => Err("a number between 0 and 1".to_string()),
    }
}

#[derive(Args)]
pub(crate) struct TimedSimulateArgs {
    #[command(flatten)]
    pub(crate) model: TimedModelArgs,
    /// A `simulate` query to use instead of the first one in the file
    #[arg(short, long, value_name = "QUERY", conflicts_with = "show")]
    pub(crate) query: Option<String>,
    /// What to show: expressions separated by commas
    #[arg(long, value_name = "EXPRESSIONS")]
    pub(crate) show: Option<String>,
    /// Duration of runs, with --show
    #[arg(long, value_name = "T", default_value_t = 100, requires = "show")]
    pub(crate) time: u32,
    /// Number of runs, with --show
    #[arg(long, value_name = "N", default_value_t = 1, requires = "show",
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) runs: u32,
    /// Seed of the random number generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Write the points to a file: .csv, .json, .vcd (the first run)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct TimedShowArgs {
    #[command(flatten)]
    pub(crate) model: TimedModelArgs,
    /// Output file: .svg, or .dot for Graphviz
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
}
