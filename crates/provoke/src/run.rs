//! A suite on a target.

use std::path::{Path, PathBuf};

use provoke_base::{Control, Error, Event, Progress};
use provoke_coverage::numbers::{in_numbers_of, same_numbers};
use provoke_exec::record::tables::{events, interactions};
use provoke_exec::record::timeline::{EnumNames, timeline};
use provoke_exec::record::waves::waves;
use provoke_exec::{
    Board, ExecutedTest, ExecutionVerdict, InteractionVerdict, Mode, Predictions, SessionOptions,
    TestSession,
};
use provoke_model::Suite;
use provoke_report::junit::run_junit;
use provoke_results::{InteractionResult, ModeWord, Run, Schema, TestVerdictWord, Word, to_json};

use crate::files::{make_folder, write_together};
use crate::target::TestTarget;

/// How a suite is run on a target.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// How events are sent and outputs judged.
    pub mode: Mode,
    /// The most runs of a test in the adaptive mode, and again as many to confirm a failure.
    pub max_runs: u64,
    /// Where random numbers start.
    pub seed: u64,
    /// Whether a suite is run that was made for other numbers.
    pub allow_other_numbers: bool,
    /// Where results, events and waves are written.
    pub folder: Option<PathBuf>,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        let (mode, allow_other_numbers) = (Mode::Scheduled, false);
        RunOptions { mode, max_runs: 60, seed: 0, allow_other_numbers, folder: None }
    }
}

/// What came of a suite on a target.
#[derive(Clone, Debug)]
pub struct RunOutcome {
    /// The verdicts, as programs read them.
    pub result: Run,
    /// Why the target could not be tested further, and what to do about it.
    pub trouble: Option<(String, String)>,
    /// The first failure, or else the first inconclusive interaction.
    pub first: Option<FirstProblem>,
}

/// An interaction that was not passed, with what was sent, due and seen around it.
#[derive(Clone, Debug)]
pub struct FirstProblem {
    /// The name of the test.
    pub test: String,
    /// The interaction, counted from 1.
    pub interaction: usize,
    /// Whether it failed; else it is inconclusive.
    pub is_failure: bool,
    /// Why.
    pub reason: String,
    /// The events around it, as a table.
    pub timeline: String,
}

/// Runs a suite, over the variables of the target's model if it names one, on a target. `suite_name` is
/// how the result calls the suite.
pub fn run(
    target: &TestTarget,
    suite: &Suite,
    suite_name: &str,
    options: &RunOptions,
    control: &Control,
) -> Result<RunOutcome, Error> {
    if options.mode == Mode::Adaptive {
        target.need_model("the adaptive mode")?;
    }
    if let (Some(numbers), false) = (target.numbers(), options.allow_other_numbers) {
        same_numbers(suite, numbers, "the target")?;
    }
    let system = target.system.as_ref().map(|system| in_numbers_of(suite, system)).transpose()?;
    let board = target.board(suite)?;
    let mut adapter = target.connect(&board, suite, options.seed, false)?;
    let RunOptions { mode, max_runs, seed, .. } = *options;
    let late_ms = target.link().late_ms;
    let predictions = Predictions::default();
    let session = TestSession {
        suite,
        board: &board,
        system: system.as_deref(),
        options: SessionOptions { mode, seed, max_runs, late_ms },
        predictions: &predictions,
    };
    let (mut done, total) = (0, suite.tests.len());
    let mut tell = |result: &ExecutedTest| {
        done += 1;
        let (name, verdict) = (&result.name, result.verdict().word());
        let text = format!("{done} of {total} tests, {name}: {verdict}");
        control.tell(Event::Progress(Progress::Text(text)));
    };
    let results = session.run_until(adapter.as_mut(), &mut tell, &|| control.is_over());
    control.tell(Event::ProgressEnded);
    if let Some(why) = adapter.caution() {
        control.warn(format!("{why}: events may be sent late, which is noted and forgiven"));
    }
    let result = result(target, suite_name, mode, &results);
    if let Some(folder) = &options.folder {
        write(folder, &result, &results, &board, suite)?;
    }
    let trouble = results.iter().find_map(|result| result.trouble.as_ref());
    Ok(RunOutcome {
        result,
        trouble: trouble.map(|trouble| (trouble.reason.clone(), trouble.hint.clone())),
        first: first_problem(&results, &board, suite),
    })
}

fn result(target: &TestTarget, suite: &str, mode: Mode, results: &[ExecutedTest]) -> Run {
    let all = || results.iter().flat_map(|result| &result.judged);
    let count = |verdict| all().filter(|judged| judged.verdict == verdict).count();
    Run {
        schema: Schema::default(),
        suite: suite.to_string(),
        target: target.file.name.clone(),
        mode: ModeWord::of(mode.word()),
        interactions: all().count(),
        passed: count(ExecutionVerdict::Pass),
        failed: count(ExecutionVerdict::Fail),
        inconclusive: count(ExecutionVerdict::Inconclusive),
        error: count(ExecutionVerdict::Error),
        tests: results.iter().map(test_result).collect(),
    }
}

fn test_result(result: &ExecutedTest) -> provoke_results::TestResult {
    let interaction = |judged: &InteractionVerdict| InteractionResult {
        verdict: TestVerdictWord::of(judged.verdict.word()),
        reason: judged.reason.clone(),
        exercised: judged.exercised,
    };
    provoke_results::TestResult {
        name: result.name.clone(),
        verdict: TestVerdictWord::of(result.verdict().word()),
        runs: result.runs,
        interactions: result.judged.iter().map(interaction).collect(),
    }
}

fn first_problem(results: &[ExecutedTest], board: &Board, suite: &Suite) -> Option<FirstProblem> {
    [ExecutionVerdict::Fail, ExecutionVerdict::Inconclusive].into_iter().find_map(|verdict| {
        results.iter().find_map(|result| {
            let at = result.judged.iter().position(|judged| judged.verdict == verdict)?;
            Some(FirstProblem {
                test: result.name.clone(),
                interaction: at + 1,
                is_failure: verdict == ExecutionVerdict::Fail,
                reason: result.judged[at].reason.clone(),
                timeline: timeline(result, at, board, &EnumNames(&suite.enums)),
            })
        })
    })
}

fn write(
    folder: &Path,
    result: &Run,
    results: &[ExecutedTest],
    board: &Board,
    suite: &Suite,
) -> Result<(), Error> {
    make_folder(folder)?;
    let names = EnumNames(&suite.enums);
    let files = [
        ("results.json", to_json(result)),
        ("junit.xml", run_junit(result)),
        ("interactions.csv", interactions(results)),
        ("events.csv", events(results, board, &names)),
        ("trace.vcd", waves(results, board, &names)),
    ];
    write_together(&files.map(|(name, text)| (folder.join(name), text.into_bytes())))
}
