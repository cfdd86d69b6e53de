//! What the study of mining says: its page, its files, and its result.

use provoke_base::table::{aligned, csv};
use provoke_mine::throughput::Rate;
use provoke_results::{
    ClosureWord, MinedCount, MiningRow, MiningWord, RateResult, Schema, StudyMining, Word,
};

use crate::mining_study::{Explorations, MiningOptions, Row};

/// The files of the study, with their names.
pub(super) fn files(page: &str, found: &Explorations) -> [(String, String); 2] {
    let csv = csv(&lines(&found.rows));
    [("mining.md".to_string(), page.to_string()), ("mining.csv".to_string(), csv)]
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

/// What people read.
pub(super) fn page(options: &MiningOptions, found: &Explorations) -> String {
    let Explorations { rows, rates, skipped } = found;
    let lines = lines(rows);
    let mut text = format!(
        "# Ways to explore programs\n\n{} million steps for each search, seed {}, provoke {}.\n\n{}",
        options.effort,
        options.seed,
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

/// What programs read.
pub(super) fn result(options: &MiningOptions, found: &Explorations) -> StudyMining {
    let Explorations { rows, rates, skipped } = found;
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
        effort: options.effort,
        seed: options.seed,
        rows: rows.iter().map(row).collect(),
        throughput: rates.iter().map(rate).collect(),
        left_out: skipped.clone(),
    }
}
