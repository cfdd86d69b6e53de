//! What became of properties.

use provoke_base::table::aligned;
use provoke_results::{Prove, UndefinedResult, VerdictResult};

use super::generate::property_row;

/// Each property, and how one knows.
pub fn prove(result: &Prove) -> String {
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
