//! The commands and their options.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use provoke_codegen::Machine;
use provoke_criteria::{Counting, Criterion, Exact, Masking};
use provoke_exec::Mode;
use provoke_model::{IntWidth, RealWidth};
use provoke_mutate::{Operator, REPLACEMENTS};
use provoke_solve::engine::{Choice, Engine};
use provoke_store::Shard;
use provoke_study::Form;
use provoke_testgen::Method;

use crate::output::{Color, Format};

mod mine;
mod timed;

pub(crate) use mine::*;
pub(crate) use timed::*;

/// Tests reactive embedded software from its model.
#[derive(Parser)]
#[command(name = "provoke", version, max_term_width = 100)]
#[command(about = "Tests reactive embedded software from its model")]
#[command(after_help = "Exit codes: 0 all is well, 1 the answer is negative, 2 usage, 3 the \
    input is wrong, 4 something needed is missing, 5 inconclusive, 70 internal error, \
    130 interrupted.\n\
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
    /// Generate tests: every obligation gets a test, a proof, or an honest unknown
    #[command(after_help = "Examples:\n  \
        provoke generate models/microwave.lus -c omcdc -o out/\n  \
        provoke generate models/voter.lus -c mcdc --method random --seed 7\n  \
        provoke generate models/voter.lus -c omcdc --exact step\n  \
        provoke generate models/wiper.lus --effort 20 --format json\n  \
        provoke generate tank.lus --assume \"0 <= level and level <= 100\" -o out/\n  \
        provoke generate models/voter.lus --exclude \"abs#2.*\" --because \"same as abs#1\"\n  \
        provoke generate models/microwave.lus -c omcdc,properties --reduce exact")]
    Generate(GenerateArgs),
    /// Decide the model's own properties: falsified with a test, proven, or unknown
    #[command(after_help = "Examples:\n  \
        provoke prove models/traffic_light.lus --budget 60s\n  \
        provoke prove tank.lus --assume \"0 <= level and level <= 100\"")]
    Prove(ProveArgs),
    /// Join what the shards of a run, or interrupted runs, have found
    #[command(after_help = "Example: provoke merge out1 out2 out3 out4 -o out --require-complete")]
    Merge(MergeArgs),
    /// List what a criterion asks for
    #[command(after_help = "Example: provoke obligations models/voter.lus -c omcdc")]
    Obligations(ObligationsArgs),
    /// Measure what a suite exercises and makes visible
    #[command(after_help = "Examples:\n  \
        provoke measure models/microwave.lus tests.csv -c omcdc\n  \
        provoke measure models/microwave.lus tests.json -c mcdc,omcdc --exact step --require 90%\n  \
        provoke measure models/microwave.lus tests.json --suggest-oracle 3")]
    Measure(MeasureArgs),
    /// Make a suite smaller without losing coverage
    #[command(after_help = "Examples:\n  \
        provoke reduce models/microwave.lus tests.json -c omcdc -o small.json\n  \
        provoke reduce models/microwave.lus tests.json --method random --repeat 50")]
    Reduce(ReduceArgs),
    /// Score a suite by the faults it finds
    #[command(after_help = "Examples:\n  \
        provoke mutate models/microwave.lus --list\n  \
        provoke mutate models/microwave.lus tests.json --oracle maximum\n  \
        provoke mutate models/microwave.lus tests.json --sample 500 --seed 7 --require 80%\n  \
        provoke mutate models/voter.lus tests.json --kill -o out/\n  \
        provoke mutate models/voter.lus tests.json --stryker mutants.json")]
    Mutate(MutateArgs),
    /// Explore a program from outside: a suite, the machine it is, and what is wrong with it
    #[command(after_help = "Examples:\n  \
        provoke mine models/c/wiper.toml -o out/\n  \
        provoke mine models/c/token_ring.toml --method exhaustive -o out/\n  \
        provoke mine --init models/c/wiper.c -o wiper.toml")]
    Mine(MineArgs),
    /// Compare criteria, methods or ways to run tests, as the literature does
    #[command(subcommand)]
    Study(StudyCommand),
    /// Write a suite in another format
    #[command(after_help = "Examples:\n  \
        provoke convert tests.csv --model models/wiper.lus -o tests.json\n  \
        provoke convert tests.json -o waves.vcd")]
    Convert(ConvertArgs),
    /// Write a model as C code
    #[command(after_help = "Examples:\n  \
        provoke codegen models/wiper.lus -o c/\n  \
        provoke codegen models/wiper.lus --int 32 --suite out/suite.json -o c/")]
    Codegen(CodegenArgs),
    /// Run a suite on a target, although it is late
    #[command(after_help = "Examples:\n  \
        provoke run out/suite.json --on target.toml\n  \
        provoke run out/suite.json --on target.toml --mode adaptive -o run/")]
    Run(RunArgs),
    /// Measure how late a target is, and write it into its file
    #[command(after_help = "Example: provoke calibrate --on target.toml --samples 200")]
    Calibrate(CalibrateArgs),
    /// Timed automata in UPPAAL's format
    #[command(subcommand)]
    Timed(TimedCommand),
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

