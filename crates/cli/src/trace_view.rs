//! Traces for people: variables in rows, steps in columns.

use provoke_model::{Suite, TestCase, Value};

use crate::table::aligned;

/// As many steps as fit side by side on a terminal.
const STEPS_PER_BLOCK: usize = 16;

/// A test with its inputs and outputs over time.
pub(crate) fn show(suite: &Suite, test: &TestCase) -> String {
    let mut text = String::new();
    let mut first = 0;
    for block in test.steps.chunks(STEPS_PER_BLOCK) {
        let mut heading = vec![String::new(), "step".to_string()];
        heading.extend((1..=block.len()).map(|step| (first + step).to_string()));
        let mut rows = vec![heading];
        for (position, signal) in suite.inputs.iter().enumerate() {
            let mut row = vec!["in".to_string(), signal.name.clone()];
            row.extend(block.iter().map(|step| cell(suite, &step.inputs[position], signal.ty)));
            rows.push(row);
        }
        for (position, signal) in suite.outputs.iter().enumerate() {
            let mut row = vec!["out".to_string(), signal.name.clone()];
            row.extend(block.iter().map(|step| cell(suite, &step.outputs[position], signal.ty)));
            rows.push(row);
        }
        text += &aligned(&rows);
        text.push('\n');
        first += block.len();
    }
    text
}

/// Booleans as letters that are easy to scan, unknown values as a question mark.
fn cell(suite: &Suite, value: &Value, ty: provoke_model::Type) -> String {
    match value {
        Value::Unknown => "?".to_string(),
        Value::Bool(true) => "T".to_string(),
        Value::Bool(false) => ".".to_string(),
        _ => value.show(ty, &suite.enums),
    }
}
