//! `provoke prove`: the model's own properties.

use provoke::{Model, Proved};
use provoke_results::{Prove, UndefinedResult, VerdictResult, to_json};

use crate::args::ProveArgs;
use crate::commands::generate::{property_row, say_interrupted};
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::table::aligned;

pub(crate) fn run(args: &ProveArgs, output: &Output) -> Result<Outcome, Failure> {
    let (model, work) = (model(args, output)?, args.work.options()?);
    let (folder, control) = (args.output.as_deref(), console::control(output));
    let Proved { result, .. } = provoke::prove(&model, folder, &work, &control)?;
    if result.interrupted {
        say_interrupted(folder, output);
    }
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        output.result(&describe(&result));
    }
    Ok(match result.properties {
        totals if totals.violated > 0 => Outcome::Negative,
        _ if result.interrupted => Outcome::Interrupted,
        totals if totals.unknown > 0 => Outcome::Inconclusive,
        _ => Outcome::Well,
    })
}

fn model(args: &ProveArgs, output: &Output) -> Result<Model, Failure> {
    let (main, assume) = (args.model.main.as_deref(), &args.work.assume);
    files::model_assuming(&args.model.model, main, assume, output)
}

fn describe(result: &Prove) -> String {
    let row = |verdict: &VerdictResult| {
        let [word, detail] = property_row(verdict);
        vec![format!("  {}", verdict.id), word, detail]
    };
    let rows: Vec<Vec<String>> = result.verdicts.iter().map(row).collect();
    let totals = result.properties;
    let mut text = format!("{}\n{}", result.model, aligned(&rows));
    for verdict in result.verdicts.iter().filter(|verdict| !verdict.undefined.is_empty()) {
        text += &undefined_values(verdict);
    }
    for assumption in &result.assumptions {
        text += &format!("assuming {assumption}\n");
    }
    text += &format!(
        "{} violated, {} hold{}, {} unknown, {} s\n",
        totals.violated,
        totals.holds,
        if totals.holds == 1 { "s" } else { "" },
        totals.unknown,
        result.seconds
    );
    if !result.suite.is_empty() {
        text += &format!("counterexamples are in {}\n", result.suite);
    }
    text
}

/// With which values of what is undefined a counterexample breaks a property.
fn undefined_values(verdict: &VerdictResult) -> String {
    let test = verdict.test.as_deref().unwrap_or_default();
    let mut text = format!("{} is violated by {test} if in the first step\n", verdict.id);
    for UndefinedResult { expression, variable, line, column, value } in &verdict.undefined {
        let place = format!("line {line}, column {column}, in {variable}");
        text += &format!("  {expression} is {value} ({place})\n");
    }
    text
}