/// What obligations are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Asked {
    Criterion(Criterion),
    /// The model's own properties, each to be falsified.
    Properties,
}

impl Asked {
    /// The word users write.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Asked::Criterion(criterion) => criterion.word(),
            Asked::Properties => "properties",
        }
    }
}

/// What is to be exercised.
#[derive(Args)]
pub(crate) struct CriterionArgs {
    /// Criteria, separated by commas: condition, decision, branch, mcdc; with an `o` in front
    /// what is exercised must become visible; properties: the model's own, each to be falsified
    #[arg(short, long, value_name = "CRITERIA", default_value = "omcdc", value_delimiter = ',',
          value_parser = asked)]
    pub(crate) criterion: Vec<Asked>,
    /// What counts as one obligation: as the published tool counts, or each occurrence once
    #[arg(long, value_name = "RULE", default_value = "published", value_parser = counting)]
    pub(crate) counting: Counting,
}

impl CriterionArgs {
    /// The criteria as one word.
    pub(crate) fn words(&self) -> String {
        self.criterion.iter().map(|asked| asked.word()).collect::<Vec<_>>().join(",")
    }
}

fn asked(word: &str) -> Result<Asked, String> {
    let all = Criterion::ALL.into_iter().map(Asked::Criterion).chain([Asked::Properties]);
    let known: Vec<_> = all.clone().map(Asked::word).collect();
    all.into_iter()
        .find(|asked| asked.word() == word)
        .ok_or_else(|| format!("the criteria are {}", known.join(", ")))
}

fn counting(word: &str) -> Result<Counting, String> {
    Counting::named(word).ok_or_else(|| "the rules are published and precise".to_string())
}

fn masking(word: &str) -> Result<Masking, String> {
    let known: Vec<_> = Masking::ALL.iter().map(|masking| masking.word()).collect();
    Masking::named(word).ok_or_else(|| format!("the readings are {}", known.join(", ")))
}

fn exact(word: &str) -> Result<Exact, String> {
    Exact::named(word).ok_or_else(|| "choose step or stuck".to_string())
}

/// A number from 0 to 100, with or without a per cent sign.
fn percentage(word: &str) -> Result<f64, String> {
    match word.trim_end_matches('%').parse::<f64>() {
        Ok(number) if (0.0..=100.0).contains(&number) => Ok(number),
        _ => Err("a number from 0 to 100".to_string()),
    }
}

#[derive(Args)]
pub(crate) struct ObligationsArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) criterion: CriterionArgs,
}

