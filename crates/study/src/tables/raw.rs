//! What the tables stand on, for other tools to work on.

use crate::cells::{StudyCell, StudyCells};
use crate::compare::two_digits;
use crate::outcome::{CaseOutcome, MonitoredSet};
use crate::table::Table;

const CASE: [&str; 6] = ["model", "form", "masking", "criterion", "method", "run"];

fn case(cell: &StudyCell) -> Vec<String> {
    let case = &cell.case;
    let words = [
        case.group.form.word(),
        case.group.masking.word(),
        case.criterion.word(),
        case.method.word(),
    ];
    let words = words.into_iter().map(String::from);
    [case.model.clone()].into_iter().chain(words).chain([case.run.to_string()]).collect()
}

pub(super) fn cells(cells: &StudyCells) -> Table {
    let numbers = [
        "obligations",
        "covered",
        "infeasible",
        "unknown",
        "tests",
        "steps",
        "mutants",
        "invalid",
        "suites",
        "mean suite size",
        "mean MX",
        "mean OO",
    ];
    let columns: Vec<&str> = CASE.into_iter().chain(numbers).collect();
    let mut table = Table::new("", "cells", "each case", &columns);
    for cell in &cells.0 {
        let outcome = &cell.outcome;
        let totals = outcome.obligations;
        let counts = [
            totals.total,
            totals.covered,
            totals.infeasible,
            totals.unknown,
            outcome.tests,
            outcome.steps,
            outcome.mutants,
            outcome.invalid,
            outcome.suites.len(),
        ];
        let mut row = case(cell);
        row.extend(counts.map(|count| count.to_string()));
        row.push(two_digits(outcome.suite_size()));
        row.extend(MonitoredSet::ALL.map(|seen| two_digits(outcome.rate(seen))));
        table.rows.push(row);
    }
    table
}

/// Apart from the other numbers, which are the same in each run.
pub(super) fn times(cells: &StudyCells) -> Table {
    let columns: Vec<&str> = CASE.into_iter().chain(["seconds", "out of time"]).collect();
    let mut table = Table::new("", "times", "how long each case took", &columns);
    for cell in &cells.0 {
        let CaseOutcome { seconds, cut_short, .. } = cell.outcome;
        let mut row = case(cell);
        row.extend([format!("{seconds:.3}"), cut_short.to_string()]);
        table.rows.push(row);
    }
    table
}

pub(super) fn suites(cells: &StudyCells) -> Table {
    let numbers = ["suite", "tests", "steps", "killed MX", "killed OO", "mutants"];
    let columns: Vec<&str> = CASE.into_iter().chain(numbers).collect();
    let mut table = Table::new("", "suites", "each reduced suite", &columns);
    for cell in &cells.0 {
        for (number, suite) in cell.outcome.suites.iter().enumerate() {
            let numbers = [
                number + 1,
                suite.tests,
                suite.steps,
                suite.maximum,
                suite.outputs,
                cell.outcome.mutants,
            ];
            let mut row = case(cell);
            row.extend(numbers.map(|number| number.to_string()));
            table.rows.push(row);
        }
    }
    table
}
