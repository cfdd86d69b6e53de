//! `provoke study platform`: direct, scheduled and adaptive execution behind delays.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use provoke_base::SourceFile;
use provoke_exec::{Mode, ModelController};
use provoke_model::{Suite, System};

use crate::args::{Fill, PlatformArgs};
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::platform_study::density::{changes_per_step, with_changes};
use crate::platform_study::faulty::{Faulty, faulty};
use crate::platform_study::trial::{Delays, Tally, Trial, configurations};
use crate::progress::ProgressLine;
use crate::subject;
use crate::table::aligned;

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
    missed: Vec<String>,
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

pub(crate) fn run(args: &PlatformArgs, output: &Output) -> Result<Outcome, Failure> {
    let start = Instant::now();
    let (file, system) = files::model(&args.model.model, args.model.main.as_deref(), output)?;
    let mut suite = subject::suite_for(&args.suite, &system, Fill::Hold, args.seed, output)?;
    subject::expect(&mut suite, &system, &provoke_criteria::Oracle::Outputs)?;
    files::make_folder(&args.output)?;
    let wanted = args.changes.iter().filter(|wanted| **wanted > 0);
    let dense = wanted.map(|wanted| with_changes(&suite, &system, *wanted, args.seed)).collect();
    let study = Study { args, file: &file, system: &system, suite: &suite, dense, output };
    let mut rows = Vec::new();
    if args.runs > 0 {
        rows.extend(study.published_table()?);
        study.write(&rows)?;
    }
    rows.extend(study.densities()?);
    study.write(&rows)?;
    if args.mutants > 0 {
        rows.extend(study.faults()?);
        study.write(&rows)?;
    }
    if output.is_json() {
        output.result(&provoke_results::to_json(&json(args, &suite, &rows)));
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

struct Study<'a> {
    args: &'a PlatformArgs,
    file: &'a SourceFile,
    system: &'a System,
    suite: &'a Suite,
    /// The suite with fewer and more changing inputs.
    dense: Vec<Suite>,
    output: &'a Output,
}

impl Study<'_> {
    /// What is known so far, for whoever does not want to wait.
    fn write(&self, rows: &[Row]) -> Result<(), Failure> {
        write(self.output, &self.args.output, "platform.csv", &csv(rows))?;
        write(self.output, &self.args.output, "missed.csv", &missed(rows))?;
        write(self.output, &self.args.output, "platform.md", &page(self, rows))
    }

    /// The thesis's table: the suite as it is, in all modes, the median of several platforms.
    fn published_table(&self) -> Result<Vec<Row>, Failure> {
        let changes = changes_per_step(self.suite);
        let mut work = Vec::new();
        for delays in configurations() {
            for mode in Mode::ALL {
                work.push((delays, mode));
            }
        }
        self.parallel("platforms", &work, |(delays, mode)| {
            let mut tallies = Vec::new();
            for number in 0..u64::from(self.args.runs) {
                let trial = self.trial(self.suite, *delays, number)?;
                tallies.push(Tally::new(&trial.run(*mode, ModelController::new(self.system))));
            }
            let tally = median(tallies);
            Ok(Row::of_a_right_system("modes", changes, (*delays, *mode), tally))
        })
    }

    /// The adaptive mode where delays vary much, for suites in which more or less changes.
    fn densities(&self) -> Result<Vec<Row>, Failure> {
        let mut rows = Vec::new();
        for suite in &self.dense {
            let changes = changes_per_step(suite);
            let mut work = Vec::new();
            for max_mean_ms in [250, 500, 1000, 2000] {
                for sd_ms in [100, 200] {
                    work.push((Delays { max_mean_ms, sd_ms }, Mode::Scheduled));
                    work.push((Delays { max_mean_ms, sd_ms }, Mode::Adaptive));
                }
            }
            rows.extend(self.parallel("densities", &work, |(delays, mode)| {
                let trial = self.trial(suite, *delays, 0)?;
                let tally = Tally::new(&trial.run(*mode, ModelController::new(self.system)));
                Ok(Row::of_a_right_system("changes", changes, (*delays, *mode), tally))
            })?);
        }
        Ok(rows)
    }

    /// Whether faults are still found.
    fn faults(&self) -> Result<Vec<Row>, Failure> {
        let mut rows = Vec::new();
        let mut cases = vec![(self.suite, Mode::Scheduled, 50), (self.suite, Mode::Adaptive, 50)];
        for suite in &self.dense {
            cases.extend([100, 200].map(|sd_ms| (suite, Mode::Adaptive, sd_ms)));
        }
        for (suite, mode, sd_ms) in cases {
            let changes = changes_per_step(suite);
            let delays = Delays { max_mean_ms: 500, sd_ms };
            let count = self.args.mutants as usize;
            let all = faulty(self.system, self.file, suite, count, self.args.seed);
            let trial = self.trial(suite, delays, 0)?;
            let numbered: Vec<(usize, &Faulty)> =
                all.iter().enumerate().filter(|(_, faulty)| faulty.count() > 0).collect();
            let found = self.parallel("faults", &numbered, |(number, faulty)| {
                let folder = self.args.output.join("faults");
                let software = faulty.compiled(self.system, suite, &folder, *number)?;
                let results = trial.run(mode, software);
                let name = &faulty.mutant.id;
                let line = |(test, interaction)| format!("\"{name}\",{test},{interaction}");
                let missed: Vec<String> = faulty.missed(&results).into_iter().map(line).collect();
                let faults = Some((faulty.count(), missed.len()));
                let tally = Tally::new(&results);
                Ok(Row { table: "faults", changes, delays, mode, tally, faults, missed })
            })?;
            rows.push(sum(found, changes, delays, mode));
        }
        Ok(rows)
    }

    fn trial<'s>(
        &'s self,
        suite: &'s Suite,
        delays: Delays,
        number: u64,
    ) -> Result<Trial<'s>, Failure> {
        let seed = self.args.seed.wrapping_add(number.wrapping_mul(1000)) + 1;
        Trial::new(self.system, suite, delays, seed)
            .map_err(|trouble| Failure::Unreachable { message: trouble.reason, hint: trouble.hint })
    }

    /// Does work in threads; the results are in the order of the work.
    fn parallel<W: Sync>(
        &self,
        what: &str,
        work: &[W],
        each: impl Fn(&W) -> Result<Row, Failure> + Sync,
    ) -> Result<Vec<Row>, Failure> {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let jobs = self.args.jobs.map_or(cores, |jobs| jobs as usize).clamp(1, work.len().max(1));
        let next = AtomicUsize::new(0);
        let slots: Vec<Mutex<Option<Result<Row, Failure>>>> =
            work.iter().map(|_| Mutex::new(None)).collect();
        let progress = Mutex::new(ProgressLine::new(self.output, Instant::now()));
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(item) = work.get(index) else { return };
                        let row = each(item);
                        *slots[index].lock().expect("no panic") = Some(row);
                        let mut line = progress.lock().expect("no panic");
                        line.show_text(|time| {
                            format!("{what}: {} of {}, {} s", index + 1, work.len(), time.as_secs())
                        });
                    }
                });
            }
        });
        progress.into_inner().expect("no panic").clear();
        slots.into_iter().map(|slot| slot.into_inner().expect("no panic").expect("done")).collect()
    }
}

