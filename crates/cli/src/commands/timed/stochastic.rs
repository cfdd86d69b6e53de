//! `provoke timed stochastic`: sequences behind tests, and probabilities.

use std::path::Path;

use provoke_base::SourceFile;
use provoke_oracle::chance::Effort;
use provoke_oracle::text::describe;
use provoke_oracle::{
    Completer, Interface, Probability, Settings, TimedSuite, TimedTest, json, text,
};
use provoke_results::{
    ChanceResult, CompletedResult, Schema, SequenceResult, SequenceWord, TimedStochastic, Word,
    to_json,
};
use provoke_store::KeyBuilder;
use provoke_timed::Network;
use provoke_work::{CaseRunner, Cases, Served, WorkerLoop, case_key, command_identity};

use crate::args::TimedStochasticArgs;
use crate::commands::timed::network;
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::workers;

/// Suites are not larger than this.
const MAX_BYTES: usize = 64 << 20;

/// Reads a suite in either form.
pub(crate) fn read_suite(path: &Path) -> Result<TimedSuite, Failure> {
    let bytes = files::read(path, MAX_BYTES)?;
    let text = String::from_utf8_lossy(&bytes);
    json::read(&text).map_err(|error| {
        let place = match error.line {
            0 => path.display().to_string(),
            line => format!("{}:{line}", path.display()),
        };
        let hint = "docs/book/oracles.md shows both forms of timed tests";
        Failure::input(format!("{place}: {}", error.message), hint)
    })
}

/// Fails if a suite names something that the model does not have.
pub(crate) fn check_names(
    suite: &TimedSuite,
    interface: &Interface<'_>,
    path: &Path,
) -> Result<(), Failure> {
    let wrong = |message: String| {
        let hint = "`provoke timed check` shows what the model consists of";
        Failure::input(format!("{}: {message}", path.display()), hint)
    };
    suite.observe.iter().try_for_each(|name| interface.cell(name).map(drop)).map_err(wrong)?;
    suite.tests.iter().try_for_each(|test| interface.check(test)).map_err(wrong)
}

/// What the suite says can be seen, or else what usually can, and all that its tests look at.
pub(crate) fn observed(suite: &TimedSuite, interface: &Interface<'_>) -> Vec<String> {
    match suite.observe.is_empty() {
        false => suite.observe.clone(),
        true => interface.usual_outputs(),
    }
}

pub(crate) fn run(args: &TimedStochasticArgs, output: &Output) -> Result<Outcome, Failure> {
    let (file, network, mut suite) = read(args, output)?;
    let control = console::control(output);
    let place = args.place.executor();
    let folder = place.map(|_| args.place.store.as_ref().unwrap_or(&args.output).as_path());
    // Here tests are completed one by one, and threads share the runs of each.
    let (workers, jobs) = match place {
        Some(_) => (args.place.jobs(), 1),
        None => (1, args.place.jobs()),
    };
    let identity = command_identity("timed stochastic");
    let mut runner = workers::runner(&identity, folder, place, workers, &control)?;
    let Some(tests) = completed(args, &file, &network, &suite, jobs, &mut runner)? else {
        output.warning("interrupted; nothing is written");
        return Ok(Outcome::Interrupted);
    };
    suite.tests = tests;
    if !output.is_json() {
        suite.tests.iter().for_each(|test| output.result(&shown(test)));
    }
    files::make_folder(&args.output)?;
    let path = args.output.join("suite.json");
    files::write(output, &path, json::print(&suite).as_bytes())?;
    files::write(output, &args.output.join("suite.txt"), text::print(&suite).as_bytes())?;
    let written = path.display().to_string();
    if output.is_json() {
        let (model, tests) = (file.name.clone(), suite.tests.iter().map(result).collect());
        let (schema, suite) = (Schema::default(), written);
        output.result(&to_json(&TimedStochastic { schema, model, tests, suite }));
    } else {
        output.note(&format!("written to {written}\n"));
    }
    Ok(Outcome::Well)
}

/// Does a worker's part.
pub(crate) fn serve(
    args: &TimedStochasticArgs,
    worker: &mut WorkerLoop,
    output: &Output,
) -> Result<Served, Failure> {
    let (file, network, suite) = read(args, output)?;
    let identity = command_identity("timed stochastic");
    let mut runner = CaseRunner::of_worker(&identity, worker)?;
    completed(args, &file, &network, &suite, 1, &mut runner)?;
    Ok(runner.served()?)
}

