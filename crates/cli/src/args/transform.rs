//! The options of `provoke transform`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::ModelArgs;

/// How equations are cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Inline {
    /// Every local variable is replaced by its definition
    Full,
    /// One operator in each equation
    None,
}

#[derive(Args)]
pub(crate) struct TransformArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// How equations are cut; without it calls, structs and arrays are expanded, no more
    #[arg(long, value_enum)]
    pub(crate) inline: Option<Inline>,
    /// Where to write the model
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
}
