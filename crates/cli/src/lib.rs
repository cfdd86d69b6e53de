//! The command line of Provoke.

mod args;
mod commands;
mod console;
mod crash;
mod files;
mod outcome;
mod output;
mod progress;
mod project;
mod subject;
mod workers;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::args::{Cli, Command};
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

/// Carries out what the arguments of this process ask for.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    let output = Output::new(cli.global.format, cli.global.color);
    files::survive_limits();
    let outcome = crash::told(output.clone(), || {
        crash::on_purpose("command");
        let done = match &cli.command {
            Some(command) => dispatch(command, &output),
            None => commands::project::without_command(&output),
        };
        done.unwrap_or_else(|failure| failure.report(&output))
    });
    ExitCode::from(outcome as u8)
}

/// Carries out a command.
fn dispatch(command: &Command, output: &Output) -> Result<Outcome, Failure> {
    match command {
        Command::Check(args) => commands::check::run(args, output),
        Command::Simulate(args) => commands::simulate::run(args, output),
        Command::Transform(args) => commands::transform::run(args, output),
        Command::Generate(args) => commands::generate::run(args, output),
        Command::Prove(args) => commands::prove::run(args, output),
        Command::Merge(args) => commands::merge::run(args, output),
        Command::Worker(args) => commands::worker::run(args, output),
        Command::Obligations(args) => commands::obligations::run(args, output),
        Command::Measure(args) => commands::measure::run(args, output),
        Command::Reduce(args) => commands::reduce::run(args, output),
        Command::Mutate(args) => commands::mutate::run(args, output),
        Command::Mine(args) => commands::mine::run(args, output),
        Command::Study(study) => commands::study::run(study, output),
        Command::Convert(args) => commands::convert::run(args, output),
        Command::Codegen(args) => commands::codegen::run(args, output),
        Command::Run(args) => commands::run::run(args, output),
        Command::Calibrate(args) => commands::calibrate::run(args, output),
        Command::Timed(command) => commands::timed::run(command, output),
        Command::Explain(args) => commands::explain::run(args, output),
        Command::Audit(args) => commands::audit::run(args, output),
        Command::Report(args) => commands::report::run(args, output),
        Command::Project(args) => commands::project::run(args, output),
        Command::Demo(args) => commands::demo::run(args, output),
        Command::Completions(args) => commands::completions::run(args, output),
        Command::Man(args) => commands::man::run(args, output),
        Command::Doctor => commands::doctor::run(output),
    }
}

/// All commands and options, for who checks what is written about them.
pub fn command() -> clap::Command {
    Cli::command()
}
