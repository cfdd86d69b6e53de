//! The options of `provoke timed`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum TimedCommand {
    /// Read a model: errors, warnings, what it consists of
    #[command(after_help = "Example: provoke timed check models/timed/lamp.xml")]
    Check(TimedModelArgs),
}

#[derive(Args)]
pub(crate) struct TimedModelArgs {
    /// The model in UPPAAL's XML format, or - for standard input
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
}