/// The tally with the median of what passed.
fn median(mut tallies: Vec<Tally>) -> Tally {
    tallies.sort_by_key(|tally| tally.pass);
    tallies.get(tallies.len() / 2).copied().unwrap_or_default()
}

fn sum(rows: Vec<Row>, changes: f64, delays: Delays, mode: Mode) -> Row {
    let mut tally = Tally::default();
    let mut faults = (0, 0);
    let mut all_missed = Vec::new();
    for row in rows {
        tally.pass += row.tally.pass;
        tally.fail += row.tally.fail;
        tally.inconclusive += row.tally.inconclusive;
        let (failing, missed) = row.faults.unwrap_or_default();
        faults = (faults.0 + failing, faults.1 + missed);
        all_missed.extend(row.missed);
    }
    let (faults, missed) = (Some(faults), all_missed);
    Row { table: "faults", changes, delays, mode, tally, faults, missed }
}

fn percent(part: usize, tally: Tally) -> f64 {
    let total = tally.pass + tally.fail + tally.inconclusive;
    100.0 * part as f64 / total.max(1) as f64
}

fn csv(rows: &[Row]) -> String {
    let mut text =
        "table,changes_per_step,max_mean_ms,sd_ms,mode,pass,fail,inconclusive,failing,false_negatives\n".to_string();
    for row in rows {
        let Tally { pass, fail, inconclusive } = row.tally;
        let faults =
            row.faults.map_or(",".to_string(), |(failing, missed)| format!("{failing},{missed}"));
        text += &format!(
            "{},{:.2},{},{},{},{pass},{fail},{inconclusive},{faults}\n",
            row.table,
            row.changes,
            row.delays.max_mean_ms,
            row.delays.sd_ms,
            row.mode.word()
        );
    }
    text
}

/// The false negatives, one by one.
fn missed(rows: &[Row]) -> String {
    let mut text = "changes_per_step,sd_ms,mode,fault,test,interaction\n".to_string();
    for row in rows {
        for missed in &row.missed {
            let (sd_ms, mode) = (row.delays.sd_ms, row.mode.word());
            text += &format!("{:.2},{sd_ms},{mode},{missed}\n", row.changes);
        }
    }
    text
}

fn json(args: &PlatformArgs, suite: &Suite, rows: &[Row]) -> serde_json::Value {
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            serde_json::json!({
                "table": row.table,
                "changes_per_step": (row.changes * 100.0).round() / 100.0,
                "max_mean_ms": row.delays.max_mean_ms,
                "sd_ms": row.delays.sd_ms,
                "mode": row.mode.word(),
                "pass": row.tally.pass,
                "fail": row.tally.fail,
                "inconclusive": row.tally.inconclusive,
                "failing": row.faults.map(|(failing, _)| failing),
                "false_negatives": row.faults.map(|(_, missed)| missed),
            })
        })
        .collect();
    serde_json::json!({
        "schema": "provoke/study-platform/1",
        "model": args.model.model.display().to_string(),
        "suite": args.suite.display().to_string(),
        "tests": suite.tests.len(),
        "interactions": suite.tests.iter().map(|test| test.steps.len()).sum::<usize>(),
        "runs": args.runs,
        "seed": args.seed,
        "rows": rows,
    })
}

fn page(study: &Study<'_>, rows: &[Row]) -> String {
    let interactions: usize = study.suite.tests.iter().map(|test| test.steps.len()).sum();
    let mut text = format!(
        "# Execution behind delays\n\n{}: {} inputs, {} outputs; {} tests, {interactions} interactions, {:.1} changing \
         inputs per step; steps of 500 ms, median of {} platforms, seed {}.\n",
        study.args.model.model.display(),
        study.system.inputs.len(),
        study.system.outputs.len(),
        study.suite.tests.len(),
        changes_per_step(study.suite),
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