/// How much work is done.
#[derive(Args, Default)]
pub(crate) struct WorkArgs {
    /// Wall-clock time in all, such as 500ms, 60s or 10m; what is found is sound, but not repeatable
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with = "effort")]
    pub(crate) budget: Option<Duration>,
    /// A repeatable measure of work for each obligation: the same seed and effort give the same
    /// result with any number of jobs [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) effort: Option<u32>,
    /// How many threads work [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) jobs: Option<u32>,
    /// Which engine decides: bmc, kind, pdr, or all
    #[arg(long, value_name = "ENGINE", default_value = "all", value_parser = engine)]
    pub(crate) engine: Engine,
    /// Which solver answers: z3, yices (repeatable only where its time suffices), or portfolio:
    /// z3, and yices where z3 has no answer
    #[arg(long, value_name = "SOLVER", default_value = "z3", value_parser = solver)]
    pub(crate) solver: Choice,
    /// How much memory z3 may hold; beyond it an obligation stays unknown
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(16..=1_000_000))]
    pub(crate) memory: Option<u32>,
    /// What the inputs are sure to fulfil in every step: a Boolean expression over the variables
    /// of the main node, as after `assert`; may be given several times
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) assume: Vec<String>,
    /// Where random numbers start
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
}

#[derive(Args)]
pub(crate) struct GenerateArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) criterion: CriterionArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
    /// How tests are searched for: hybrid, incremental, regular, random
    #[arg(long, value_name = "METHOD", default_value = "hybrid", value_parser = method)]
    pub(crate) method: Method,
    /// When an operand counts as masked: strict, original (as published), short-circuit
    #[arg(long, value_name = "READING", default_value = "strict", value_parser = masking)]
    pub(crate) masking: Masking,
    /// What is monitored: output, maximum, or names separated by commas
    #[arg(long, value_name = "ORACLE", default_value = "output")]
    pub(crate) oracle: String,
    /// Change the values and compare instead of following tags: at one step, or stuck for the
    /// whole test
    #[arg(long, value_name = "MODE", value_parser = exact)]
    pub(crate) exact: Option<Exact>,
    /// Keep the tests of this suite and add only what is missing
    #[arg(long, value_name = "SUITE")]
    pub(crate) extend: Option<PathBuf>,
    /// Leave out this obligation, or all that a pattern with * names; --because says why
    #[arg(long, value_name = "ID")]
    pub(crate) exclude: Vec<String>,
    /// The reason of the --exclude before it
    #[arg(long, value_name = "TEXT")]
    pub(crate) because: Vec<String>,
    /// How the suite is made smaller without loss: none, random, greedy, hgs, exact
    #[arg(long, value_name = "METHOD", default_value = "greedy", value_parser = reducing)]
    pub(crate) reduce: Reducing,
    /// Leave solving to others but for this share of the obligations, such as 2/4
    #[arg(long, value_name = "K/N", requires = "output", value_parser = shard)]
    pub(crate) shard: Option<Shard>,
    /// Where to write suite.json and verdicts.json; the same command goes on from there
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct MergeArgs {
    /// The folders that `generate -o` wrote
    #[arg(value_name = "FOLDER", required = true)]
    pub(crate) stores: Vec<PathBuf>,
    /// Exit with 5 if a shard is missing or something is damaged
    #[arg(long)]
    pub(crate) require_complete: bool,
    /// Where to join them
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
}

#[derive(Args)]
pub(crate) struct ProveArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
    /// Where to write suite.json and verdicts.json
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
}

fn solver(word: &str) -> Result<Choice, String> {
    let known: Vec<_> = Choice::ALL.iter().map(|choice| choice.word()).collect();
    Choice::named(word).ok_or_else(|| format!("the solvers are {}", known.join(", ")))
}

fn shard(word: &str) -> Result<Shard, String> {
    word.parse().map_err(|error| format!("{error}"))
}

fn method(word: &str) -> Result<Method, String> {
    let known: Vec<_> = Method::ALL.iter().map(|method| method.word()).collect();
    Method::named(word).ok_or_else(|| format!("the methods are {}", known.join(", ")))
}

