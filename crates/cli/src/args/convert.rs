//! The options of `provoke convert`.

use std::path::PathBuf;

use clap::Args;
use provoke::Fill;

use super::words::word;

#[derive(Args)]
pub(crate) struct ConvertArgs {
    /// The suite or trace, or - for standard input
    #[arg(value_name = "SUITE")]
    pub(crate) suite: PathBuf,
    /// The model of the suite, which gives the types [default: types are inferred]
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<PathBuf>,
    /// The main node of the model
    #[arg(long, value_name = "NODE", requires = "model")]
    pub(crate) main: Option<String>,
    /// Variables to compute expected values for: output, maximum, or names separated by commas
    #[arg(long, value_name = "ORACLE", requires = "model")]
    pub(crate) expected: Option<String>,
    /// How to fill inputs that the tests do not set: keep (they stay unknown), default (false, 0, the
    /// first constant or the lower bound), hold (as in the step before), random (see --seed)
    #[arg(long, value_name = "HOW", default_value = "keep", value_parser = word::<Fill>)]
    pub(crate) fill: Fill,
    /// Seed of the random number generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Format of SUITE [default: from the file extension]
    #[arg(long, value_name = "FORMAT", value_parser = word::<provoke_suite::Format>)]
    pub(crate) from: Option<provoke_suite::Format>,
    /// Format to write [default: from the file extension]
    #[arg(long, value_name = "FORMAT", value_parser = word::<provoke_suite::Format>)]
    pub(crate) to: Option<provoke_suite::Format>,
    /// Output file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}
