//! What the testing commands work on: a model, tests for it, and what is monitored.

use std::path::Path;

pub(crate) use provoke::tests::{expect, fill, oracle};
use provoke::tests::{never_set, prepared};
use provoke::{CoverageTarget, Fill, Numbers, TestedModel};
use provoke_model::{Suite, System};
use provoke_suite::ReadSuite;

use crate::args::{CriterionArgs, SuiteArgs};
use crate::console;
use crate::files;
use crate::outcome::Failure;
use crate::output::Output;

/// The model, in these numbers or else in those of the suite, and the suite that arguments name.
pub(crate) fn load(
    args: &SuiteArgs,
    numbers: Option<Numbers>,
    output: &Output,
) -> Result<TestedModel, Failure> {
    let (path, main) = (&args.model.model, args.model.main.as_deref());
    if args.criterion.criterion.contains(&CoverageTarget::Mutants) {
        let (model, suite) = (path.display(), args.suite.display());
        let hint = format!("type `provoke mutate {model} {suite}`");
        return Err(Failure::usage("mutants are not measured: they are run", hint));
    }
    let exact = files::model_assuming(path, main, &[], output)?;
    let read = tests(&args.suite, &exact.system)?;
    let numbers = numbers.unwrap_or_else(|| Numbers::of_suite(&read.suite));
    let model = numbers.of(exact)?;
    let suite = completed(read, &model.system, args.fill, args.seed, output);
    let CriterionArgs { criterion, counting } = &args.criterion;
    Ok(TestedModel::new(model, suite, criterion, *counting, &args.oracle)?)
}

/// The suite of a file, over all inputs of the model, with what the user should know of it.
pub(crate) fn suite_for(
    path: &Path,
    system: &System,
    how: Fill,
    seed: u64,
    output: &Output,
) -> Result<Suite, Failure> {
    Ok(completed(tests(path, system)?, system, how, seed, output))
}

/// The suite of tests that were read, with what the user should know of it.
fn completed(read: ReadSuite, system: &System, how: Fill, seed: u64, output: &Output) -> Suite {
    let suite = prepared(read, system, how, seed, &console::listener(output));
    warn_of_gaps(&never_set(system, &suite), output);
    suite
}

/// Inputs without any value cover nothing that depends on them.
fn warn_of_gaps(never_set: &[&str], output: &Output) {
    if never_set.is_empty() {
        return;
    }
    let listed = never_set.iter().take(10).copied().collect::<Vec<_>>().join(", ");
    let more = never_set.len().saturating_sub(10);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    output.warning(&format!(
        "the tests never set {listed}{more}: unknown there; `--fill random` gives them values"
    ));
}

/// Tests over all inputs of the model, in its order; what they do not mention is unknown.
pub(crate) fn tests(path: &Path, system: &System) -> Result<ReadSuite, Failure> {
    let bytes = files::read(path, provoke_suite::MAX_BYTES)?;
    Ok(provoke::tests::read(&path.display().to_string(), &bytes, None, system)?)
}
