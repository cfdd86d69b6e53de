//! Traces for people: variables in rows, steps in columns.

use provoke_model::{Step, Suite, TestCase, Value};

use provoke_base::table::aligned;

/// As wide as most terminals, and pages, are.
const WIDTH: usize = 100;

/// A test with its inputs and outputs over time.
pub fn table_of(suite: &Suite, test: &TestCase) -> String {
    let mut text = String::new();
    let mut first = 0;
    while first < test.steps.len() {
        let block = &test.steps[first..first + steps_that_fit(suite, &test.steps[first..])];
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

/// How many steps fit side by side, at least one.
fn steps_that_fit(suite: &Suite, steps: &[Step]) -> usize {
    let names = suite.inputs.iter().chain(&suite.outputs).map(|signal| signal.name.chars().count());
    let mut used = names.max().unwrap_or(0).max("step".len()) + "out    ".len();
    let mut fit = 0;
    for step in steps {
        let inputs = suite.inputs.iter().zip(&step.inputs);
        let outputs = suite.outputs.iter().zip(&step.outputs);
        let cells = inputs.chain(outputs).map(|(signal, value)| cell(suite, value, signal.ty));
        used += cells.map(|cell| cell.chars().count()).max().unwrap_or(0).max(2) + 2;
        if used > WIDTH {
            break;
        }
        fit += 1;
    }
    fit.max(1)
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
