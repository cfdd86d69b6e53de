//! `provoke run`: a suite on a target.

use std::path::Path;

use provoke::target::arrange_outputs;
use provoke::{Fill, RunOptions, RunOutcome, TestTarget};
use provoke_model::Suite;
use provoke_report::text;
use provoke_results::{Run, to_json};
use provoke_suite::Typing;

use crate::args::RunArgs;
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::subject;

pub(crate) fn run(args: &RunArgs, output: &Output) -> Result<Outcome, Failure> {
    let target = TestTarget::open(&args.on)?;
    carry_out(&target, &args.suite, args.fill, &options(args), output)
}

/// What is asked for.
pub(crate) fn options(args: &RunArgs) -> RunOptions {
    let RunArgs { mode, max_runs, seed, allow_other_numbers, .. } = *args;
    RunOptions { mode, max_runs, seed, allow_other_numbers, folder: args.output.clone() }
}

/// Runs a suite, and tells what came of it.
pub(crate) fn carry_out(
    target: &TestTarget,
    path: &Path,
    fill: Fill,
    options: &RunOptions,
    output: &Output,
) -> Result<Outcome, Failure> {
    let suite = read_suite(path, target, fill, options.seed, output)?;
    let control = console::control(output);
    let ran = provoke::run(target, &suite, &path.display().to_string(), options, &control)?;
    if output.is_json() {
        output.result(&to_json(&ran.result));
    } else {
        output.result(&describe(&ran));
    }
    Ok(match ran.result {
        // A failure is an answer; without one, what could not be tested comes first.
        Run { failed: 1.., .. } => Outcome::Negative,
        _ if control.is_cancelled() => Outcome::Interrupted,
        Run { error: 1.., .. } => Outcome::Missing,
        Run { inconclusive: 1.., .. } => Outcome::Inconclusive,
        _ => Outcome::Well,
    })
}

/// The tests over the model's variables, or over the file's own if there is no model.
fn read_suite(
    path: &Path,
    target: &TestTarget,
    fill: Fill,
    seed: u64,
    output: &Output,
) -> Result<Suite, Failure> {
    let Some(system) = &target.system else {
        return Ok(files::suite(path, None, Typing::Infer)?.suite);
    };
    let suite = subject::suite_for(path, system, fill, seed, output)?;
    Ok(arrange_outputs(&suite, system))
}

fn describe(ran: &RunOutcome) -> String {
    let mut text = text::run(&ran.result);
    if let Some((reason, hint)) = &ran.trouble {
        text += &format!("\nerror: {reason}\n  = help: {hint}\n");
    }
    if let Some(first) = &ran.first {
        let word = if first.is_failure { "failure" } else { "inconclusive interaction" };
        text += &format!(
            "\nfirst {word}: test {}, interaction {}: {}\n{}",
            first.test, first.interaction, first.reason, first.timeline
        );
    }
    text
}
