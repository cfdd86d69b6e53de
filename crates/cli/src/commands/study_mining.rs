//! `provoke study mining`: ways to explore programs, side by side.

use std::path::{Path, PathBuf};
use std::time::Instant;

use provoke::mine::{MineTarget, closure_word, failure};
use provoke_mine::coverage::measure;
use provoke_mine::explore::{open, search};
use provoke_mine::reduce::reduce;
use provoke_mine::throughput::{Rate, throughput};
use provoke_mine::{Method, Plan, Reduction, Test, Work};
use provoke_results::{
    ClosureWord, MinedCount, MiningRow, MiningWord, RateResult, Schema, StudyMining, Word, to_json,
};
use provoke_work::{CaseRunner, Cases, Served, WorkerLoop, case_key, study_identity};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::args::MiningArgs;
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::table::{aligned, csv};
use crate::workers;

/// One line of the table.
#[derive(Serialize, Deserialize)]
struct Row {
    program: String,
    method: String,
    /// What became of the suite.
    suite: String,
    outcomes: (usize, usize),
    mcdc: Option<(usize, usize)>,
    tests: usize,
    vectors: usize,
    states: usize,
    closure: String,
    findings: usize,
    steps: u64,
    seconds: f64,
}

/// The lines of a program and a method, or why there are none.
type Explored = Result<Vec<Row>, String>;

/// How long a case takes, as long as nothing was measured.
const CASE_SECONDS: f64 = 10.0;

pub(crate) fn run(args: &MiningArgs, output: &Output) -> Result<Outcome, Failure> {
    let targets = targets(&args.targets)?;
    files::make_folder(&args.output)?;
    let control = console::control(output);
    let (folder, place) =
        (args.place.store.as_ref().unwrap_or(&args.output), args.place.executor());
    // Programs are loaded into the process, which has room for one at a time.
    let jobs = place.map_or(1, |_| args.place.jobs());
    let identity = study_identity("mining");
    let mut runner = workers::runner(&identity, Some(folder), place, jobs, &control)?;
    let Some(explored) = explored(args, &targets, &mut runner, output)? else {
        output.warning("interrupted; the same command goes on");
        return Ok(Outcome::Interrupted);
    };
    let (mut rows, mut skipped) = (Vec::new(), Vec::new());
    for explored in explored {
        match explored {
            Ok(more) => rows.extend(more),
            Err(reason) => skipped.push(reason),
        }
    }
    let rates = match args.no_throughput {
        true => Vec::new(),
        false => rates_of(args, &targets[0], output)?,
    };
    let page = page(args, &rows, &rates, &skipped);
    for (name, text) in [("mining.md", &page), ("mining.csv", &csv(&lines(&rows)))] {
        files::write(output, &args.output.join(name), text.as_bytes())?;
    }
    if output.is_json() {
        output.result(&to_json(&result(args, &rows, &rates, &skipped)));
    } else {
        output.result(&page);
    }
    Ok(Outcome::Well)
}

/// Does a worker's part.
pub(crate) fn serve(
    args: &MiningArgs,
    worker: &mut WorkerLoop,
    output: &Output,
) -> Result<Served, Failure> {
    let targets = targets(&args.targets)?;
    let mut runner = CaseRunner::of_worker(&study_identity("mining"), worker)?;
    explored(args, &targets, &mut runner, output)?;
    Ok(runner.served()?)
}

/// All programs by all methods; nothing if that did not come to its end.
fn explored(
    args: &MiningArgs,
    targets: &[PathBuf],
    runner: &mut CaseRunner<'_>,
    output: &Output,
) -> Result<Option<Vec<Explored>>, Failure> {
    let (mut cases, mut keys) = (Vec::new(), Vec::new());
    for path in targets {
        let program = MineTarget::open(path, None)?.key()?;
        for method in &args.methods {
            let case = json!([stem(path), method.word(), millions(args, *method), args.seed]);
            keys.push(case_key(&program, &case));
            cases.push((path, *method));
        }
    }
    runner.all(&Cases::new("programs", CASE_SECONDS, keys), &|at, stop| {
        let (path, method) = cases[at];
        let folder = args.output.join(format!("build/{}-{}-{}", at + 1, stem(path), method.word()));
        let loaded = MineTarget::open(path, Some(&folder))?;
        case(args, &loaded, method, stop)
    })
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// How many million steps a search may take.
fn millions(args: &MiningArgs, method: Method) -> u64 {
    let many = args.exhaustive_effort.unwrap_or(args.effort.saturating_mul(40));
    if method == Method::Exhaustive { many } else { args.effort }
}

/// The target files, those of folders sorted by name.
fn targets(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).map_err(|error| {
            Failure::input(format!("cannot list {}: {error}", path.display()), "check the folder")
        })?;
        let inside = entries.flatten().map(|entry| entry.path());
        let mut inside: Vec<PathBuf> =
            inside.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
        inside.sort();
        found.extend(inside);
    }
    if found.is_empty() {
        return Err(Failure::input(
            "there are no target files",
            "name a folder with .toml files, such as models/c",
        ));
    }
    Ok(found)
}

