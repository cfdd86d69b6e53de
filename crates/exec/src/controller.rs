//! The software of a simulated platform: something that is reset and stepped.

use std::sync::Arc;

use provoke_model::{System, Value};
use provoke_sim::{Dense, SimProgram};

use crate::observation::TargetError;

/// Software that does one step at a time.
pub trait Controller {
    /// Goes to the initial state.
    fn reset(&mut self);

    /// Does a step: one value for each input in, one for each output out.
    fn step(&mut self, inputs: &[Value]) -> Result<Vec<Value>, TargetError>;
}

/// A model as software.
pub struct ModelController {
    dense: Dense,
    outputs: Vec<provoke_model::VarId>,
}

impl ModelController {
    /// The model in its initial state.
    pub fn new(system: &System) -> ModelController {
        ModelController {
            dense: Dense::of(Arc::new(SimProgram::new(system))),
            outputs: system.outputs.clone(),
        }
    }
}

impl Controller for ModelController {
    fn reset(&mut self) {
        self.dense.reset();
    }

    fn step(&mut self, inputs: &[Value]) -> Result<Vec<Value>, TargetError> {
        self.dense.step(inputs).map_err(|error| {
            TargetError::new(
                format!("the simulated software stops: {error}"),
                "change the test's inputs",
            )
        })?;
        Ok(self.outputs.iter().map(|var| self.dense.var(*var).to_value()).collect())
    }
}
