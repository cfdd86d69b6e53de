//! The options of `provoke worker`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::words::duration;

#[derive(Args)]
pub(crate) struct WorkerArgs {
    /// The store of the command, which has left there what is to be done
    #[arg(long, value_name = "FOLDER")]
    pub(crate) store: PathBuf,
    /// The plan, one chunk a line, or - for standard input [default: the line in $HQ_ENTRY]
    #[arg(long, value_name = "FILE")]
    pub(crate) plan: Option<PathBuf>,
    /// Take only every N-th line (see --of), from this one on, counted from 0
    #[arg(long, value_name = "I", requires = "of")]
    pub(crate) index: Option<usize>,
    /// How many workers share the plan
    #[arg(long, value_name = "N", requires = "index")]
    pub(crate) of: Option<usize>,
    /// End before this time is over
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) limit: Option<Duration>,
}
