//! A test in the terms of a target: what its signals have to be, step by step.

use provoke_model::{TestCase, Value};

use crate::board::{Board, BoardConflict};

/// What is wanted and expected at each step.
#[derive(Clone, PartialEq, Debug)]
pub struct Script {
    /// The test's name.
    pub name: String,
    /// The values of the monitored signals; unknown ones stay as they are.
    pub wanted: Vec<Vec<Value>>,
    /// The values of the controlled signals; unknown ones do not matter.
    pub expected: Vec<Vec<Value>>,
    /// How many steps are the test's own; those after them let its last effects be seen.
    pub interactions: usize,
}

impl Script {
    /// The script of a test whose first `interactions` steps are its own.
    pub fn new(
        board: &Board,
        test: &TestCase,
        interactions: usize,
    ) -> Result<Script, BoardConflict> {
        let mut script = Script {
            name: test.name.clone(),
            wanted: Vec::with_capacity(test.steps.len()),
            expected: Vec::with_capacity(test.steps.len()),
            interactions,
        };
        for (index, step) in test.steps.iter().enumerate() {
            let mut wanted = board.monitored_values(&step.inputs, index + 1)?;
            if let Some(last) = script.wanted.last() {
                for (value, last) in wanted.iter_mut().zip(last) {
                    if !value.is_known() {
                        value.clone_from(last);
                    }
                }
            }
            script.wanted.push(wanted);
            script.expected.push(board.controlled_values(&step.outputs, index + 1)?);
        }
        Ok(script)
    }

    /// How many steps there are in all.
    pub fn steps(&self) -> usize {
        self.wanted.len()
    }
}