fn engine(word: &str) -> Result<Engine, String> {
    let known: Vec<_> = Engine::ALL.iter().map(|engine| engine.word()).collect();
    Engine::named(word).ok_or_else(|| format!("the engines are {}", known.join(", ")))
}

/// `500ms`, `60s` or `10m`.
fn duration(word: &str) -> Result<Duration, String> {
    let split = word.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(word.len());
    let (number, unit) = word.split_at(split);
    let seconds = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err("write a time such as 500ms, 60s or 10m".to_string()),
    };
    match number.parse::<f64>() {
        Ok(number) if (0.0..1e9).contains(&number) => Ok(Duration::from_secs_f64(number * seconds)),
        _ => Err("write a time such as 500ms, 60s or 10m".to_string()),
    }
}

/// How a suite is looked at.
#[derive(Args)]
pub(crate) struct SuiteArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The tests: JSON, CSV, Kind 2 JSON, XLSX, .sss, JKind XML
    #[arg(value_name = "SUITE")]
    pub(crate) suite: PathBuf,
    #[command(flatten)]
    pub(crate) criterion: CriterionArgs,
    /// When an operand counts as masked: strict, original (as published), short-circuit
    #[arg(long, value_name = "READING", default_value = "strict", value_parser = masking)]
    pub(crate) masking: Masking,
    /// What is monitored: output, maximum, or names separated by commas
    #[arg(long, value_name = "ORACLE", default_value = "output")]
    pub(crate) oracle: String,
    /// What becomes of inputs that the tests leave open
    #[arg(long, value_enum, default_value = "keep")]
    pub(crate) fill: Fill,
    /// Where random numbers start
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
}

#[derive(Args)]
pub(crate) struct MeasureArgs {
    #[command(flatten)]
    pub(crate) on: SuiteArgs,
    /// Also change the values and compare: at one step, or stuck for the whole test
    #[arg(long, value_name = "MODE", value_parser = exact)]
    pub(crate) exact: Option<Exact>,
    /// Name up to N variables that would show more if they were monitored
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) suggest_oracle: usize,
    /// List every obligation, covered ones with the way they became visible
    #[arg(long)]
    pub(crate) all: bool,
    /// Exit with 1 if less is covered
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    pub(crate) require: Option<f64>,
}

/// How tests are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Reduction {
    /// The test that adds most, again and again
    Greedy,
    /// In random order, whatever adds something
    Random,
    /// Tests for the rarest obligations first (Harrold, Gupta, Soffa)
    Hgs,
    /// The smallest suite there is
    Exact,
}

impl Reduction {
    /// The word users write.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Reduction::Greedy => "greedy",
            Reduction::Random => "random",
            Reduction::Hgs => "hgs",
            Reduction::Exact => "exact",
        }
    }
}

/// How a generated suite is made smaller, if it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reducing(pub(crate) Option<Reduction>);

impl Reducing {
    /// The word users write.
    pub(crate) fn word(self) -> &'static str {
        self.0.map_or("none", Reduction::word)
    }
}

fn reducing(word: &str) -> Result<Reducing, String> {
    match (word, Reduction::from_str(word, false)) {
        ("none", _) => Ok(Reducing(None)),
        (_, Ok(method)) => Ok(Reducing(Some(method))),
        _ => Err("the methods are none, random, greedy, hgs, exact".to_string()),
    }
}

/// What is to be small.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Unit {
    /// The number of tests
    Tests,
    /// The number of steps in all tests
    Steps,
}

