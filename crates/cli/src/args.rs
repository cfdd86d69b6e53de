//! The commands; the options of each are in a file of their own.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::output::{Color, Format};

mod audit;
mod codegen;
mod convert;
mod coverage;
mod criterion;
mod generate;
mod mine;
mod mutate;
mod report;
mod simulate;
mod study;
mod target;
mod timed;
mod timed_oracle;
mod transform;
mod words;
mod worker;

pub(crate) use audit::*;
pub(crate) use codegen::*;
pub(crate) use convert::*;
pub(crate) use coverage::*;
pub(crate) use criterion::*;
pub(crate) use generate::*;
pub(crate) use mine::*;
pub(crate) use mutate::*;
pub(crate) use report::*;
pub(crate) use simulate::*;
pub(crate) use study::*;
pub(crate) use target::*;
pub(crate) use timed::*;
pub(crate) use timed_oracle::*;
pub(crate) use transform::*;
pub(crate) use worker::*;

/// Tests reactive embedded software from its model.
#[derive(Parser)]
#[command(name = "provoke", version, max_term_width = 100)]
#[command(about = "Tests reactive embedded software from its model")]
#[command(after_help = "Exit codes: 0 success, 1 the answer is negative, 2 usage, 3 the \
    input is wrong, 4 something needed is missing, 5 inconclusive, 70 internal error, \
    130 interrupted.\n\
    Start with: provoke demo")]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Args)]
