//! The options of `provoke simulate`.

use std::path::PathBuf;

use clap::Args;
use provoke::Fill;

use super::words::word;
use super::{ModelArgs, NumberArgs};

#[derive(Args)]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) numbers: NumberArgs,
    /// Inputs: CSV, JSON, Kind 2 JSON, ... (- for standard input) [default: random inputs]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) inputs: Option<PathBuf>,
    /// Number of steps without --inputs
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) steps: u32,
    /// Seed of the random number generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// How to fill inputs that the tests do not set: keep (they stay unknown), default (false, 0, the
    /// first constant or the lower bound), hold (as in the step before), random (see --seed)
    #[arg(long, value_name = "HOW", default_value = "keep", value_parser = word::<Fill>)]
    pub(crate) fill: Fill,
    /// Compare with the columns of this file that name variables; exit 1 if a value differs
    #[arg(long, value_name = "FILE")]
    pub(crate) expect: Option<PathBuf>,
    /// Variables to show: outputs, all, or names separated by commas
    #[arg(long, value_name = "NAMES", default_value = "outputs")]
    pub(crate) show: String,
    /// Write the trace to a file: .csv, .json, .vcd, .xlsx, .sss
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
