//! What the study of platforms says: its page, its files, and its result.

use provoke_base::table::{aligned, csv};
use provoke_exec::Mode;
use provoke_results::{ModeWord, PlatformRow, Schema, StudyPlatform, Word};

use crate::platform_study::density::changes_per_step;
use crate::platform_study::faulty::Missed;
use crate::platform_study::trial::{Delays, Tally, configurations};
use crate::platform_study::{PlatformOptions, PreparedStudy};

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
pub(super) struct Row {
    pub(super) table: &'static str,
    pub(super) changes: f64,
    pub(super) delays: Delays,
    pub(super) mode: Mode,
    pub(super) tally: Tally,
    /// Interactions that fail on the fault itself, and how many of them pass here.
    pub(super) faults: Option<(usize, usize)>,
    /// Those that pass: the fault, the test and the interaction.
    pub(super) missed: Vec<Missed>,
}

impl Row {
    /// A row without faults.
    pub(super) fn of_a_right_system(
        table: &'static str,
        changes: f64,
        (delays, mode): (Delays, Mode),
        tally: Tally,
    ) -> Row {
        Row { table, changes, delays, mode, tally, faults: None, missed: Vec::new() }
    }
}

/// The files of what is known so far.
pub(super) fn files(study: &PreparedStudy<'_>, rows: &[Row]) -> [(String, String); 3] {
    let texts = [
        ("platform.csv", csv(&all(rows))),
        ("missed.csv", csv(&missed(rows))),
        ("platform.md", page(study, rows)),
    ];
    texts.map(|(name, text)| (name.to_string(), text))
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

/// What programs read.
pub(super) fn result(study: &PreparedStudy<'_>, rows: &[Row]) -> StudyPlatform {
    let (options, suite) = (study.options, study.suite());
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
        model: options.model.name.clone(),
        suite: options.suite.name.clone(),
        tests: suite.tests.len(),
        interactions: suite.tests.iter().map(|test| test.steps.len()).sum(),
        runs: options.runs,
        seed: options.seed,
        rows: rows.iter().map(row).collect(),
    }
}

/// What people read.
pub(super) fn page(study: &PreparedStudy<'_>, rows: &[Row]) -> String {
    let PlatformOptions { model, runs, seed, .. } = study.options;
    let interactions: usize = study.suite().tests.iter().map(|test| test.steps.len()).sum();
    let mut text = format!(
        "# Execution behind delays\n\n{}: {} inputs, {} outputs; {} tests, {interactions} interactions, {:.1} changing \
         inputs per step; steps of 500 ms, median of {runs} platforms, seed {seed}.\n",
        model.name,
        study.system.inputs.len(),
        study.system.outputs.len(),
        study.suite().tests.len(),
        changes_per_step(study.suite()),
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