/// The model and the tests.
fn read(
    args: &TimedStochasticArgs,
    output: &Output,
) -> Result<(SourceFile, Network, TimedSuite), Failure> {
    let (file, network) = network(&args.model.model, &[], output)?;
    let mut suite = read_suite(&args.tests)?;
    let interface = Interface::new(&network);
    check_names(&suite, &interface, &args.tests)?;
    suite.observe = observed(&suite, &interface);
    suite.model = file.name.clone();
    Ok((file, network, suite))
}

/// How long a test takes, as long as nothing was measured.
const TEST_SECONDS: f64 = 1.0;

/// The tests with sequences and probabilities; nothing if that did not come to its end.
fn completed(
    args: &TimedStochasticArgs,
    file: &SourceFile,
    network: &Network,
    suite: &TimedSuite,
    jobs: usize,
    runner: &mut CaseRunner<'_>,
) -> Result<Option<Vec<TimedTest>>, Failure> {
    let TimedStochasticArgs { runs, width, confidence, seed, length, .. } = *args;
    let wrong = |message: String| {
        Failure::input(format!("{}: {message}", file.name), "simplify the model or the test")
    };
    let effort = Effort { runs, width, alpha: 1.0 - confidence, seed, jobs };
    let settings = Settings { length: length as usize, effort };
    let completer = Completer::new(network, &suite.observe, settings).map_err(wrong)?;
    let key = KeyBuilder::new("provoke/timed-stochastic/1")
        .part("model", &file.text)
        .part("suite", json::print(suite))
        .json("settings", &serde_json::json!([runs, width, confidence, seed, length]))
        .finish();
    let keys = (0..suite.tests.len()).map(|at| case_key(&key, &at.into())).collect();
    let alone = |test: TimedTest| TimedSuite { tests: vec![test], ..suite.clone() };
    let texts = runner.all(&Cases::new("tests", TEST_SECONDS, keys), &|at, _| {
        Ok::<_, Failure>(json::print(&alone(completer.complete(&suite.tests[at]).map_err(wrong)?)))
    })?;
    let read = |text: String| json::parse(&text).map_err(|error| wrong(error.message));
    let Some(texts) = texts else { return Ok(None) };
    let suites: Result<Vec<TimedSuite>, Failure> = texts.into_iter().map(read).collect();
    Ok(Some(suites?.into_iter().flat_map(|suite| suite.tests).collect()))
}

fn shown(test: &TimedTest) -> String {
    let mut shown = format!("{}\n", test.name);
    if let Some(probability) = &test.probability {
        shown += &format!("  probability {}\n", describe(probability));
    }
    for uio in &test.uios {
        let others = uio.excludes.join(", ");
        shown += &format!("  {} sequence, not shown by {others}:\n", uio.kind.word());
        let mut steps = String::new();
        text::print_steps(&mut steps, &uio.steps);
        steps.lines().for_each(|line| shown += &format!("    {line}\n"));
        if let Some(joint) = &uio.joint {
            shown += &format!("  with it: probability {}\n", describe(joint));
        }
    }
    if let Some(remark) = &test.remark {
        shown += &format!("  {remark}\n");
    }
    shown
}

fn chance(probability: Option<&Probability>) -> ChanceResult {
    match probability {
        Some(Probability { interval, exact, runs, .. }) => {
            ChanceResult { low: interval.low, high: interval.high, exact: *exact, runs: *runs }
        }
        None => ChanceResult { low: 0.0, high: 1.0, exact: None, runs: 0 },
    }
}

fn result(test: &TimedTest) -> CompletedResult {
    let sequence = |uio: &provoke_oracle::Uio| SequenceResult {
        kind: SequenceWord::of(uio.kind.word()),
        steps: uio.steps.len(),
        excludes: uio.excludes.clone(),
        joint: chance(uio.joint.as_ref()),
    };
    CompletedResult {
        test: test.name.clone(),
        probability: chance(test.probability.as_ref()),
        uio: test.uios.iter().map(sequence).collect(),
        remark: test.remark.clone(),
    }
}