#[derive(Args)]
pub(crate) struct ReduceArgs {
    #[command(flatten)]
    pub(crate) on: SuiteArgs,
    /// How tests are chosen
    #[arg(long, value_enum, default_value = "greedy")]
    pub(crate) method: Reduction,
    /// What the exact method makes small
    #[arg(long, value_enum, default_value = "tests")]
    pub(crate) by: Unit,
    /// Repeat the random method and show the distribution of sizes; the smallest is kept
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) repeat: u32,
    /// Also cut the steps at the end of tests that nothing needs
    #[arg(long)]
    pub(crate) trim: bool,
    /// How long the exact method may try, in units of work
    #[arg(long, value_name = "N", default_value_t = provoke_suite::reduce::DEFAULT_EFFORT)]
    pub(crate) effort: u64,
    /// Where to write the smaller suite
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct MutateArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The tests: JSON, CSV, Kind 2 JSON, XLSX, .sss, JKind XML
    #[arg(value_name = "SUITE", required_unless_present = "list")]
    pub(crate) suite: Option<PathBuf>,
    /// List the mutants; run nothing
    #[arg(long, conflicts_with_all = ["equivalence", "kill", "matrix", "stryker", "require"])]
    pub(crate) list: bool,
    /// Kinds of faults, separated by commas: arithmetic, relational, boolean, negation, delay,
    /// constant, variable [default: all]
    #[arg(long, value_name = "OPERATORS", value_delimiter = ',', value_parser = operator)]
    pub(crate) operators: Vec<Operator>,
    /// Try N other variables in place of one; all would be quadratic in the size of the model
    #[arg(long, value_name = "N", default_value_t = REPLACEMENTS as u32)]
    pub(crate) replacements: u32,
    /// Take N mutants at random, so that each kind of fault keeps its share
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) sample: Option<u32>,
    /// What is monitored: output, maximum, or names separated by commas
    #[arg(long, value_name = "ORACLE", default_value = "output")]
    pub(crate) oracle: String,
    /// What becomes of inputs that the tests leave open
    #[arg(long, value_enum, default_value = "keep")]
    pub(crate) fill: Fill,
    /// Prove survivors equivalent, or find out that a test could kill them
    #[arg(long)]
    pub(crate) equivalence: bool,
    /// Add the tests that kill survivors to the suite; -o says where it is written
    #[arg(long, requires = "output")]
    pub(crate) kill: bool,
    /// Run every mutant on all tests, and tell which ones kill it
    #[arg(long)]
    pub(crate) matrix: bool,
    /// Exit with 1 if less is killed of what is valid and not proven equivalent
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    pub(crate) require: Option<f64>,
    /// Also write a report for the viewer of mutation-testing-elements
    #[arg(long, value_name = "FILE")]
    pub(crate) stryker: Option<PathBuf>,
    /// Where to write suite.json and mutants.json
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

fn operator(word: &str) -> Result<Operator, String> {
    let known: Vec<_> = Operator::ALL.iter().map(|operator| operator.word()).collect();
    Operator::named(word).ok_or_else(|| format!("the operators are {}", known.join(", ")))
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

#[derive(Subcommand)]
pub(crate) enum StudyCommand {
    /// What eight criteria find, and what observability adds: tables 4 to 16 of the paper
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
    /// Ways to explore programs, side by side: tables 5.1 and 5.2 of the thesis
    #[command(after_help = "Example: provoke study mining --targets models/c -o out/mining")]
    Mining(MiningArgs),
}

/// What all studies have in common.
#[derive(Args)]
pub(crate) struct StudyArgs {
    /// A model, or a folder of models (.lus); may be given several times
    #[arg(long, value_name = "PATH", required = true)]
    pub(crate) models: Vec<PathBuf>,
    /// Only the three smallest models, and little work on them: --effort 1, 10 suites, 100
    /// mutants, unless more is asked for
    #[arg(long)]
    pub(crate) quick: bool,
    /// Wall-clock time for each case: model, form, criterion and method; without it --effort
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with = "effort")]
    pub(crate) budget: Option<Duration>,
    /// A repeatable measure of work for each obligation: apart from times, the same seed and
    /// effort give the same tables with any number of jobs [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) effort: Option<u32>,
    /// How many cases are worked on at a time [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) jobs: Option<u32>,
    /// How many mutants of each model, if it has more [default: 500, incremental 250]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) mutants: Option<u32>,
    /// How many suites for each case, or runs of each method [default: 50, incremental 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) suites: Option<u32>,
    /// Where random numbers start
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Where to write the tables; finished cases are kept there and not done again
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
}

