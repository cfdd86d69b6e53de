//! `provoke timed`: UPPAAL models.

mod check;
pub(crate) mod estimate;
mod generate;
mod mutate;
pub(crate) mod run;
mod show;
mod simulate;
mod stochastic;
pub(crate) mod verify;

use std::path::Path;

use provoke::timed::{NetworkModel, RejectedNetwork, TimedTests};
use provoke_base::{Diagnostic, SourceFile};
use provoke_results::to_json;
use serde::Serialize;

use crate::args::TimedCommand;
use crate::files;
use crate::outcome::{Failure, Outcome, show_diagnostics};
use crate::output::Output;

/// Suites are not larger than this.
const MAX_BYTES: usize = 64 << 20;

pub(crate) fn run(command: &TimedCommand, output: &Output) -> Result<Outcome, Failure> {
    match command {
        TimedCommand::Check(args) => check::run(args, output),
        TimedCommand::Verify(args) => verify::run(args, output),
        TimedCommand::Estimate(args) => estimate::run(args, output),
        TimedCommand::Simulate(args) => simulate::run(args, output),
        TimedCommand::Show(args) => show::run(args, output),
        TimedCommand::Generate(args) => generate::run(args, output),
        TimedCommand::Stochastic(args) => stochastic::run(args, output),
        TimedCommand::Run(args) => run::run(args, output),
        TimedCommand::Mutate(args) => mutate::run(args, output),
    }
}

/// A model that a command works on, with questions in place of its own if there are any. Errors are
/// shown; warnings are left to `check`.
pub(crate) fn model(
    path: &Path,
    queries: &[String],
    output: &Output,
) -> Result<NetworkModel, Failure> {
    let file = files::model_source(path)?;
    let RejectedNetwork { diagnostics, about_queries } = match NetworkModel::read(&file, queries) {
        Ok(model) => return Ok(model),
        Err(rejected) => rejected,
    };
    let errors: Vec<_> = diagnostics.into_iter().filter(Diagnostic::is_error).collect();
    show_diagnostics(output, &file, &errors);
    let wrong = queries.iter().zip(about_queries).find_map(|(query, found)| Some((query, found?)));
    if let Some((query, diagnostic)) = wrong {
        let text = SourceFile::new("--query", query.as_str());
        show_diagnostics(output, &text, &[diagnostic]);
    }
    Err(Failure::Shown)
}

/// The tests of a file, in either form.
fn tests(path: &Path) -> Result<TimedTests, Failure> {
    let bytes = files::read(path, MAX_BYTES)?;
    Ok(TimedTests::read(&path.display().to_string(), &String::from_utf8_lossy(&bytes))?)
}

/// Tells a result to programs, and writes it where it was asked for.
fn tell(output: &Output, path: Option<&Path>, result: &impl Serialize) -> Result<(), Failure> {
    let text = to_json(result);
    if let Some(path) = path {
        path.parent().map_or(Ok(()), files::make_folder)?;
        files::write(output, path, text.as_bytes())?;
    }
    if output.is_json() {
        output.result(&text);
    }
    Ok(())
}
