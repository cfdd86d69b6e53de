//! `provoke measure`: what a suite exercises and makes visible, and why not the rest.

use provoke::{MeasureOptions, TestedModel};
use provoke_results::{
    DisagreementResult, ExactResult, Measure, WhyNotResult, WitnessResult, percent, to_json,
};

use crate::args::MeasureArgs;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::subject;
use crate::table::{aligned, shortened};

/// How many obligations are listed when not all are asked for.
const SHOWN: usize = 20;

pub(crate) fn run(args: &MeasureArgs, output: &Output) -> Result<Outcome, Failure> {
    let subject = subject::load(&args.on, output)?;
    let options = MeasureOptions {
        masking: args.on.masking,
        exact: args.exact,
        suggested_variables: args.suggest_oracle,
    };
    let result = provoke::measure(&subject, &options);
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        output.result(&describe(args, &subject, &result));
    }
    let enough = args.require.is_none_or(|required| result.percent >= required);
    Ok(if enough { Outcome::Well } else { Outcome::Negative })
}

fn describe(args: &MeasureArgs, subject: &TestedModel, result: &Measure) -> String {
    let mut text = format!(
        "{}: {} tests, {} steps\n\n{}",
        result.model,
        result.tests,
        result.steps,
        aligned(&part_rows(result))
    );
    if let Some(exact) = &result.exact {
        text += &describe_exact(args, exact, result.total);
    }
    if !result.reasons.is_empty() {
        text +=
            &format!("\nnot covered, and why:\n{}", aligned(&reason_rows(args, subject, result)));
        let more = result.reasons.len().saturating_sub(SHOWN);
        if !args.all && more > 0 {
            text += &format!("  ... and {more} more; --all shows them\n");
        }
    }
    if args.all {
        text += &format!("\ncovered, and how:\n{}", aligned(&witness_rows(result)));
    }
    for suggestion in &result.suggestions {
        text += &format!(
            "\nmonitoring `{}` would make {} more visible",
            suggestion.variable, suggestion.gain
        );
    }
    if args.suggest_oracle > 0 {
        let none = result.suggestions.is_empty();
        text += if none { "\nno variable would make more visible\n" } else { "\n" };
    }
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

fn reason_rows(args: &MeasureArgs, subject: &TestedModel, result: &Measure) -> Vec<Vec<String>> {
    let limit = if args.all { usize::MAX } else { SHOWN };
    let place = |id: &str| {
        let obligation = subject.obligations.iter().find(|obligation| obligation.id == id);
        obligation.map_or_else(Default::default, |obligation| {
            let place = subject.file.line_column(obligation.span.start);
            [format!("{}:{}", place.line, place.column), shortened(&obligation.text, 30)]
        })
    };
    let row = |reason: &WhyNotResult| {
        let [place, text] = place(&reason.id);
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

fn describe_exact(args: &MeasureArgs, exact: &ExactResult, total: usize) -> String {
    let mut text = format!(
        "\nby changing values ({}): {} of {total} covered, {:.2} %\n",
        exact.mode,
        exact.covered,
        percent(exact.covered, total)
    );
    let limit = if args.all { usize::MAX } else { SHOWN };
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