#[derive(Args)]
pub(crate) struct ObservabilityArgs {
    #[command(flatten)]
    pub(crate) study: StudyArgs,
    /// Criteria, separated by commas [default: all eight]
    #[arg(short, long, value_name = "CRITERIA", value_delimiter = ',', value_parser = criterion)]
    pub(crate) criteria: Vec<Criterion>,
    /// The shapes of the models: given, inlined, split (one operator in each equation)
    #[arg(long, value_name = "FORMS", default_value = "given,inlined,split",
          value_delimiter = ',', value_parser = form)]
    pub(crate) forms: Vec<Form>,
    /// How masking is read: strict, original (as published)
    #[arg(long, value_name = "READINGS", default_value = "strict,original",
          value_delimiter = ',', value_parser = studied_masking)]
    pub(crate) masking: Vec<Masking>,
    /// How tests are searched for: hybrid, incremental, regular, random
    #[arg(long, value_name = "METHOD", default_value = "hybrid", value_parser = method)]
    pub(crate) method: Method,
    /// Also decide the mutants that the omcdc tests of a model as it is written do not kill:
    /// equivalent, or killed by a further test
    #[arg(long)]
    pub(crate) kill: bool,
    /// Wall-clock time for the survivors of each model [default: that of a case]
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "kill")]
    pub(crate) kill_budget: Option<Duration>,
}

#[derive(Args)]
pub(crate) struct IncrementalArgs {
    #[command(flatten)]
    pub(crate) study: StudyArgs,
    /// The criterion
    #[arg(short, long, value_name = "CRITERION", default_value = "omcdc", value_parser = criterion)]
    pub(crate) criterion: Criterion,
}

fn criterion(word: &str) -> Result<Criterion, String> {
    let known: Vec<_> = Criterion::ALL.iter().map(|criterion| criterion.word()).collect();
    Criterion::named(word).ok_or_else(|| format!("the criteria are {}", known.join(", ")))
}

fn form(word: &str) -> Result<Form, String> {
    let known: Vec<_> = Form::ALL.iter().map(|form| form.word()).collect();
    Form::named(word).ok_or_else(|| format!("the forms are {}", known.join(", ")))
}

fn studied_masking(word: &str) -> Result<Masking, String> {
    let studied = |masking: &Masking| *masking != Masking::ShortCircuit;
    let wrong = || "the readings that are studied are strict, original".to_string();
    Masking::named(word).filter(studied).ok_or_else(wrong)
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
    /// Compute the expected values of these: output, maximum, or names separated by commas
    #[arg(long, value_name = "ORACLE", requires = "model")]
    pub(crate) expected: Option<String>,
    /// What becomes of inputs that the tests leave open
    #[arg(long, value_enum, default_value = "keep")]
    pub(crate) fill: Fill,
    /// Where random numbers start
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
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

#[derive(Args)]
pub(crate) struct RunArgs {
    /// The tests: JSON, CSV, Kind 2 JSON, XLSX, .sss, JKind XML
    #[arg(value_name = "SUITE")]
    pub(crate) suite: PathBuf,
    /// The file that describes the target
    #[arg(long, value_name = "TARGET.toml")]
    pub(crate) on: PathBuf,
    /// How events are sent and outputs judged: direct, scheduled, adaptive
    #[arg(long, value_name = "MODE", default_value = "scheduled", value_parser = mode)]
    pub(crate) mode: Mode,
    /// The most runs of a test in the adaptive mode, and again as many to confirm a failure
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(crate) max_runs: u64,
    /// What becomes of inputs that the tests leave open
    #[arg(long, value_enum, default_value = "hold")]
    pub(crate) fill: Fill,
    /// Where random numbers start
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Where to write results.json, junit.xml, interactions.csv, events.csv and trace.vcd
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct CalibrateArgs {
    /// The file that describes the target; it gets what is measured
    #[arg(long, value_name = "TARGET.toml")]
    pub(crate) on: PathBuf,
    /// How many delays of each input are measured
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(10..=100_000))]
    pub(crate) samples: u32,
    /// How long to wait after each test for what is late
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = duration)]
    pub(crate) settle: Duration,
    /// Show what is measured; leave the file as it is
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Where random numbers start
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
}

