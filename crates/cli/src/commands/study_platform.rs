//! `provoke study platform`: direct, scheduled and adaptive execution behind delays.

use std::path::Path;
use std::time::Instant;

use provoke_exec::{Mode, ModelController};
use provoke_model::{Suite, System};
use provoke_mutate::Mutant;
use provoke_results::{ModeWord, PlatformRow, Schema, StudyPlatform, Word, to_json};
use provoke_store::{Key, KeyBuilder};
use provoke_work::{CaseRunner, Cases, Served, WorkerLoop, case_key, study_identity};
use serde_json::json;

use crate::args::{Fill, PlatformArgs};
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::platform_study::density::{changes_per_step, with_changes};
use crate::platform_study::faulty::{Faulty, Found, Missed, faults};
use crate::platform_study::trial::{Delays, Tally, Trial, configurations};
use crate::subject;
use crate::table::{aligned, csv};
use crate::workers;

/// The thesis's table 6.6, in per cent of 1,048 interactions: scheduled, direct.
const PUBLISHED: [(u32, u32, f64, f64); 20] = [
    (250, 0, 100.0, 84.35),
    (250, 25, 100.0, 44.18),
    (250, 50, 100.0, 65.08),
    (250, 100, 85.78, 16.89),
    (250, 200, 18.80, 6.49),
    (500, 0, 100.0, 26.05),
    (500, 25, 100.0, 0.57),
    (500, 50, 100.0, 6.39),
    (500, 100, 80.15, 0.29),
    (500, 200, 15.36, 0.76),
    (1000, 0, 100.0, 0.29),
    (1000, 25, 100.0, 1.53),
    (1000, 50, 100.0, 1.34),
    (1000, 100, 80.44, 0.38),
    (1000, 200, 11.16, 0.48),
    (2000, 0, 100.0, 0.29),
    (2000, 25, 100.0, 0.19),
    (2000, 50, 100.0, 0.29),
    (2000, 100, 79.29, 0.19),
    (2000, 200, 12.79, 0.19),
];

/// One line of a table: what was done and what came of it.
struct Row {
    table: &'static str,
    changes: f64,
    delays: Delays,
    mode: Mode,
    tally: Tally,
    /// Interactions that fail on the fault itself, and how many of them pass here.
    faults: Option<(usize, usize)>,
    /// Those that pass: the fault, the test and the interaction.
    missed: Vec<Missed>,
}

impl Row {
    /// A row without faults.
    fn of_a_right_system(
        table: &'static str,
        changes: f64,
        (delays, mode): (Delays, Mode),
        tally: Tally,
    ) -> Row {
        Row { table, changes, delays, mode, tally, faults: None, missed: Vec::new() }
    }
}

/// A suite behind delays, in a mode; the platform has a number.
type Placed<'s> = (&'s Tests, Delays, Mode, u64);

/// How long cases take, as long as nothing was measured.
const TRIAL_SECONDS: f64 = 1.0;

pub(crate) fn run(args: &PlatformArgs, output: &Output) -> Result<Outcome, Failure> {
    let start = Instant::now();
    let study = Study::new(args, output)?;
    files::make_folder(&args.output)?;
    let control = console::control(output);
    let folder = args.place.store.as_ref().unwrap_or(&args.output);
    let (identity, jobs) = (study_identity("platform"), args.place.jobs());
    let mut runner =
        workers::runner(&identity, Some(folder), args.place.executor(), jobs, &control)?;
    let write = |rows: &[Row]| study.write(rows, output);
    let Some(rows) = study.rows(&mut runner, &write)? else {
        output.warning("interrupted; the same command goes on");
        return Ok(Outcome::Interrupted);
    };
    if output.is_json() {
        output.result(&to_json(&result(args, &study.suites[0].suite, &rows)));
    } else {
        output.result(&page(&study, &rows));
        output.note(&format!(
            "written to {}, {:.0} s\n",
            args.output.display(),
            start.elapsed().as_secs_f64()
        ));
    }
    Ok(Outcome::Well)
}

