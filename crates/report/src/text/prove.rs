//! What became of properties.

use provoke_results::{Prove, VerdictResult};

use super::design::design_errors;
use super::numbers::numbers;
use super::property;

/// Each property with its formula, place and verdict, and how those that are violated are.
pub fn prove(result: &Prove) -> String {
    let verdicts: Vec<&VerdictResult> = result.verdicts.iter().collect();
    let mut text = format!("{}\n", result.model);
    text += &property::listed(&result.model, &result.suite, &verdicts);
    text += &numbers(result.numbers.as_ref(), &result.verdicts);
    for assumption in &result.assumptions {
        text += &format!("assuming {assumption}\n");
    }
    text += &format!("{}, {} s\n", property::totals(&result.properties), result.seconds);
    if let Some(errors) = &result.errors {
        text += &design_errors(&result.model, errors);
    }
    if !result.suite.is_empty() && result.properties.violated > 0 {
        text += &format!("counterexamples are in {}\n", result.suite);
    }
    text
}
