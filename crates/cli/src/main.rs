//! The command line of Provoke.

mod args;
#[cfg(test)]
mod book;
mod commands;
mod evidence;
mod exclusion;
mod fates;
mod files;
mod interrupt;
mod job;
mod mutation;
mod outcome;
mod output;
mod platform_study;
mod progress;
mod project;
mod reduction;
mod remembered;
mod run_report;
mod study;
mod subject;
mod table;
mod target;
mod tests_found;
mod trace_view;

use std::process::ExitCode;

use clap::Parser;

use crate::args::Cli;
use crate::commands::dispatch;
use crate::output::Output;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let output = Output::new(cli.global.format, cli.global.color);
    let done = match &cli.command {
        Some(command) => dispatch(command, &output),
        None => commands::project::without_command(&output),
    };
    let outcome = done.unwrap_or_else(|failure| failure.report(&output));
    ExitCode::from(outcome as u8)
}