/// Does a worker's part.
pub(crate) fn serve(
    args: &PlatformArgs,
    worker: &mut WorkerLoop,
    output: &Output,
) -> Result<Served, Failure> {
    let study = Study::new(args, output)?;
    let mut runner = CaseRunner::of_worker(&study_identity("platform"), worker)?;
    study.rows(&mut runner, &|_| Ok(()))?;
    Ok(runner.served()?)
}

struct Study<'a> {
    args: &'a PlatformArgs,
    system: System,
    /// The suite as it is, and with fewer and more changing inputs.
    suites: Vec<Tests>,
    /// The faults that are tried.
    faults: Vec<Mutant>,
}

/// A suite, and its name with all that is the same in the whole study.
struct Tests {
    suite: Suite,
    key: Key,
}

impl<'a> Study<'a> {
    fn new(args: &'a PlatformArgs, output: &Output) -> Result<Study<'a>, Failure> {
        let (file, system) = files::model(&args.model.model, args.model.main.as_deref(), output)?;
        let mut suite = subject::suite_for(&args.suite, &system, Fill::Hold, args.seed, output)?;
        subject::expect(&mut suite, &system, &provoke_criteria::Oracle::Outputs)?;
        let wanted = args.changes.iter().filter(|wanted| **wanted > 0);
        let dense = wanted.map(|wanted| with_changes(&suite, &system, *wanted, args.seed));
        let tests = |suite: Suite| {
            let tests: Vec<String> = suite.tests.iter().map(|test| format!("{test:?}")).collect();
            let key = KeyBuilder::new("provoke/study-platform/1")
                .part("model", &file.text)
                .part("main", &system.name)
                .json("tests", &json!(tests))
                .json("seed", &json!(args.seed))
                .finish();
            Tests { suite, key }
        };
        let suites = std::iter::once(suite.clone()).chain(dense).map(tests).collect();
        let faults = faults(&system, &file, args.mutants as usize, args.seed);
        Ok(Study { args, system, suites, faults })
    }

    /// What is known so far, for whoever does not want to wait.
    fn write(&self, rows: &[Row], output: &Output) -> Result<(), Failure> {
        write(output, &self.args.output, "platform.csv", &csv(&all(rows)))?;
        write(output, &self.args.output, "missed.csv", &csv(&missed(rows)))?;
        write(output, &self.args.output, "platform.md", &page(self, rows))
    }

    /// All tables, which are told one by one; nothing if they did not come to their end.
    fn rows(
        &self,
        runner: &mut CaseRunner<'_>,
        tell: &dyn Fn(&[Row]) -> Result<(), Failure>,
    ) -> Result<Option<Vec<Row>>, Failure> {
        let mut rows = Vec::new();
        for table in [Study::published_table, Study::densities, Study::faults] {
            let Some(more) = table(self, runner)? else { return Ok::<_, Failure>(None) };
            if !more.is_empty() {
                rows.extend(more);
                tell(&rows)?;
            }
        }
        Ok(Some(rows))
    }

    /// The thesis's table: the suite as it is, in all modes, the median of several platforms.
    fn published_table(&self, runner: &mut CaseRunner<'_>) -> Result<Option<Vec<Row>>, Failure> {
        let runs = self.args.runs as usize;
        let mut work = Vec::new();
        for delays in configurations() {
            for mode in Mode::ALL {
                work.extend((0..runs as u64).map(|number| (&self.suites[0], delays, mode, number)));
            }
        }
        let Some(tallies) = self.tallies(runner, "platforms", &work)? else {
            return Ok::<_, Failure>(None);
        };
        let changes = changes_per_step(&self.suites[0].suite);
        // All platforms of a kind are beside each other; without runs there are none.
        let rows = work.chunks(runs.max(1)).zip(tallies.chunks(runs.max(1)));
        let row = |(work, tallies): (&[Placed<'_>], &[Tally])| {
            let (_, delays, mode, _) = work[0];
            Row::of_a_right_system("modes", changes, (delays, mode), median(tallies.to_vec()))
        };
        Ok(Some(rows.map(row).collect()))
    }

    /// The adaptive mode where delays vary much, for suites in which more or less changes.
    fn densities(&self, runner: &mut CaseRunner<'_>) -> Result<Option<Vec<Row>>, Failure> {
        let mut work = Vec::new();
        for tests in &self.suites[1..] {
            for max_mean_ms in [250, 500, 1000, 2000] {
                for sd_ms in [100, 200] {
                    work.push((tests, Delays { max_mean_ms, sd_ms }, Mode::Scheduled, 0));
                    work.push((tests, Delays { max_mean_ms, sd_ms }, Mode::Adaptive, 0));
                }
            }
        }
        let Some(tallies) = self.tallies(runner, "densities", &work)? else {
            return Ok::<_, Failure>(None);
        };
        let row = |((tests, delays, mode, _), tally): (&Placed<'_>, Tally)| {
            let changes = changes_per_step(&tests.suite);
            Row::of_a_right_system("changes", changes, (*delays, *mode), tally)
        };
        Ok(Some(work.iter().zip(tallies).map(row).collect()))
    }

    /// What comes of suites on a right system behind platforms.
    fn tallies(
        &self,
        runner: &mut CaseRunner<'_>,
        name: &str,
        work: &[Placed<'_>],
    ) -> Result<Option<Vec<Tally>>, Failure> {
        let keys = work.iter().map(key).collect();
        runner.all(&Cases::new(name, TRIAL_SECONDS, keys), &|at, _| {
            let (tests, delays, mode, number) = work[at];
            let trial = self.trial(&tests.suite, delays, number)?;
            Ok(Tally::new(&trial.run(mode, ModelController::new(&self.system))))
        })
    }

    /// Whether faults are still found.
    fn faults<'s>(&'s self, runner: &mut CaseRunner<'_>) -> Result<Option<Vec<Row>>, Failure> {
        let delays = |sd_ms| Delays { max_mean_ms: 500, sd_ms };
        let mut places: Vec<Placed<'s>> = [Mode::Scheduled, Mode::Adaptive]
            .map(|mode| (&self.suites[0], delays(50), mode, 0))
            .into();
        for tests in &self.suites[1..] {
            places.extend([100, 200].map(|sd_ms| (tests, delays(sd_ms), Mode::Adaptive, 0)));
        }
        let mut work = Vec::new();
        for (at, placed) in places.iter().enumerate() {
            work.extend(self.faults.iter().map(|mutant| (at, placed, mutant)));
        }
        let faulty = |(_, placed, mutant): &(usize, &Placed<'_>, &Mutant)| {
            case_key(&key(placed), &json!(mutant.id))
        };
        let keys = work.iter().map(faulty).collect();
        // What a right system does is predicted once for all faults of a place.
        let trial =
            |(tests, delays, _, number): &Placed<'s>| self.trial(&tests.suite, *delays, *number);
        let trials = places.iter().map(trial).collect::<Result<Vec<_>, _>>()?;
        let found = runner.all(&Cases::new("faults", TRIAL_SECONDS, keys), &|at, _| {
            let (place, (Tests { suite, .. }, _, mode, _), mutant) = work[at];
            let Some(faulty) = Faulty::new(mutant, &self.system, suite) else {
                return Ok::<_, Failure>(None);
            };
            let folder = self.args.output.join(format!("faults/{}-{at}", place + 1));
            let software = faulty.compiled(&self.system, suite, &folder)?;
            Ok(Some(faulty.found(&trials[place].run(*mode, software))))
        })?;
        let Some(found) = found else { return Ok::<_, Failure>(None) };
        let found = found.chunks(self.faults.len().max(1));
        Ok(Some(places.iter().zip(found).map(|(placed, found)| sum(placed, found)).collect()))
    }

    fn trial<'s>(
        &'s self,
        suite: &'s Suite,
        delays: Delays,
        number: u64,
    ) -> Result<Trial<'s>, Failure> {
        let seed = self.args.seed.wrapping_add(number.wrapping_mul(1000)) + 1;
        Trial::new(&self.system, suite, delays, seed)
            .map_err(|trouble| Failure::Unreachable { message: trouble.reason, hint: trouble.hint })
    }
}