#[derive(Args)]
pub(crate) struct PlatformArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The tests: JSON, CSV, Kind 2 JSON, XLSX, .sss, JKind XML
    #[arg(value_name = "SUITE")]
    pub(crate) suite: PathBuf,
    /// How often each platform is tried, with other delays; the median counts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) runs: u32,
    /// How many inputs change in a step, on average: the suite is also tried with so many
    #[arg(long, value_name = "N,...", default_value = "4,8,18", value_delimiter = ',')]
    pub(crate) changes: Vec<u32>,
    /// How many faulty systems are tried, as compiled C
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub(crate) mutants: u32,
    /// How many threads work [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) jobs: Option<u32>,
    /// Where random numbers start
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Where to write platform.csv and platform.md
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
}

fn mode(word: &str) -> Result<Mode, String> {
    let known: Vec<_> = Mode::ALL.iter().map(|mode| mode.word()).collect();
    Mode::named(word).ok_or_else(|| format!("the modes are {}", known.join(", ")))
}

#[derive(Args)]
pub(crate) struct CodegenArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// How many bits integers have; they wrap on overflow [default: 64, on boards 32]
    #[arg(long, value_name = "BITS", value_parser = int_width)]
    pub(crate) int: Option<IntWidth>,
    /// What reals are: double or float [default: double, on boards float]
    #[arg(long, value_name = "TYPE", value_parser = real_width)]
    pub(crate) real: Option<RealWidth>,
    /// What else is written: library (a shared library), linux (a process), arm-qemu, avr (programs
    /// for boards), the last three with a Makefile and a target file
    #[arg(long, value_name = "TARGET", value_parser = codegen_target)]
    pub(crate) target: Option<CodegenTarget>,
    /// The time between two steps of such a target
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = duration)]
    pub(crate) step: Duration,
    /// Also write a program that replays this suite and reports the first difference
    #[arg(long, value_name = "SUITE")]
    pub(crate) suite: Option<PathBuf>,
    /// What becomes of inputs that the tests leave open
    #[arg(long, value_enum, default_value = "default")]
    pub(crate) fill: Fill,
    /// Where random numbers start
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// How far reals may be from what is expected, relative to the larger of 1 and the expected
    /// value [default: 1e-9 for double, 1e-4 for float]
    #[arg(long, value_name = "NUMBER", value_parser = tolerance)]
    pub(crate) tolerance: Option<f64>,
    /// Where to write the files
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
}

/// What code is written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CodegenTarget {
    Library,
    Machine(Machine),
}

fn codegen_target(word: &str) -> Result<CodegenTarget, String> {
    match (word, Machine::named(word)) {
        ("library", _) => Ok(CodegenTarget::Library),
        (_, Some(machine)) => Ok(CodegenTarget::Machine(machine)),
        _ => Err("the targets are library, linux, arm-qemu, avr".to_string()),
    }
}

fn int_width(word: &str) -> Result<IntWidth, String> {
    match word {
        "32" => Ok(IntWidth::Bits32),
        "64" => Ok(IntWidth::Bits64),
        _ => Err("the widths are 32 and 64".to_string()),
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

fn suite_format(word: &str) -> Result<provoke_suite::Format, String> {
    provoke_suite::Format::from_word(word).ok_or_else(|| {
        let known: Vec<_> = provoke_suite::Format::ALL.iter().map(|format| format.word()).collect();
        format!("the formats are {}", known.join(", "))
    })
}
