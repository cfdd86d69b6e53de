//! `provoke timed`: UPPAAL models.

pub(crate) mod check;
pub(crate) mod estimate;
pub(crate) mod generate;
pub(crate) mod mutate;
mod picture;
pub(crate) mod run;
mod show;
pub(crate) mod simulate;
pub(crate) mod stochastic;
pub(crate) mod verify;

use std::path::Path;
use std::time::{Duration, Instant};

use provoke_base::{Control, Diagnostic, SourceFile};
use provoke_results::to_json;
use provoke_timed::Network;
use provoke_work::{Served, WorkerLoop};
use serde::Serialize;

use crate::args::TimedCommand;
use crate::files;
use crate::outcome::{Failure, Outcome, show_diagnostics};
use crate::output::Output;

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

/// Does a worker's part.
pub(crate) fn serve(
    command: &TimedCommand,
    worker: &mut WorkerLoop,
    output: &Output,
) -> Result<Served, Failure> {
    match command {
        TimedCommand::Estimate(args) => estimate::serve(args, worker, output),
        TimedCommand::Stochastic(args) => stochastic::serve(args, worker, output),
        TimedCommand::Run(args) => run::serve(args, worker, output),
        TimedCommand::Mutate(args) => mutate::serve(args, worker, output),
        _ => Err(Failure::input("this command cannot be distributed", "start it again")),
    }
}

/// A network that a command works on, with questions in place of its own if there are any. Errors
/// are shown; warnings are left to `check`.
pub(crate) fn network(
    path: &Path,
    queries: &[String],
    output: &Output,
) -> Result<(SourceFile, Network), Failure> {
    let file = files::model_source(path)?;
    let (loaded, about_queries) = provoke_timed::load_asking(&file, queries);
    let Some(network) = loaded.network else {
        let errors: Vec<_> = loaded.diagnostics.into_iter().filter(Diagnostic::is_error).collect();
        show_diagnostics(output, &file, &errors);
        return Err(Failure::Shown);
    };
    for (query, found) in queries.iter().zip(about_queries) {
        if let Some(diagnostic) = found {
            let text = SourceFile::new("--query", query.as_str());
            show_diagnostics(output, &text, &[diagnostic]);
            return Err(Failure::Shown);
        }
    }
    Ok((file, network))
}

/// Why work that began at `started` is to end now, if it is.
fn why_stop(control: &Control, started: Instant, budget: Option<Duration>) -> Option<String> {
    if control.is_cancelled() {
        return Some("interrupted".to_string());
    }
    let over = budget.is_some_and(|budget| started.elapsed() >= budget);
    over.then(|| "the budget is used up; --budget allows more".to_string())
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
