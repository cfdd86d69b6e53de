//! The commands and their options.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::output::{Color, Format};

/// Tests reactive embedded software from its model.
#[derive(Parser)]
#[command(name = "provoke", version, max_term_width = 100)]
#[command(about = "Tests reactive embedded software from its model")]
#[command(after_help = "Exit codes: 0 all is well, 1 the answer is negative, 2 usage, 3 the \
    input is wrong, 4 something needed is missing, 5 inconclusive, 70 internal error.\n\
    Start with: provoke demo")]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Args)]
pub(crate) struct Global {
    /// How results are shown
    #[arg(long, global = true, value_enum, default_value = "human")]
    pub(crate) format: Format,
    /// When colours are used
    #[arg(long, global = true, value_enum, default_value = "auto")]
    pub(crate) color: Color,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Read a model: errors, warnings, the interface
    #[command(after_help = "Example: provoke check models/traffic_light.lus")]
    Check(ModelArgs),
    /// Run a model on given inputs
    #[command(after_help = "Examples:\n  \
        provoke simulate models/microwave.lus -i buttons.csv\n  \
        provoke simulate models/microwave.lus -i buttons.csv --show all -o trace.vcd\n  \
        provoke simulate models/microwave.lus -i trace.csv --expect trace.csv\n  \
        provoke simulate models/microwave.lus --steps 20 --seed 7")]
    Simulate(SimulateArgs),
    /// Write an equivalent model of another shape
    #[command(after_help = "Example: provoke transform models/voter.lus --inline full -o flat.lus")]
    Transform(TransformArgs),
    /// Write a suite in another format
    #[command(after_help = "Examples:\n  \
        provoke convert tests.csv --model models/wiper.lus -o tests.json\n  \
        provoke convert tests.json -o waves.vcd")]
    Convert(ConvertArgs),
    /// The whole story on a built-in model
    Demo,
    /// What is installed, what is missing, how to get it
    Doctor,
}

#[derive(Args)]
pub(crate) struct ModelArgs {
    /// The model, or - for standard input
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// The main node, if it is not the one the file marks
    #[arg(long, value_name = "NODE")]
    pub(crate) main: Option<String>,
}

/// What becomes of inputs that a trace leaves open.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Fill {
    /// They stay unknown; what depends on them is unknown too.
    Keep,
    /// false, 0, the first constant, or the lower bound
    Default,
    /// What they were in the step before
    Hold,
    /// Drawn at random, see --seed
    Random,
}

#[derive(Args)]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Inputs: CSV, JSON, Kind 2 JSON, ... (- for standard input); without it inputs are random
    #[arg(short, long, value_name = "FILE")]
    pub(crate) inputs: Option<PathBuf>,
    /// How many steps to do without --inputs
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) steps: u32,
    /// Where random numbers start
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// What becomes of inputs that the file leaves open
    #[arg(long, value_enum, default_value = "keep")]
    pub(crate) fill: Fill,
    /// Compare with the columns of this file that name variables; exit 1 at a difference
    #[arg(long, value_name = "FILE")]
    pub(crate) expect: Option<PathBuf>,
    /// Variables to show: outputs, all, or names separated by commas
    #[arg(long, value_name = "NAMES", default_value = "outputs")]
    pub(crate) show: String,
    /// Write the trace to a file: .csv, .json, .vcd, .xlsx, .sss
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

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

#[derive(Args)]
pub(crate) struct ConvertArgs {
    /// The suite or trace, or - for standard input
    #[arg(value_name = "SUITE")]
    pub(crate) suite: PathBuf,
    /// The model it is for, which gives the types; without it they are inferred
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<PathBuf>,
    /// The main node of the model
    #[arg(long, value_name = "NODE", requires = "model")]
    pub(crate) main: Option<String>,
    /// The format of SUITE, if its name does not tell
    #[arg(long, value_name = "FORMAT", value_parser = suite_format)]
    pub(crate) from: Option<provoke_suite::Format>,
    /// The format to write, if the name does not tell
    #[arg(long, value_name = "FORMAT", value_parser = suite_format)]
    pub(crate) to: Option<provoke_suite::Format>,
    /// Where to write it
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

fn suite_format(word: &str) -> Result<provoke_suite::Format, String> {
    provoke_suite::Format::from_word(word).ok_or_else(|| {
        let known: Vec<_> = provoke_suite::Format::ALL.iter().map(|format| format.word()).collect();
        format!("the formats are {}", known.join(", "))
    })
}
