//! The options of `provoke mine` and its study.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use provoke_mine::{MiningMethod, StateIdentity, SuiteReduction};

use super::PlaceArgs;
use super::words::word;

#[derive(Args)]
pub(crate) struct MineArgs {
    /// The file that describes the program
    #[arg(value_name = "TARGET.toml", required_unless_present = "init")]
    pub(crate) target: Option<PathBuf>,
    /// Propose a file for this C source, from its debug information; -o names the output file
    #[arg(long, value_name = "FILE.c", conflicts_with = "target")]
    pub(crate) init: Option<PathBuf>,
    /// Search method: archive, exhaustive, random, or mine (as published)
    #[arg(long, value_name = "METHOD", default_value = "archive", value_parser = word::<MiningMethod>)]
    pub(crate) method: MiningMethod,
    /// Millions of steps of the program; the same seed and effort give the same result
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) effort: u64,
    /// Wall-clock time for the search, such as 30s or 10m; results are correct but may differ between runs
    #[arg(long, value_name = "TIME", value_parser = super::words::duration)]
    pub(crate) budget: Option<Duration>,
    /// How states are distinguished: memory, history:N, outputs [default: from the file, else memory]
    #[arg(long, value_name = "STATE", value_parser = identity)]
    pub(crate) state: Option<StateIdentity>,
    /// Suite to start from [default: from the file; `mine` starts from random tests]
    #[arg(long, value_name = "SUITE")]
    pub(crate) initial: Option<PathBuf>,
    /// Random tests that `mine` starts from, tests x vectors: 100x100 or 1000x10
    #[arg(long, value_name = "AxB", default_value = "100x100", value_parser = by)]
    pub(crate) random: (usize, usize),
    /// How to reduce the suite: items (of code), behaviour, seed (as published), none
    #[arg(long, value_name = "RULE", default_value = "items", value_parser = word::<SuiteReduction>)]
    pub(crate) reduce: SuiteReduction,
    /// Compare with an earlier run and list changed behaviour
    #[arg(long, value_name = "FOLDER")]
    pub(crate) against: Option<PathBuf>,
    /// Do not repeat tests under sanitizers
    #[arg(long)]
    pub(crate) no_sanitize: bool,
    /// Do not measure coverage
    #[arg(long)]
    pub(crate) no_coverage: bool,
    /// Only build the library that `provoke run` loads; do not search
    #[arg(long, requires = "output")]
    pub(crate) build: bool,
    /// Run each test in its own process
    #[arg(long)]
    pub(crate) isolate: bool,
    /// Number of searches, each with the whole effort and its own seed; their results are merged,
    /// reduced, confirmed and measured. With --workers, workers do the searches
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) searches: u32,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// Seed of the random number generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Output folder for suite.json, findings.json, the state machine and a target for `provoke run`
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct MiningArgs {
    /// A target file, or a folder of them (.toml); may be given several times
    #[arg(long, value_name = "PATH", required = true)]
    pub(crate) targets: Vec<PathBuf>,
    /// The methods, separated by commas
    #[arg(long, value_name = "METHODS", default_value = "mine,random,archive,exhaustive",
          value_delimiter = ',', value_parser = word::<MiningMethod>)]
    pub(crate) methods: Vec<MiningMethod>,
    /// Millions of steps of the program for each case
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) effort: u64,
    /// Millions of steps for the exhaustive search [default: 40 times the effort]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) exhaustive_effort: Option<u64>,
    /// Seed of the random number generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Skip measuring how many resets and steps per second each way to run a program allows
    #[arg(long)]
    pub(crate) no_throughput: bool,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// Output folder for the tables; finished cases are kept there and not repeated
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
}

fn identity(word: &str) -> Result<StateIdentity, String> {
    StateIdentity::named(word)
        .ok_or_else(|| "write memory, outputs, or history:N with N from 1 to 64".to_string())
}

fn by(word: &str) -> Result<(usize, usize), String> {
    let parsed = word.split_once('x').and_then(|(tests, vectors)| {
        Some((tests.parse::<usize>().ok()?, vectors.parse::<usize>().ok()?))
    });
    match parsed {
        Some((tests @ 1..=1_000_000, vectors @ 1..=100_000)) => Ok((tests, vectors)),
        _ => Err("write tests and vectors, such as 100x100".to_string()),
    }
}