fn case(
    args: &MiningArgs,
    loaded: &MineTarget,
    method: Method,
    stop: &dyn Fn() -> bool,
) -> Result<Explored, Failure> {
    let suite = loaded.target.suite(&loaded.name);
    let start = Instant::now();
    let mut opened =
        open(&loaded.target, &suite, loaded.workshop.as_ref(), &loaded.home, args.seed)
            .map_err(failure)?;
    let plan = Plan {
        method,
        identity: loaded.target.identity(),
        steps: millions(args, method).saturating_mul(1_000_000),
        seed: args.seed,
        initial: None,
        random: (100, 100),
        reduction: Reduction::Items,
        sanitize: false,
        coverage: true,
    };
    let mut work = Work::new(plan.steps, stop);
    let (found, _) = match search(&mut opened, &plan, &mut work) {
        Ok(found) => found,
        Err(trouble) if method == Method::Exhaustive => {
            return Ok(Err(format!("{}, exhaustive: {trouble}", loaded.name)));
        }
        Err(trouble) => return Err(failure(trouble).into()),
    };
    let seconds = start.elapsed().as_secs_f64();
    let row = |suite_word: &str, tests: &[Test]| -> Result<Row, Failure> {
        let coverage = match &loaded.workshop {
            Some(workshop) => Some(
                measure(workshop, tests, suite.outputs.len(), &loaded.target.limits)
                    .map_err(failure)?,
            ),
            None => None,
        };
        let pair = |count: provoke_mine::coverage::Count| (count.covered, count.total);
        Ok(Row {
            program: loaded.name.clone(),
            method: method.word().to_string(),
            suite: suite_word.to_string(),
            outcomes: coverage.as_ref().map_or((0, 0), |c| pair(c.outcomes)),
            mcdc: coverage.as_ref().and_then(|c| c.mcdc.map(pair)),
            tests: tests.len(),
            vectors: tests.iter().map(Vec::len).sum(),
            states: found.states,
            closure: closure_word(found.closure).to_string(),
            findings: found.findings.len(),
            steps: found.steps,
            seconds,
        })
    };
    let mut rows = vec![row("all", &found.tests)?];
    let reductions = match method {
        Method::Mine => vec![("seed's rule", Reduction::Seed)],
        _ => vec![("reduced", Reduction::Items)],
    };
    for (word, reduction) in reductions {
        let kept = reduce(&mut opened.subject, &found.tests, reduction).map_err(failure)?;
        rows.push(row(word, &kept)?);
    }
    Ok(Ok(rows))
}

fn rates_of(args: &MiningArgs, path: &Path, output: &Output) -> Result<Vec<Rate>, Failure> {
    let folder = args.output.join("build").join("throughput");
    let loaded = MineTarget::open(path, Some(&folder))?;
    let Some(workshop) = &loaded.workshop else { return Ok(Vec::new()) };
    let suite = loaded.target.suite(&loaded.name);
    let alphabet = provoke_mine::Alphabet::new(&loaded.target, &suite, &Default::default());
    let start = Instant::now();
    let clock = || start.elapsed().as_secs_f64();
    Ok(throughput(workshop, &suite, &alphabet, &loaded.target.limits, 2.0, &clock)
        .map_err(failure)?)
}

fn percent((covered, total): (usize, usize)) -> String {
    if total == 0 {
        "-".to_string()
    } else {
        format!("{:.2}", covered as f64 * 100.0 / total as f64)
    }
}

const COLUMNS: [&str; 12] = [
    "program",
    "method",
    "suite",
    "outcomes %",
    "MC/DC %",
    "tests",
    "vectors",
    "states",
    "closed",
    "findings",
    "steps",
    "seconds",
];

fn cells(row: &Row) -> Vec<String> {
    vec![
        row.program.clone(),
        row.method.clone(),
        row.suite.clone(),
        percent(row.outcomes),
        row.mcdc.map_or("-".to_string(), percent),
        row.tests.to_string(),
        row.vectors.to_string(),
        row.states.to_string(),
        row.closure.clone(),
        row.findings.to_string(),
        row.steps.to_string(),
        format!("{:.2}", row.seconds),
    ]
}

/// The heads of the columns, then the lines.
fn lines(rows: &[Row]) -> Vec<Vec<String>> {
    let heads = COLUMNS.map(String::from).to_vec();
    std::iter::once(heads).chain(rows.iter().map(cells)).collect()
}

fn page(args: &MiningArgs, rows: &[Row], rates: &[Rate], skipped: &[String]) -> String {
    let lines = lines(rows);
    let mut text = format!(
        "# Ways to explore programs\n\n{} million steps for each search, seed {}, provoke {}.\n\n{}",
        args.effort,
        args.seed,
        env!("CARGO_PKG_VERSION"),
        aligned(&lines)
    );
    if !rates.is_empty() {
        text += "\nResets with one step, a second:\n\n";
        let lines: Vec<Vec<String>> = rates
            .iter()
            .map(|rate| vec![rate.way.to_string(), format!("{:.0}", rate.per_second)])
            .collect();
        text += &aligned(&lines);
    }
    for line in skipped {
        text += &format!("\nleft out: {line}\n");
    }
    text
}

fn result(args: &MiningArgs, rows: &[Row], rates: &[Rate], skipped: &[String]) -> StudyMining {
    let count = |(covered, total): (usize, usize)| MinedCount { total, covered };
    let row = |row: &Row| MiningRow {
        program: row.program.clone(),
        method: MiningWord::of(&row.method),
        suite: row.suite.clone(),
        outcomes: count(row.outcomes),
        mcdc: row.mcdc.map(count),
        tests: row.tests,
        vectors: row.vectors,
        states: row.states,
        closure: ClosureWord::of(&row.closure),
        findings: row.findings,
        steps: row.steps,
        seconds: row.seconds,
    };
    let rate =
        |rate: &Rate| RateResult { way: rate.way.to_string(), per_second: rate.per_second.round() };
    StudyMining {
        schema: Schema::default(),
        effort: args.effort,
        seed: args.seed,
        rows: rows.iter().map(row).collect(),
        throughput: rates.iter().map(rate).collect(),
        left_out: skipped.to_vec(),
    }
}
