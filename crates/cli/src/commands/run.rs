//! `provoke run`: a suite on a target.

use std::path::Path;

use provoke_exec::{Board, Judged, Mode, Options, Predictions, Session, TestResult, Verdict};
use provoke_model::Suite;
use provoke_report::junit::run_junit;
use provoke_results::{InteractionResult, ModeWord, Run, Schema, TestVerdictWord, Word, to_json};
use provoke_suite::{ReadSuite, Typing};

use crate::args::RunArgs;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::progress::ProgressLine;
use crate::run_report::tables::{events, interactions};
use crate::run_report::timeline::{Names, timeline};
use crate::run_report::waves::waves;
use crate::subject;
use crate::table::aligned;
use crate::target::{Loaded, arrange_outputs};

pub(crate) fn run(args: &RunArgs, output: &Output) -> Result<Outcome, Failure> {
    let loaded = Loaded::new(&args.on, output)?;
    if args.mode == Mode::Adaptive {
        loaded.need_model("the adaptive mode")?;
    }
    let suite = read_suite(args, &loaded, output)?;
    let board = loaded.board(&suite, output)?;
    let mut adapter = loaded.connect(&board, &suite, args.seed, false)?;
    let late_ms = loaded.link().late_ms;
    let options = Options { mode: args.mode, seed: args.seed, max_runs: args.max_runs, late_ms };
    let predictions = Predictions::default();
    let system = loaded.system.as_ref();
    let session =
        Session { suite: &suite, board: &board, system, options, predictions: &predictions };
    let mut progress = ProgressLine::new(output, std::time::Instant::now());
    let total = suite.tests.len();
    let mut done = 0;
    let results = session.run(adapter.as_mut(), &mut |result| {
        done += 1;
        let (name, verdict) = (&result.name, result.verdict().word());
        progress.show_text(|_| format!("{done} of {total} tests, {name}: {verdict}"));
    });
    progress.clear();
    if let Some(why) = adapter.caution() {
        output.warning(&format!("{why}: events may be sent late, which is noted and forgiven"));
    }
    if let Some(folder) = &args.output {
        write_files(folder, args, &results, &board, &suite, output)?;
    }
    let tally = Tally::new(&results);
    if output.is_json() {
        output.result(&to_json(&result(args, &results)));
    } else {
        output.result(&describe(args, &results, &board, &suite));
    }
    Ok(tally.outcome())
}

/// The tests over the model's variables, or over the file's own if there is no model.
fn read_suite(args: &RunArgs, loaded: &Loaded, output: &Output) -> Result<Suite, Failure> {
    let Some(system) = &loaded.system else {
        let ReadSuite { suite, .. } = files::suite(&args.suite, None, Typing::Infer)?;
        return Ok(suite);
    };
    let suite = subject::suite_for(&args.suite, system, args.fill, args.seed, output)?;
    Ok(arrange_outputs(&suite, system))
}

/// How many interactions have which verdict.
struct Tally {
    passed: usize,
    failed: usize,
    inconclusive: usize,
    error: usize,
}

impl Tally {
    fn new(results: &[TestResult]) -> Tally {
        let all = || results.iter().flat_map(|result| &result.judged);
        let count = |verdict| all().filter(|judged| judged.verdict == verdict).count();
        Tally {
            passed: count(Verdict::Pass),
            failed: count(Verdict::Fail),
            inconclusive: count(Verdict::Inconclusive),
            error: count(Verdict::Error),
        }
    }

    fn total(&self) -> usize {
        self.passed + self.failed + self.inconclusive + self.error
    }

    /// A failure is an answer; without one, what could not be tested comes first.
    fn outcome(&self) -> Outcome {
        match self {
            Tally { failed: 1.., .. } => Outcome::Negative,
            Tally { error: 1.., .. } => Outcome::Missing,
            Tally { inconclusive: 1.., .. } => Outcome::Inconclusive,
            _ => Outcome::Well,
        }
    }
}

fn result(args: &RunArgs, results: &[TestResult]) -> Run {
    let Tally { passed, failed, inconclusive, error } = Tally::new(results);
    Run {
        schema: Schema::default(),
        suite: args.suite.display().to_string(),
        target: args.on.display().to_string(),
        mode: ModeWord::of(args.mode.word()),
        interactions: passed + failed + inconclusive + error,
        passed,
        failed,
        inconclusive,
        error,
        tests: results.iter().map(test_result).collect(),
    }
}

fn test_result(result: &TestResult) -> provoke_results::TestResult {
    let interaction = |judged: &Judged| InteractionResult {
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

fn describe(args: &RunArgs, results: &[TestResult], board: &Board, suite: &Suite) -> String {
    let tally = Tally::new(results);
    let (on, mode) = (args.on.display(), args.mode.word());
    let mut text = format!("{on}: {} tests, {mode}\n", results.len());
    let mut rows =
        vec![["interactions", "pass", "fail", "inconclusive", "error"].map(String::from).to_vec()];
    let counts = [tally.total(), tally.passed, tally.failed, tally.inconclusive, tally.error];
    rows.push(counts.map(|count| count.to_string()).to_vec());
    text += &aligned(&rows);
    let all = || results.iter().flat_map(|result| &result.judged);
    let elsewhere = all().filter(|judged| judged.exercised == Some(false)).count();
    if elsewhere > 0 {
        text += &format!("{elsewhere} interactions read other inputs than their test wants\n");
    }
    if let Some(trouble) = results.iter().find_map(|result| result.trouble.as_ref()) {
        text += &format!("\nerror: {}\n  = help: {}\n", trouble.reason, trouble.hint);
    }
    for verdict in [Verdict::Fail, Verdict::Inconclusive] {
        let first = results.iter().find_map(|result| {
            let at = result.judged.iter().position(|judged| judged.verdict == verdict)?;
            Some((result, at))
        });
        if let Some((result, at)) = first {
            let word =
                if verdict == Verdict::Fail { "failure" } else { "inconclusive interaction" };
            let reason = &result.judged[at].reason;
            text += &format!(
                "\nfirst {word}: test {}, interaction {}: {reason}\n",
                result.name,
                at + 1
            );
            text += &timeline(result, at, board, &Names(&suite.enums));
            break;
        }
    }
    text
}

fn write_files(
    folder: &Path,
    args: &RunArgs,
    results: &[TestResult],
    board: &Board,
    suite: &Suite,
    output: &Output,
) -> Result<(), Failure> {
    files::make_folder(folder)?;
    let names = Names(&suite.enums);
    let result = result(args, results);
    for (file, text) in [
        ("results.json", to_json(&result)),
        ("junit.xml", run_junit(&result)),
        ("interactions.csv", interactions(results)),
        ("events.csv", events(results, board, &names)),
        ("trace.vcd", waves(results, board, &names)),
    ] {
        files::write(output, &folder.join(file), text.as_bytes())?;
    }
    Ok(())
}