/// The name of what comes of a suite behind a platform.
fn key((tests, delays, mode, number): &Placed<'_>) -> Key {
    let Delays { max_mean_ms, sd_ms } = delays;
    case_key(&tests.key, &json!([max_mean_ms, sd_ms, mode.word(), number]))
}

/// The tally with the median of what passed.
fn median(mut tallies: Vec<Tally>) -> Tally {
    tallies.sort_by_key(|tally| tally.pass);
    tallies.get(tallies.len() / 2).copied().unwrap_or_default()
}

/// What came of all faults in one place.
fn sum((tests, delays, mode, _): &Placed<'_>, all: &[Option<Found>]) -> Row {
    let mut tally = Tally::default();
    let (mut failing, mut missed) = (0, Vec::new());
    for found in all.iter().flatten() {
        tally.pass += found.tally.pass;
        tally.fail += found.tally.fail;
        tally.inconclusive += found.tally.inconclusive;
        failing += found.failing;
        missed.extend(found.missed.iter().cloned());
    }
    let (changes, faults) = (changes_per_step(&tests.suite), Some((failing, missed.len())));
    Row { table: "faults", changes, delays: *delays, mode: *mode, tally, faults, missed }
}

fn percent(part: usize, tally: Tally) -> f64 {
    let total = tally.pass + tally.fail + tally.inconclusive;
    100.0 * part as f64 / total.max(1) as f64
}

