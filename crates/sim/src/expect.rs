//! Expected outputs: what the model itself says about a suite's inputs.

use provoke_model::{Signal, Suite, System, Value, VarId};

use crate::interpreter::{RuntimeError, run};

/// Replaces the suite's outputs by the values that the observed variables have. The suite's
/// inputs must be those of the system, in its order. A test that runs into a fault is left
/// unchanged up to there and named in the error, with the fault.
pub fn expect(
    suite: &mut Suite,
    system: &System,
    observed: &[VarId],
) -> Result<(), (String, RuntimeError)> {
    let signal =
        |var: &VarId| Signal { name: system.vars[*var].name.clone(), ty: system.vars[*var].ty };
    suite.enums.clone_from(&system.enums);
    suite.outputs = observed.iter().map(signal).collect();
    for test in &mut suite.tests {
        let done = run(system, test.steps.iter().map(|step| step.inputs.as_slice()));
        if let Some(error) = done.error {
            return Err((test.name.clone(), error));
        }
        for (step, values) in test.steps.iter_mut().zip(&done.trace.steps) {
            step.outputs = observed.iter().map(|var| values[*var].clone()).collect::<Vec<Value>>();
        }
    }
    Ok(())
}
