//! Tests completed with separating sequences and the probabilities of their outputs.

use provoke_base::{Control, Error};
use provoke_oracle::probability::ChanceEffort;
use provoke_oracle::sequences::completed_result;
use provoke_oracle::{Completer, CompletionSettings, Interface, TimedSuite, TimedTest, json};
use provoke_results::{Schema, TimedStochastic};
use provoke_store::KeyBuilder;
use provoke_work::{CaseRunner, Cases, Served, WorkerLoop, case_key, command_identity};
use serde_json::json;

use super::options::TimedCompleteOptions;
use super::{NetworkModel, TimedTests};
use crate::request::{NetworkText, Request, TestsText};

/// How many seconds a test takes, as long as nothing was measured.
const TEST_SECONDS: f64 = 1.0;
/// The name of the verb in stores.
const COMMAND: &str = "timed stochastic";

/// Timed tests with sequences and probabilities.
#[derive(Clone, Debug)]
pub struct CompletedTests {
    /// The tests.
    pub suite: TimedSuite,
    /// What there is to say of them; where they are written is left to whoever writes them.
    pub result: TimedStochastic,
}

/// Searches for sequences that tell where tests end, and finds how probable the outputs of both are;
/// nothing if somebody cancels it.
pub fn complete(
    model: &NetworkModel,
    tests: &TimedTests,
    options: &TimedCompleteOptions,
    control: &Control,
) -> Result<Option<CompletedTests>, Error> {
    let mut suite = prepared(model, tests)?;
    let work = &options.work;
    let request = Request::TimedComplete {
        model: NetworkText::new(model),
        tests: TestsText::new(tests),
        options: options.clone(),
    };
    // Here tests are completed one by one, and threads share the runs of each.
    let threads = if work.workers.is_some() { 1 } else { work.threads() };
    let mut runner = work.runner(COMMAND, &request, 1, control)?;
    let completed = completed(model, &suite, options, threads, &mut runner)?;
    let Some(tests) = completed else { return Ok(None) };
    suite.tests = tests;
    let result = TimedStochastic {
        schema: Schema::default(),
        model: model.file.name.clone(),
        tests: suite.tests.iter().map(completed_result).collect(),
        suite: String::new(),
    };
    Ok(Some(CompletedTests { suite, result }))
}

/// Does a worker's part of [`complete`].
pub(crate) fn serve(
    model: &NetworkModel,
    tests: &TimedTests,
    options: &TimedCompleteOptions,
    worker: &mut WorkerLoop,
) -> Result<Served, Error> {
    let suite = prepared(model, tests)?;
    let mut runner = CaseRunner::of_worker(&command_identity(COMMAND), worker)?;
    completed(model, &suite, options, 1, &mut runner)?;
    runner.served()
}

/// The tests for this model, with what they see: what they say, or else what usually can be seen.
fn prepared(model: &NetworkModel, tests: &TimedTests) -> Result<TimedSuite, Error> {
    tests.check_names(model)?;
    let mut suite = tests.suite.clone();
    if suite.observe.is_empty() {
        suite.observe = Interface::new(&model.network).usual_outputs();
    }
    suite.model = model.file.name.clone();
    Ok(suite)
}

/// The completed tests; nothing if that did not come to its end.
fn completed(
    model: &NetworkModel,
    suite: &TimedSuite,
    options: &TimedCompleteOptions,
    jobs: usize,
    runner: &mut CaseRunner<'_>,
) -> Result<Option<Vec<TimedTest>>, Error> {
    let TimedCompleteOptions { runs, width, confidence, seed, length, .. } = *options;
    let wrong = |message: String| {
        Error::input(format!("{}: {message}", model.file.name), "simplify the model or the test")
    };
    let effort = ChanceEffort { runs, width, alpha: 1.0 - confidence, seed, jobs };
    let completer =
        Completer::new(&model.network, &suite.observe, CompletionSettings { length, effort })
            .map_err(wrong)?;
    let key = KeyBuilder::new("provoke/timed-stochastic/1")
        .part("model", &model.file.text)
        .part("suite", json::print(suite))
        .json("settings", &json!([runs, width, confidence, seed, length]))
        .finish();
    let keys = (0..suite.tests.len()).map(|at| case_key(&key, &at.into())).collect();
    let alone = |test: TimedTest| TimedSuite { tests: vec![test], ..suite.clone() };
    let texts = runner.all(&Cases::new("tests", TEST_SECONDS, keys), &|at, _| {
        let completed = completer.complete(&suite.tests[at]).map_err(wrong)?;
        Ok::<_, Error>(json::print(&alone(completed)))
    })?;
    let read = |text: String| json::parse(&text).map_err(|error| wrong(error.message));
    let Some(texts) = texts else { return Ok(None) };
    let suites: Result<Vec<TimedSuite>, Error> = texts.into_iter().map(read).collect();
    Ok(Some(suites?.into_iter().flat_map(|suite| suite.tests).collect()))
}
