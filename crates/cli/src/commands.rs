//! One file per command.

pub(crate) mod calibrate;
pub(crate) mod check;
pub(crate) mod codegen;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod generate;
pub(crate) mod man;
pub(crate) mod measure;
pub(crate) mod merge;
pub(crate) mod mutate;
pub(crate) mod obligations;
pub(crate) mod project;
pub(crate) mod prove;
pub(crate) mod reduce;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod simulate;
pub(crate) mod study;
pub(crate) mod study_platform;
pub(crate) mod timed;
pub(crate) mod transform;

use clap::Parser;

use crate::args::{Cli, Command};
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

/// Carries out a command.
pub(crate) fn dispatch(command: &Command, output: &Output) -> Result<Outcome, Failure> {
    match command {
        Command::Check(args) => check::run(args, output),
        Command::Simulate(args) => simulate::run(args, output),
        Command::Transform(args) => transform::run(args, output),
        Command::Generate(args) => generate::run(args, output),
        Command::Prove(args) => prove::run(args, output),
        Command::Merge(args) => merge::run(args, output),
        Command::Obligations(args) => obligations::run(args, output),
        Command::Measure(args) => measure::run(args, output),
        Command::Reduce(args) => reduce::run(args, output),
        Command::Mutate(args) => mutate::run(args, output),
        Command::Study(study) => study::run(study, output),
        Command::Convert(args) => convert::run(args, output),
        Command::Codegen(args) => codegen::run(args, output),
        Command::Run(args) => run::run(args, output),
        Command::Calibrate(args) => calibrate::run(args, output),
        Command::Timed(command) => timed::run(command, output),
        Command::Explain(args) => explain::run(args, output),
        Command::Report(args) => report::run(args, output),
        Command::Project(args) => project::run(args, output),
        Command::Demo(args) => demo::run(args, output),
        Command::Completions(args) => completions::run(args, output),
        Command::Man(args) => man::run(args, output),
        Command::Doctor => doctor::run(output),
    }
}

/// Carries out a command that is given in words, as a project or the demonstration does.
pub(crate) fn typed(words: &[String], output: &Output) -> Result<Outcome, Failure> {
    let line = std::iter::once("provoke".to_string()).chain(words.iter().cloned());
    let cli = Cli::try_parse_from(line).map_err(|error| {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        let hint = "the page docs/book/project.md lists what may stand in provoke.toml";
        Failure::input(first, hint)
    })?;
    match &cli.command {
        Some(command) => dispatch(command, output),
        None => Ok(Outcome::Usage),
    }
}