pub(crate) struct Global {
    /// Output format
    #[arg(long, global = true, value_enum, default_value = "human")]
    pub(crate) format: Format,
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value = "auto")]
    pub(crate) color: Color,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Check a model: errors, warnings, interface
    #[command(after_help = "Examples:\n  \
        provoke check models/traffic_light.lus\n  \
        provoke check models/traffic_light.lus --sarif findings.sarif")]
    Check(CheckArgs),
    /// Run a model on given inputs
    #[command(after_help = "Examples:\n  \
        provoke simulate models/microwave.lus -i buttons.csv\n  \
        provoke simulate models/microwave.lus -i buttons.csv --show all -o trace.vcd\n  \
        provoke simulate models/microwave.lus -i trace.csv --expect trace.csv\n  \
        provoke simulate models/microwave.lus --steps 20 --seed 7")]
    Simulate(SimulateArgs),
    /// Rewrite a model: inline nodes, or one operator per equation
    #[command(after_help = "Example: provoke transform models/voter.lus --inline full -o flat.lus")]
    Transform(TransformArgs),
    /// Generate tests; each obligation ends as covered, infeasible (proven) or unknown
    #[command(after_help = "Examples:\n  \
        provoke generate models/microwave.lus -c omcdc -o out/\n  \
        provoke generate models/voter.lus -c mcdc --method random --seed 7\n  \
        provoke generate models/voter.lus -c omcdc --exact step\n  \
        provoke generate models/wiper.lus --effort 20 --format json\n  \
        provoke generate tank.lus --assume \"0 <= level and level <= 100\" -o out/\n  \
        provoke generate models/voter.lus --exclude \"abs#2.*\" --because \"same as abs#1\"\n  \
        provoke generate models/microwave.lus -c omcdc,properties --reduce exact\n  \
        provoke generate models/cruise_control.lus -c errors --int 32")]
    Generate(GenerateArgs),
    /// Check the model's properties: each holds (proven), is violated (with a counterexample) or unknown
    #[command(after_help = "Examples:\n  \
        provoke prove models/traffic_light.lus --budget 60s\n  \
        provoke prove tank.lus --assume \"0 <= level and level <= 100\"")]
    Prove(ProveArgs),
    /// Merge the results of shards or interrupted runs
    #[command(after_help = "Example: provoke merge out1 out2 out3 out4 -o out --require-complete")]
    Merge(MergeArgs),
    /// Process tasks of a distributed run (started by the scheduler, not by hand)
    #[command(after_help = "Examples:\n  \
        provoke worker --store out --plan out/engine/plan-1.jsonl\n  \
        provoke worker --store out --plan out/engine/plan-1.jsonl --index 0 --of 8 --limit 25m")]
    Worker(WorkerArgs),
    /// List the obligations of a criterion
    #[command(after_help = "Example: provoke obligations models/voter.lus -c omcdc")]
    Obligations(ObligationsArgs),
    /// Measure the coverage of a suite
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
    /// Score a suite by the mutants it kills
    #[command(after_help = "Examples:\n  \
        provoke mutate models/microwave.lus --list\n  \
        provoke mutate models/microwave.lus tests.json --oracle maximum\n  \
        provoke mutate models/microwave.lus tests.json --sample 500 --seed 7 --require 80%\n  \
        provoke mutate models/voter.lus tests.json --kill -o out/\n  \
        provoke mutate models/voter.lus tests.json --stryker mutants.json")]
    Mutate(MutateArgs),
    /// Explore a C program without a model: test suite, state machine, crashes and hangs
    #[command(after_help = "Examples:\n  \
        provoke mine models/c/wiper.toml -o out/\n  \
        provoke mine models/c/token_ring.toml --method exhaustive -o out/\n  \
        provoke mine models/c/token_ring.toml --searches 8 --workers local -o out/\n  \
        provoke mine --init models/c/wiper.c -o wiper.toml")]
    Mine(MineArgs),
    /// Compare criteria, methods or execution modes, as in the literature
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
        provoke codegen models/wiper.lus --int 32 --suite out/suite.json -o c/\n  \
        provoke codegen models/wiper.lus --suite out/suite.json --coverage --require 90% -o c/")]
    Codegen(CodegenArgs),
    /// Run a suite on a target, compensating for sensor and actuator delays
    #[command(after_help = "Examples:\n  \
        provoke run out/suite.json --on target.toml\n  \
        provoke run out/suite.json --on target.toml --mode adaptive -o run/")]
    Run(RunArgs),
    /// Measure a target's delays and store them in the target file
    #[command(after_help = "Example: provoke calibrate --on target.toml --samples 200")]
    Calibrate(CalibrateArgs),
    /// Timed automata in UPPAAL's format
    #[command(subcommand)]
    Timed(TimedCommand),
    /// Explain an obligation: what it requires, which test covers it, or why none can
    #[command(after_help = "Examples:\n  \
        provoke explain mode:omcdc:3T out/\n  \
        provoke explain \"alarm*\" out/")]
    Explain(ExplainArgs),
    /// Audit an output folder: check every claim again with independent code
    #[command(after_help = "Examples:\n  \
        provoke audit out/\n  \
        provoke audit out/ --budget 10m --format json")]
    Audit(AuditArgs),
    /// Write a report as one self-contained HTML file
    #[command(after_help = "Examples:\n  \
        provoke report out/ -o report.html\n  \
        provoke report out/ mutants/ run/ -o report.html\n  \
        provoke report out/ --requirements requirements.csv -o report.html\n  \
        provoke report out/ -o coverage.info")]
    Report(ReportArgs),
    /// Run a project file, as `provoke` alone does in a folder with a provoke.toml
    #[command(after_help = "Examples:\n  provoke\n  provoke project models/provoke.toml")]
    Project(ProjectArgs),
    /// Run every step on a built-in model and write a report
    #[command(after_help = "Example: provoke demo -o out/demo")]
    Demo(DemoArgs),
    /// Print shell completions
    #[command(
        after_help = "Example: provoke completions bash > ~/.local/share/bash-completion/completions/provoke"
    )]
    Completions(CompletionsArgs),
    /// Write man pages, one for each command
    #[command(after_help = "Example: provoke man -o ~/.local/share/man/man1")]
    Man(ManArgs),
    /// Show what is installed, what is missing and how to get it
    #[command(after_help = "Example: provoke doctor")]
    Doctor,
}

#[derive(Args)]
pub(crate) struct ModelArgs {
    /// The model, or - for standard input
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// The main node [default: the one that the file marks]
    #[arg(long, value_name = "NODE")]
    pub(crate) main: Option<String>,
}

#[derive(Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Also write errors and warnings as SARIF, for editors and code hosts
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
}
