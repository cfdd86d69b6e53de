//! `provoke run`: a suite on a target.

use provoke::target::arrange_outputs;
use provoke::{RunOptions, RunOutcome, TestTarget};
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
    let suite = read_suite(args, &target, output)?;
    let control = console::control(output);
    let RunArgs { mode, max_runs, seed, .. } = *args;
    let options = RunOptions { mode, max_runs, seed, folder: args.output.clone() };
    let name = args.suite.display().to_string();
    let ran = provoke::run(&target, &suite, &name, &options, &control)?;
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
fn read_suite(args: &RunArgs, target: &TestTarget, output: &Output) -> Result<Suite, Failure> {
    let Some(system) = &target.system else {
        return Ok(files::suite(&args.suite, None, Typing::Infer)?.suite);
    };
    let suite = subject::suite_for(&args.suite, system, args.fill, args.seed, output)?;
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
