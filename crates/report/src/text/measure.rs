//! What a suite covers.

use super::design::design_errors;
use super::expectations::expectations;
use super::generate::folder_shown;
use provoke_base::table::aligned;
use provoke_results::{
    DisagreementResult, ExactResult, Measure, MeasuredProperties, MeasuredViolation, WhyNotResult,
    WitnessResult, percent,
};

/// How many obligations are listed when not all are asked for.
const MAX_LISTED: usize = 20;

/// What is shown of a measurement.
pub struct MeasureView<'a> {
    /// Whether all obligations are listed, also those that are covered.
    pub all: bool,
    /// Whether variables to be monitored were asked for.
    pub suggests: bool,
    /// Where an obligation is, and what it is about.
    pub place: &'a dyn Fn(&str) -> [String; 2],
}

/// How much is covered, and why the rest is not.
pub fn measure(result: &Measure, view: &MeasureView<'_>) -> String {
    let Measure { model, tests, steps, .. } = result;
    let mut text = format!("{model}: {tests} tests, {steps} steps\n");
    if result.total > 0 || (result.properties.is_none() && result.errors.is_none()) {
        text += &format!("\n{}", aligned(&part_rows(result)));
    }
    text += &result.properties.as_ref().map_or_else(String::new, properties);
    if let Some(errors) = &result.errors {
        text += &design_errors(model, errors);
    }
    if let Some(exact) = &result.exact {
        text += &changed(view.all, exact, result.total);
    }
    if !result.reasons.is_empty() {
        text += &format!("\nnot covered, and why:\n{}", aligned(&reason_rows(result, view)));
        let more = result.reasons.len().saturating_sub(MAX_LISTED);
        if !view.all && more > 0 {
            text += &format!("  ... and {more} more; --all shows them\n");
        }
    }
    if view.all {
        text += &format!("\ncovered, and how:\n{}", aligned(&witness_rows(result)));
    }
    for suggestion in &result.suggestions {
        text += &format!(
            "\nmonitoring `{}` would make {} more visible",
            suggestion.variable, suggestion.gain
        );
    }
    if view.suggests {
        let none = result.suggestions.is_empty();
        text += if none { "\nno variable would make more visible\n" } else { "\n" };
    }
    text += &expectations(&result.expectations, &result.differences);
    if !result.suite.is_empty() {
        text += &format!("\n{}", folder_shown(&result.suite));
    }
    text
}

/// Which properties the suite violates; it cannot show that the others hold.
fn properties(properties: &MeasuredProperties) -> String {
    let MeasuredProperties { total, violated } = properties;
    let mut text = format!("\nproperties: {} of {total} violated\n", violated.len());
    let row = |one: &MeasuredViolation| {
        vec![format!("  {}", one.id), format!("violated in step {} of {}", one.step, one.test)]
    };
    text += &aligned(&violated.iter().map(row).collect::<Vec<_>>());
    text
}

fn part_rows(result: &Measure) -> Vec<Vec<String>> {
    let mut rows = vec![["criterion", "node", "covered", "of", "%"].map(String::from).to_vec()];
    let mut row = |criterion: &str, node: &str, covered: usize, total: usize, percent: f64| {
        let cells = [criterion.into(), node.into(), covered.to_string(), total.to_string()];
        let mut cells = cells.to_vec();
        cells.push(format!("{percent:.2}"));
        rows.push(cells);
    };
    for part in &result.parts {
        row(&part.criterion, &part.node, part.covered, part.total, part.percent);
    }
    if result.parts.len() != 1 {
        row("all", "", result.covered, result.total, result.percent);
    }
    rows
}

fn reason_rows(result: &Measure, view: &MeasureView<'_>) -> Vec<Vec<String>> {
    let limit = if view.all { usize::MAX } else { MAX_LISTED };
    let row = |reason: &WhyNotResult| {
        let [place, text] = (view.place)(&reason.id);
        vec![format!("  {}", reason.id), place, text, reason.explanation.clone()]
    };
    result.reasons.iter().take(limit).map(row).collect()
}

fn witness_rows(result: &Measure) -> Vec<Vec<String>> {
    let row = |witness: &WitnessResult| {
        let visits = witness.path.iter().map(|visit| format!("{}@{}", visit.variable, visit.step));
        let path = visits.collect::<Vec<_>>().join(" -> ");
        let when = format!("{}, step {}", witness.test, witness.exercised);
        vec![format!("  {}", witness.id), when, path]
    };
    result.witnesses.iter().map(row).collect()
}

fn changed(all: bool, exact: &ExactResult, total: usize) -> String {
    let mut text = format!(
        "\nby changing values ({}): {} of {total} covered, {:.2} %\n",
        exact.mode,
        exact.covered,
        percent(exact.covered, total)
    );
    let limit = if all { usize::MAX } else { MAX_LISTED };
    let row = |d: &DisagreementResult| {
        let line = d.line.map_or_else(String::new, |line| format!("line {line}"));
        vec![format!("  {}", d.id), format!("only {}", d.covered_by), d.reason.clone(), line]
    };
    let rows: Vec<Vec<String>> = exact.disagreements.iter().take(limit).map(row).collect();
    if !rows.is_empty() {
        text += &format!("tags and changed values disagree:\n{}", aligned(&rows));
        let more = exact.disagreements.len().saturating_sub(limit);
        if more > 0 {
            text += &format!("  ... and {more} more; --all shows them\n");
        }
    }
    text
}