fn all(rows: &[Row]) -> Vec<Vec<String>> {
    let head = [
        "table",
        "changes_per_step",
        "max_mean_ms",
        "sd_ms",
        "mode",
        "pass",
        "fail",
        "inconclusive",
        "failing",
        "false_negatives",
    ];
    let line = |row: &Row| {
        let Tally { pass, fail, inconclusive } = row.tally;
        let number = |count: Option<usize>| count.map_or(String::new(), |count| count.to_string());
        vec![
            row.table.to_string(),
            format!("{:.2}", row.changes),
            row.delays.max_mean_ms.to_string(),
            row.delays.sd_ms.to_string(),
            row.mode.word().to_string(),
            pass.to_string(),
            fail.to_string(),
            inconclusive.to_string(),
            number(row.faults.map(|faults| faults.0)),
            number(row.faults.map(|faults| faults.1)),
        ]
    };
    std::iter::once(head.map(String::from).to_vec()).chain(rows.iter().map(line)).collect()
}

/// The false negatives, one by one.
fn missed(rows: &[Row]) -> Vec<Vec<String>> {
    let head = ["changes_per_step", "sd_ms", "mode", "fault", "test", "interaction"];
    let mut lines = vec![head.map(String::from).to_vec()];
    for row in rows {
        for (fault, test, interaction) in &row.missed {
            lines.push(vec![
                format!("{:.2}", row.changes),
                row.delays.sd_ms.to_string(),
                row.mode.word().to_string(),
                fault.clone(),
                test.clone(),
                interaction.to_string(),
            ]);
        }
    }
    lines
}

fn result(args: &PlatformArgs, suite: &Suite, rows: &[Row]) -> StudyPlatform {
    let row = |row: &Row| PlatformRow {
        table: row.table.to_string(),
        changes_per_step: (row.changes * 100.0).round() / 100.0,
        max_mean_ms: row.delays.max_mean_ms,
        sd_ms: row.delays.sd_ms,
        mode: ModeWord::of(row.mode.word()),
        pass: row.tally.pass,
        fail: row.tally.fail,
        inconclusive: row.tally.inconclusive,
        failing: row.faults.map(|(failing, _)| failing),
        false_negatives: row.faults.map(|(_, missed)| missed),
    };
    StudyPlatform {
        schema: Schema::default(),
        model: args.model.model.display().to_string(),
        suite: args.suite.display().to_string(),
        tests: suite.tests.len(),
        interactions: suite.tests.iter().map(|test| test.steps.len()).sum(),
        runs: args.runs,
        seed: args.seed,
        rows: rows.iter().map(row).collect(),
    }
}

