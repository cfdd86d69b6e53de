//! Words and the values they stand for.

use provoke_model::{Signal, Step, Suite, TestCase, Value};

pub use provoke_exec::library::{to_value, to_word};

use crate::run::{ProgramRun, Vector};

/// A test of the common format: what goes in and what came out; a step that did not end expects
/// nothing.
pub fn test_case(suite: &Suite, name: String, test: &[Vector], run: &ProgramRun) -> TestCase {
    let values = |words: &[i64], signals: &[Signal]| {
        words.iter().zip(signals).map(|(word, signal)| to_value(*word, signal.ty)).collect()
    };
    let steps = test.iter().enumerate().map(|(index, inputs)| Step {
        inputs: values(inputs, &suite.inputs),
        outputs: match run.outputs.get(index) {
            Some(outputs) => values(outputs, &suite.outputs),
            None => vec![Value::Unknown; suite.outputs.len()],
        },
    });
    TestCase { name, steps: steps.collect(), ..TestCase::default() }
}

/// The tests of a suite as words of a target's inputs; `None` if it has other inputs or values.
/// What is left open is 0, and columns that are no inputs are not needed.
pub fn arranged(read: &Suite, known: &Suite) -> Option<Vec<Vec<Vector>>> {
    let place = |signal: &Signal| read.inputs.iter().position(|other| other.name == signal.name);
    let places: Vec<usize> = known.inputs.iter().map(place).collect::<Option<_>>()?;
    let word = |step: &Step, (signal, place): (&Signal, &usize)| {
        let text = step.inputs[*place].show(read.inputs[*place].ty, &read.enums);
        to_word(&Value::parse(&text, signal.ty, &known.enums)?)
    };
    let vector =
        |step: &Step| known.inputs.iter().zip(&places).map(|pair| word(step, pair)).collect();
    read.tests.iter().map(|test| test.steps.iter().map(vector).collect()).collect()
}
