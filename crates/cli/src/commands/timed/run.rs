//! `provoke timed run`: a stochastic suite on a system.

use std::path::{Path, PathBuf};

use provoke::TestTarget;
use provoke::timed::{
    NetworkModel, TimedRunOptions, TimedTarget, TimedTests, run as run_suite, signals,
};
use provoke_report::text;
use provoke_results::TimedRun;

use crate::args::TimedRunArgs;
use crate::commands::timed::{model, tell, tests};
use crate::console;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &TimedRunArgs, output: &Output) -> Result<Outcome, Failure> {
    refuse_what_is_for_simulated_systems(args)?;
    let (model, options) = (args.model.as_deref(), args.options()?);
    carry_out(&args.suite, model, &args.on, &options, args.output.as_deref(), output)
}

/// Runs a suite on a system, and tells each verdict as soon as it is there.
pub(crate) fn carry_out(
    suite: &Path,
    named: Option<&Path>,
    on: &Path,
    options: &TimedRunOptions,
    verdicts: Option<&Path>,
    output: &Output,
) -> Result<Outcome, Failure> {
    let tests = tests(suite)?;
    let network = model(&model_path(suite, named, &tests)?, &[], output)?;
    let control = console::control(output);
    let system = match is_simulated(on) {
        true => Some(model(on, &[], output)?),
        false => None,
    };
    let target = match &system {
        Some(system) => TimedTarget::Simulated(system),
        None => reached(on, options.seed, &network, &tests)?,
    };
    let result = run_suite(&network, &tests, target, options, &control, &mut |judged| {
        if !output.is_json() {
            output.result(&text::timed_verdict(&judged.verdict, &judged.seen));
        }
    })?;
    tell(output, verdicts, &result)?;
    if !output.is_json() {
        output.result(&format!(
            "{} passed, {} failed, {} without a verdict; {} runs\n",
            result.passed, result.failed, result.error, result.runs
        ));
    }
    Ok(match &result {
        _ if control.is_cancelled() => Outcome::Interrupted,
        TimedRun { failed: 1.., .. } => Outcome::Negative,
        TimedRun { error: 1.., .. } => Outcome::Inconclusive,
        _ => Outcome::Well,
    })
}

/// Whether a system is simulated from a model.
fn is_simulated(on: &Path) -> bool {
    on.extension().is_some_and(|extension| extension == "xml")
}

fn refuse_what_is_for_simulated_systems(args: &TimedRunArgs) -> Result<(), Failure> {
    if is_simulated(&args.on) {
        return Ok(());
    }
    if args.place.executor().is_some() {
        let message = format!("others cannot reach what {} names", args.on.display());
        let hint = "leave out --workers and --store, or give a model with --on";
        return Err(Failure::input(message, hint));
    }
    if args.mutant.is_some() {
        let message = "--mutant is for systems that are simulated";
        return Err(Failure::usage(message, "give a model with --on"));
    }
    Ok(())
}

/// The file of the model: the one that is named, or the one that the suite names.
fn model_path(suite: &Path, named: Option<&Path>, tests: &TimedTests) -> Result<PathBuf, Failure> {
    if let Some(model) = named {
        return Ok(model.to_path_buf());
    }
    if tests.suite.model.is_empty() {
        let message = format!("{} names no model", suite.display());
        return Err(Failure::input(message, "name it with --model MODEL.xml"));
    }
    let named = Path::new(&tests.suite.model);
    let beside = suite.parent().unwrap_or(Path::new("")).join(named);
    Ok(if !named.exists() && beside.exists() { beside } else { named.to_path_buf() })
}

/// The system that a target file leads to.
fn reached(
    on: &Path,
    seed: u64,
    network: &NetworkModel,
    tests: &TimedTests,
) -> Result<TimedTarget<'static>, Failure> {
    let signals = signals(network, tests)?;
    let loaded = TestTarget::open(on)?;
    let board = loaded.board(&signals)?;
    let adapter = loaded.connect(&board, &signals, seed, false)?;
    Ok(TimedTarget::Reached { name: on.display().to_string(), adapter, board })
}