fn page(study: &Study<'_>, rows: &[Row]) -> String {
    let interactions: usize = study.suites[0].suite.tests.iter().map(|test| test.steps.len()).sum();
    let mut text = format!(
        "# Execution behind delays\n\n{}: {} inputs, {} outputs; {} tests, {interactions} interactions, {:.1} changing \
         inputs per step; steps of 500 ms, median of {} platforms, seed {}.\n",
        study.args.model.model.display(),
        study.system.inputs.len(),
        study.system.outputs.len(),
        study.suites[0].suite.tests.len(),
        changes_per_step(&study.suites[0].suite),
        study.args.runs,
        study.args.seed,
    );
    if rows.iter().any(|row| row.table == "modes") {
        text += "\n## Passed, of a right system\n\n";
        text += &markdown(&modes_table(rows));
        text += "\n`published` is You's table 6.6: 1,048 interactions of another pump.\n";
    }
    let dense: Vec<&Row> = rows.iter().filter(|row| row.table == "changes").collect();
    if !dense.is_empty() {
        text += "\n## More and fewer changing inputs\n\n";
        text += &markdown(&plain_table(&dense, false));
    }
    let faults: Vec<&Row> = rows.iter().filter(|row| row.table == "faults").collect();
    if !faults.is_empty() {
        text += "\n## Faults, as compiled C\n\n";
        text += &markdown(&plain_table(&faults, true));
        text += "\n`failing` are the interactions whose outputs are wrong on the faulty software itself; a false negative is one of them that passes.\n";
    }
    text
}

fn modes_table(rows: &[Row]) -> Vec<Vec<String>> {
    let head = [
        "max mean",
        "sd",
        "direct",
        "scheduled",
        "fewer false positives",
        "adaptive",
        "inconclusive",
        "published direct",
        "published scheduled",
    ];
    let mut table = vec![head.map(String::from).to_vec()];
    let of = |delays: Delays, mode: Mode| {
        rows.iter().find(|row| row.table == "modes" && row.delays == delays && row.mode == mode)
    };
    for delays in configurations() {
        let share = |mode| of(delays, mode).map_or(0.0, |row| percent(row.tally.pass, row.tally));
        let (direct, scheduled) = (share(Mode::Direct), share(Mode::Scheduled));
        let open = of(delays, Mode::Adaptive)
            .map_or(0.0, |row| percent(row.tally.inconclusive, row.tally));
        let mut row = vec![delays.max_mean_ms.to_string(), delays.sd_ms.to_string()];
        for number in [direct, scheduled, scheduled - direct, share(Mode::Adaptive), open] {
            row.push(format!("{number:.2} %"));
        }
        let published =
            PUBLISHED.iter().find(|row| (row.0, row.1) == (delays.max_mean_ms, delays.sd_ms));
        let (scheduled, direct) = published.map_or((100.0, 100.0), |row| (row.2, row.3));
        row.extend([direct, scheduled].map(|number| format!("{number:.2} %")));
        table.push(row);
    }
    table
}

fn plain_table(rows: &[&Row], faults: bool) -> Vec<Vec<String>> {
    let mut head =
        vec!["changes per step", "max mean", "sd", "mode", "pass", "fail", "inconclusive"];
    if faults {
        head.extend(["failing", "false negatives"]);
    }
    let mut table = vec![head.iter().map(|word| word.to_string()).collect()];
    for row in rows {
        let tally = row.tally;
        let mut cells = vec![
            format!("{:.1}", row.changes),
            row.delays.max_mean_ms.to_string(),
            row.delays.sd_ms.to_string(),
            row.mode.word().to_string(),
        ];
        for part in [tally.pass, tally.fail, tally.inconclusive] {
            cells.push(format!("{:.2} %", percent(part, tally)));
        }
        if let Some((failing, missed)) = row.faults {
            cells.extend([failing.to_string(), missed.to_string()]);
        }
        table.push(cells);
    }
    table
}

/// A table that is also readable as it is.
fn markdown(rows: &[Vec<String>]) -> String {
    let mut bordered: Vec<Vec<String>> = Vec::new();
    for row in rows {
        let mut cells = vec!["|".to_string()];
        for cell in row {
            cells.extend([cell.clone(), "|".to_string()]);
        }
        bordered.push(cells);
    }
    let text = aligned(&bordered);
    let width = rows.first().map_or(0, Vec::len);
    let (head, rest) = text.split_once('\n').unwrap_or((&text, ""));
    format!("{head}\n|{}\n{rest}", "---|".repeat(width))
}

fn write(output: &Output, folder: &Path, name: &str, text: &str) -> Result<(), Failure> {
    files::write(output, &folder.join(name), text.as_bytes())
}
