//! `provoke timed run`: a stochastic suite on a system.

use std::path::{Path, PathBuf};

use provoke::TestTarget;
use provoke::timed::{NetworkModel, TimedTarget, TimedTests, run as run_suite, signals};
use provoke_report::text;
use provoke_results::TimedRun;

use crate::args::TimedRunArgs;
use crate::commands::timed::{model, tell, tests};
use crate::console;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &TimedRunArgs, output: &Output) -> Result<Outcome, Failure> {
    let is_simulated = args.on.extension().is_some_and(|extension| extension == "xml");
    refuse_what_is_for_simulated_systems(args, is_simulated)?;
    let tests = tests(&args.suite)?;
    let network = model(&model_path(args, &tests)?, &[], output)?;
    let control = console::control(output);
    let system = match is_simulated {
        true => Some(model(&args.on, &[], output)?),
        false => None,
    };
    let target = match &system {
        Some(system) => TimedTarget::Simulated(system),
        None => reached(args, &network, &tests)?,
    };
    let options = args.options()?;
    let result = run_suite(&network, &tests, target, &options, &control, &mut |judged| {
        if !output.is_json() {
            output.result(&text::timed_verdict(&judged.verdict, &judged.seen));
        }
    })?;
    tell(output, args.output.as_deref(), &result)?;
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

fn refuse_what_is_for_simulated_systems(
    args: &TimedRunArgs,
    is_simulated: bool,
) -> Result<(), Failure> {
    if is_simulated {
        return Ok(());
    }
    if args.place.executor().is_some() {
        let message = format!("others cannot reach what {} names", args.on.display());
        let hint = "leave out --workers and --store, or give a model with --on";
        return Err(Failure::input(message, hint));
    }
    if args.mutant.is_some() {
        let message = "--mutant is for systems that are simulated".to_string();
        return Err(Failure::Usage { message, hint: "give a model with --on".to_string() });
    }
    Ok(())
}

/// The file of the model: the one that is named, or the one that the suite names.
fn model_path(args: &TimedRunArgs, tests: &TimedTests) -> Result<PathBuf, Failure> {
    if let Some(model) = &args.model {
        return Ok(model.clone());
    }
    if tests.suite.model.is_empty() {
        let message = format!("{} names no model", args.suite.display());
        return Err(Failure::input(message, "name it with --model MODEL.xml"));
    }
    let named = Path::new(&tests.suite.model);
    let beside = args.suite.parent().unwrap_or(Path::new("")).join(named);
    Ok(if !named.exists() && beside.exists() { beside } else { named.to_path_buf() })
}

/// The system that a target file leads to.
fn reached(
    args: &TimedRunArgs,
    network: &NetworkModel,
    tests: &TimedTests,
) -> Result<TimedTarget<'static>, Failure> {
    let signals = signals(network, tests)?;
    let loaded = TestTarget::open(&args.on)?;
    let board = loaded.board(&signals)?;
    let adapter = loaded.connect(&board, &signals, args.seed, false)?;
    Ok(TimedTarget::Reached { name: args.on.display().to_string(), adapter, board })
}
