//! What the testing commands work on: a model, tests for it, and what is monitored.

use std::path::Path;

use provoke::tests::{arranged, never_set, prepared};
pub(crate) use provoke::tests::{
    describe, expect, fill, inputs, listed, oracle, properties, variables,
};
use provoke_base::SourceFile;
use provoke_criteria::{Obligation, Oracle};
use provoke_model::{Suite, System, Value};
use provoke_suite::{ReadSuite, Typing};

use crate::args::{Fill, SuiteArgs};
use crate::console;
use crate::files;
use crate::outcome::Failure;
use crate::output::Output;

/// A model, a suite for it, and what is asked of both.
pub(crate) struct Subject {
    pub(crate) file: SourceFile,
    pub(crate) system: System,
    pub(crate) suite: Suite,
    /// The inputs of each test, step by step.
    pub(crate) tests: Vec<Vec<Vec<Value>>>,
    pub(crate) oracle: Oracle,
    pub(crate) obligations: Vec<Obligation>,
}

impl Subject {
    /// Reads the model and the suite that the arguments name.
    pub(crate) fn load(args: &SuiteArgs, output: &Output) -> Result<Subject, Failure> {
        let (file, system) = files::model(&args.model.model, args.model.main.as_deref(), output)?;
        let oracle = oracle(&system, &args.oracle)?;
        let suite = suite_for(&args.suite, &system, args.fill, args.seed, output)?;
        let tests = suite.tests.iter().map(inputs).collect();
        let obligations =
            listed(&file, &system, &args.criterion.criterion, args.criterion.counting)?;
        Ok(Subject { file, system, suite, tests, oracle, obligations })
    }

    /// How many steps all tests have.
    pub(crate) fn steps(&self) -> usize {
        self.tests.iter().map(Vec::len).sum()
    }
}

/// The suite of a file, over all inputs of the model, with what the user should know of it.
pub(crate) fn suite_for(
    path: &Path,
    system: &System,
    how: Fill,
    seed: u64,
    output: &Output,
) -> Result<Suite, Failure> {
    let read = tests(path, system)?;
    let suite = prepared(read, system, how.into(), seed, &console::listener(output));
    warn_of_gaps(&never_set(system, &suite), output);
    Ok(suite)
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
    let read = files::suite(path, None, Typing::System(system))?;
    Ok(arranged(read, &path.display().to_string(), system)?)
}
