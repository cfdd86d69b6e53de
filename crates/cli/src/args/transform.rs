//! The options of `provoke transform`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::ModelArgs;

/// How equations are cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Inline {
    /// Replace every local variable by its definition
    Full,
    /// One operator per equation
    None,
}

#[derive(Args)]
pub(crate) struct TransformArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// How to rewrite equations [default: only expand calls, structs and arrays]
    #[arg(long, value_enum)]
    pub(crate) inline: Option<Inline>,
    /// Output file for the model
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
}
