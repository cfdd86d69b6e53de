//! The options of `provoke run` and `calibrate`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use provoke::Fill;
use provoke_exec::Mode;

use super::words::{duration, word};

#[derive(Args)]
pub(crate) struct RunArgs {
    /// The tests: JSON, CSV, Kind 2 JSON, XLSX, .sss, JKind XML
    #[arg(value_name = "SUITE")]
    pub(crate) suite: PathBuf,
    /// The target file
    #[arg(long, value_name = "TARGET.toml")]
    pub(crate) on: PathBuf,
    /// How to send events and judge outputs: direct, scheduled, adaptive
    #[arg(long, value_name = "MODE", default_value = "scheduled", value_parser = word::<Mode>)]
    pub(crate) mode: Mode,
    /// Maximum runs of a test in the adaptive mode, and again as many to confirm a failure
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(crate) max_runs: u64,
    /// How to fill inputs that the tests do not set: keep (they stay unknown), default (false, 0, the
    /// first constant or the lower bound), hold (as in the step before), random (see --seed)
    #[arg(long, value_name = "HOW", default_value = "hold", value_parser = word::<Fill>)]
    pub(crate) fill: Fill,
    /// Seed of the random number generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Run a suite that was made for other numbers
    #[arg(long)]
    pub(crate) allow_other_numbers: bool,
    /// Output folder for results.json, junit.xml, interactions.csv, events.csv and trace.vcd
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct CalibrateArgs {
    /// Target file; measured delays are written into it
    #[arg(long, value_name = "TARGET.toml")]
    pub(crate) on: PathBuf,
    /// Number of delays to measure for each input
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(10..=100_000))]
    pub(crate) samples: u32,
    /// How long to wait after each test for late outputs
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = duration)]
    pub(crate) settle: Duration,
    /// Show the measured delays; leave the file unchanged
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Seed of the random number generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
}
