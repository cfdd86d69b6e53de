//! `provoke worker`: does a part of what a command with `--workers` has planned.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;

use provoke::Request;
use provoke_work::{JobSpec, PlanLines, Served, WorkerLoop};

use crate::args::WorkerArgs;
use crate::console;
use crate::crash;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &WorkerArgs, output: &Output) -> Result<Outcome, Failure> {
    let Some(store) = &args.store else {
        let stdin = BufReader::new(std::io::stdin());
        provoke::mine::serve_explore(stdin, own_stdout()?, &console::control(output))?;
        return Ok(Outcome::Well);
    };
    let store = std::fs::canonicalize(store).map_err(|error| {
        let message = format!("{}: {error}", store.display());
        Failure::input(message, "name the folder that a command with --workers works in")
    })?;
    let lines = lines(args)?;
    let fed = args.plan.as_deref().is_some_and(|path| path.as_os_str() == files::STANDARD);
    let control = console::control(output);
    let mut worker = WorkerLoop::new(&store, lines, fed, args.limit, &control);
    let work = || serve(&JobSpec::read(&store)?, &mut worker);
    let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        // Nobody reads a worker's standard error: whoever waits for it has to be told.
        worker.tell_failure(&crash::first().unwrap_or_default());
        resume_unwind(panic)
    });
    if let Err(Failure::Told { message, .. }) = &done {
        worker.tell_failure(message);
    }
    Ok(if done? == Served::All { Outcome::Well } else { Outcome::Inconclusive })
}

/// The stream to the caller. What the explored program prints is no answer: it goes to standard error.
fn own_stdout() -> Result<File, Failure> {
    let own = rustix::io::dup(std::io::stdout()).and_then(|own| {
        rustix::stdio::dup2_stdout(std::io::stderr())?;
        Ok(own)
    });
    let gone = |error| Failure::input(format!("no standard output: {error}"), "start it by `mine`");
    own.map(File::from).map_err(gone)
}

/// Prepares what was asked for up to its tasks, and does those that it is given.
fn serve(spec: &JobSpec, worker: &mut WorkerLoop) -> Result<Served, Failure> {
    let wrong = |message: String| Failure::input(message, "start the command with --workers again");
    std::env::set_current_dir(&spec.folder)
        .map_err(|error| wrong(format!("{}: {error}", spec.folder.display())))?;
    let request: Request = serde_json::from_value(spec.request.clone()).map_err(|_| {
        wrong("job.json asks for nothing that this version of Provoke can do".to_string())
    })?;
    Ok(request.serve(worker)?)
}

/// The lines that this worker takes.
fn lines(args: &WorkerArgs) -> Result<PlanLines, Failure> {
    let all: PlanLines = match args.plan.as_deref() {
        None => Box::new(std::iter::once(Ok(entry()?))),
        Some(path) if path.as_os_str() == files::STANDARD => {
            Box::new(BufReader::new(std::io::stdin()).lines())
        }
        Some(path) => Box::new(BufReader::new(open(path)?).lines()),
    };
    Ok(match (args.index, args.of) {
        (Some(index), Some(of)) => Box::new(all.skip(index).step_by(of.max(1))),
        _ => all,
    })
}

fn open(path: &Path) -> Result<File, Failure> {
    File::open(path).map_err(|error| {
        let message = format!("cannot read {}: {error}", path.display());
        Failure::input(message, "plans are in the folder `engine` of a store")
    })
}

/// The line that HyperQueue gives to a task.
fn entry() -> Result<String, Failure> {
    std::env::var("HQ_ENTRY").map_err(|_| {
        let message = "no plan is given, and HyperQueue gave no line";
        Failure::usage(message, "name a plan with --plan, or - for standard input")
    })
}
