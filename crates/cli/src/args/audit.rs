//! The options of `provoke audit`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::words::duration;

#[derive(Args)]
pub(crate) struct AuditArgs {
    /// The folder that `generate -o`, `prove -o`, `measure -o` or `mutate -o` wrote
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// Total wall-clock time, such as 60s or 10m; claims not reached count as unconfirmed
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) budget: Option<Duration>,
    /// Time limit of the solver for one query
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "20s")]
    pub(crate) query: Duration,
    /// Number of mutants checked at once; does not change the result [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) jobs: Option<u32>,
}
