//! The options of `provoke timed`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::duration;

#[derive(Subcommand)]
pub(crate) enum TimedCommand {
    /// Read a model: errors, warnings, what it consists of
    #[command(after_help = "Example: provoke timed check models/timed/lamp.xml")]
    Check(TimedModelArgs),
    /// Answer the model's questions about all runs: E<>, A[], E[], A<>, -->, sup, inf
    #[command(after_help = "Examples:\n  \
        provoke timed verify models/timed/lamp.xml\n  \
        provoke timed verify models/timed/lamp.xml -q \"E<> Lamp.Bright\" --trace\n  \
        provoke timed verify models/timed/lamp.xml --budget 10s --format json")]
    Verify(TimedVerifyArgs),
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
    /// The oldest first: traces are short
    Breadth,
    /// The newest first
    Depth,
    /// Any, see --seed
    Random,
}

#[derive(Args)]
pub(crate) struct TimedVerifyArgs {
    #[command(flatten)]
    pub(crate) model: TimedModelArgs,
    /// A question in place of those of the file; may be given several times
    #[arg(short, long, value_name = "QUERY", allow_hyphen_values = true)]
    pub(crate) query: Vec<String>,
    /// Show the run that proves or refutes
    #[arg(long)]
    pub(crate) trace: bool,
    /// Wall-clock time for each question, such as 500ms, 60s or 10m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) budget: Option<Duration>,
    /// How many threads work [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) jobs: Option<u32>,
    /// How much memory zones may hold
    #[arg(long, value_name = "MB", default_value_t = 2048,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) memory: u32,
    /// In which order sets of states are looked at
    #[arg(long, value_enum, default_value = "breadth")]
    pub(crate) order: SearchOrder,
    /// Where random numbers start
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
}
