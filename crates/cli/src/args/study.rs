//! The options of `provoke study`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use provoke_criteria::{Criterion, Masking};
use provoke_study::ModelForm;
use provoke_testgen::GenerationMethod;

use super::words::{duration, word};
use super::{ModelArgs, PlaceArgs};

#[derive(Subcommand)]
pub(crate) enum StudyCommand {
    /// Faults that eight criteria detect, and what observability adds: tables 4 to 16 of the paper
    #[command(after_help = "Examples:\n  \
        provoke study observability --models models --quick -o out/study\n  \
        provoke study observability --models models --budget 60s -o out/study\n  \
        provoke study observability --models models --forms given --criteria mcdc,omcdc --kill \
        -o out/study")]
    Observability(ObservabilityArgs),
    /// Incremental against regular generation: tables 6.1 to 6.5 of the thesis
    #[command(
        after_help = "Example: provoke study incremental --models models --quick -o out/study"
    )]
    Incremental(IncrementalArgs),
    /// Direct, scheduled and adaptive execution behind 21 kinds of delays: table 6.6 of the thesis
    #[command(after_help = "Examples:\n  \
        provoke generate models/ward_pump.lus -c mcdc,obranch --reduce none -o out/ward\n  \
        provoke study platform models/ward_pump.lus out/ward/suite.json -o out/platform\n  \
        provoke study platform models/ward_pump.lus out/ward/suite.json --runs 1 --mutants 5 -o out/platform")]
    Platform(PlatformArgs),
    /// Mining methods, side by side: tables 5.1 and 5.2 of the thesis
    #[command(after_help = "Example: provoke study mining --targets models/c -o out/mining")]
    Mining(super::MiningArgs),
    /// Verdicts under uncertain timing: precision, mutants killed, cost and accuracy of the rules
    #[command(after_help = "Examples:\n  \
        provoke study stochastic --quick -o out/stochastic\n  \
        provoke study stochastic --models models/timed/seat.xml -o out/stochastic")]
    Stochastic(super::StochasticArgs),
}

/// What all studies have in common.
#[derive(Args)]
pub(crate) struct StudyArgs {
    /// A model, or a folder of models (.lus); may be given several times
    #[arg(long, value_name = "PATH", required = true)]
    pub(crate) models: Vec<PathBuf>,
    /// Only the three smallest models, with --effort 1, 10 suites and 100 mutants, unless more is
    /// requested
    #[arg(long)]
    pub(crate) quick: bool,
    /// Wall-clock time for each case: model, form, criterion and method [default: use --effort]
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with = "effort")]
    pub(crate) budget: Option<Duration>,
    /// A repeatable measure of work for each obligation: apart from times, the same seed and
    /// effort give the same tables with any number of jobs [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) effort: Option<u32>,
    /// Maximum number of mutants of each model [default: 500, incremental 250]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) mutants: Option<u32>,
    /// Number of suites for each case, or runs of each method [default: 50, incremental 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) suites: Option<u32>,
    /// Seed of the random number generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// Output folder for the tables; finished cases are kept there and not repeated
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
}

#[derive(Args)]
pub(crate) struct ObservabilityArgs {
    #[command(flatten)]
    pub(crate) study: StudyArgs,
    /// Criteria, separated by commas [default: all eight]
    #[arg(short, long, value_name = "CRITERIA", value_delimiter = ',', value_parser = word::<Criterion>)]
    pub(crate) criteria: Vec<Criterion>,
    /// Forms of the models: given, inlined, split (one operator per equation)
    #[arg(long, value_name = "FORMS", default_value = "given,inlined,split",
          value_delimiter = ',', value_parser = word::<ModelForm>)]
    pub(crate) forms: Vec<ModelForm>,
    /// Masking rules: strict, original (as published)
    #[arg(long, value_name = "READINGS", default_value = "strict,original",
          value_delimiter = ',', value_parser = studied_masking)]
    pub(crate) masking: Vec<Masking>,
    /// Search method: hybrid, incremental, regular, random
    #[arg(long, value_name = "METHOD", default_value = "hybrid", value_parser = word::<GenerationMethod>)]
    pub(crate) method: GenerationMethod,
    /// Also decide the mutants that survive the omcdc tests of a model as given: equivalent, or
    /// killed by a further test
    #[arg(long)]
    pub(crate) kill: bool,
    /// Wall-clock time for the surviving mutants of each model [default: that of a case]
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "kill")]
    pub(crate) kill_budget: Option<Duration>,
}

#[derive(Args)]
pub(crate) struct IncrementalArgs {
    #[command(flatten)]
    pub(crate) study: StudyArgs,
    /// The criterion
    #[arg(short, long, value_name = "CRITERION", default_value = "omcdc", value_parser = word::<Criterion>)]
    pub(crate) criterion: Criterion,
}

fn studied_masking(word: &str) -> Result<Masking, String> {
    let studied = |masking: &Masking| *masking != Masking::ShortCircuit;
    let wrong = || "the readings that are studied are strict, original".to_string();
    Masking::named(word).filter(studied).ok_or_else(wrong)
}

#[derive(Args)]
pub(crate) struct PlatformArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The tests: JSON, CSV, Kind 2 JSON, XLSX, .sss, JKind XML
    #[arg(value_name = "SUITE")]
    pub(crate) suite: PathBuf,
    /// Number of runs on each platform, with other delays; the median counts; 0 skips the table of
    /// all platforms
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) runs: u32,
    /// Average number of inputs that change in a step: the suite is also run with that many; 0 skips
    /// the table
    #[arg(long, value_name = "N,...", default_value = "4,8,18", value_delimiter = ',')]
    pub(crate) changes: Vec<u32>,
    /// Number of faulty systems to run, as compiled C
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub(crate) mutants: u32,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// Seed of the random number generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Output folder for platform.csv and platform.md; finished cases are kept there and not repeated
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
}
