//! The options of `provoke codegen`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use provoke::{CodegenTarget, Fill, IntBits};
use provoke_codegen::CodePlatform;
use provoke_model::{IntWidth, RealWidth};

use super::ModelArgs;
use super::words::{duration, percentage, word};

#[derive(Args)]
pub(crate) struct CodegenArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Width of integers: 32 or 64 bits, wrapping on overflow; `auto`: 32 bits for those that are
    /// proven to fit, else 64 [default: 64, on boards 32]
    #[arg(long, value_name = "BITS", value_parser = int_bits)]
    pub(crate) int: Option<IntBits>,
    /// Type of reals: double or float [default: double, on boards float]
    #[arg(long, value_name = "TYPE", value_parser = real_width)]
    pub(crate) real: Option<RealWidth>,
    /// Write everything into one function, not a function for each node
    #[arg(long)]
    pub(crate) inline: bool,
    /// Also generate a runnable target: library (a shared library), linux (a process), arm-qemu or avr
    /// (programs for boards); the last three with a Makefile and a target file
    #[arg(long, value_name = "TARGET", value_parser = codegen_target)]
    pub(crate) target: Option<CodegenTarget>,
    /// Time between two steps of such a target
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = duration)]
    pub(crate) step: Duration,
    /// Also write a program that replays this suite and reports the first difference
    #[arg(long, value_name = "SUITE")]
    pub(crate) suite: Option<PathBuf>,
    /// Run the suite on the code, built with clang-19, and list what it does not cover of it: branches and
    /// MC/DC, by lines of the code and of the model
    #[arg(long, requires = "suite")]
    pub(crate) coverage: bool,
    /// Exit 1 if branch coverage or MC/DC of the code is below PERCENT
    #[arg(long, value_name = "PERCENT", value_parser = percentage, requires = "coverage")]
    pub(crate) require: Option<f64>,
    /// How to fill inputs that the tests do not set: keep (they stay unknown), default (false, 0, the
    /// first constant or the lower bound), hold (as in the step before), random (see --seed)
    #[arg(long, value_name = "HOW", default_value = "default", value_parser = word::<Fill>)]
    pub(crate) fill: Fill,
    /// Seed of the random number generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Replay a suite that was made for other numbers
    #[arg(long, requires = "suite")]
    pub(crate) allow_other_numbers: bool,
    /// Tolerance for reals: |actual - expected| <= TOL * max(1, |expected|) [default: 1e-9 for double, 1e-4 for float]
    #[arg(long, value_name = "NUMBER", value_parser = tolerance)]
    pub(crate) tolerance: Option<f64>,
    /// Where to write the files
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
}

fn codegen_target(word: &str) -> Result<CodegenTarget, String> {
    match (word, CodePlatform::named(word)) {
        ("library", _) => Ok(CodegenTarget::Library),
        (_, Some(machine)) => Ok(CodegenTarget::Machine(machine)),
        _ => Err("the targets are library, linux, arm-qemu, avr".to_string()),
    }
}

fn int_bits(word: &str) -> Result<IntBits, String> {
    match word {
        "32" => Ok(IntBits::All(IntWidth::Bits32)),
        "64" => Ok(IntBits::All(IntWidth::Bits64)),
        "auto" => Ok(IntBits::Proven),
        _ => Err("the widths are 32, 64 and auto".to_string()),
    }
}

fn real_width(word: &str) -> Result<RealWidth, String> {
    match word {
        "float" => Ok(RealWidth::Single),
        "double" => Ok(RealWidth::Double),
        _ => Err("the types are double and float".to_string()),
    }
}

fn tolerance(word: &str) -> Result<f64, String> {
    match word.parse::<f64>() {
        Ok(number) if (0.0..1e300).contains(&number) => Ok(number),
        _ => Err("a number that is not negative, such as 1e-6".to_string()),
    }
}
