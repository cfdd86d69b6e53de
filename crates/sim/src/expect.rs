//! Expected outputs: what the model itself says about a suite's inputs.

use std::sync::Arc;

use provoke_model::{Signal, Suite, System, TestCase, VarId};

use crate::batch::{Batch, RunSet};
use crate::interpreter::{RuntimeError, run};
use crate::lanes::LANES;
use crate::program::{NodeId, SimProgram};

/// Replaces the suite's outputs by the values that the observed variables have. The suite's
/// inputs must be those of the system, in its order. A test that runs into a fault is named in
/// the error, with the fault.
///
/// Wide models need many tests, so 64 of them run side by side.
pub fn expect(
    suite: &mut Suite,
    system: &System,
    observed: &[VarId],
) -> Result<(), (String, RuntimeError)> {
    let signal =
        |var: &VarId| Signal { name: system.vars[*var].name.clone(), ty: system.vars[*var].ty };
    suite.enums.clone_from(&system.enums);
    suite.outputs = observed.iter().map(signal).collect();
    let program = Arc::new(SimProgram::new(system));
    let nodes: Vec<NodeId> = observed.iter().map(|var| program.definition(*var)).collect();
    let mut batch = Batch::with_open_inputs(system, &program);
    for group in suite.tests.chunks_mut(LANES) {
        let faulty = run_group(&mut batch, &nodes, group);
        if faulty != 0 {
            let test = &group[faulty.trailing_zeros() as usize];
            return Err((test.name.clone(), fault(system, test)));
        }
    }
    Ok(())
}

/// Runs up to 64 tests side by side; says which of them ran into a fault.
fn run_group(batch: &mut Batch, nodes: &[NodeId], group: &mut [TestCase]) -> RunSet {
    (0..LANES).for_each(|lane| batch.reset(lane));
    let longest = group.iter().map(|test| test.steps.len()).max().unwrap_or(0);
    let mut faulty: RunSet = 0;
    for step in 0..longest {
        for (lane, test) in group.iter().enumerate() {
            match test.steps.get(step) {
                Some(step) => {
                    let inputs = step.inputs.iter().enumerate();
                    inputs.for_each(|(at, value)| batch.set(at, lane, value));
                }
                None => batch.abandon(lane),
            }
        }
        batch.evaluate();
        for (lane, test) in group.iter_mut().enumerate() {
            if let Some(step) = test.steps.get_mut(step) {
                faulty |= batch.faulty() & 1 << lane;
                step.outputs =
                    nodes.iter().map(|node| batch.cell(*node, lane).to_value()).collect();
            }
        }
        batch.take();
    }
    faulty
}

/// Why a test has no outputs, in the words of the reference.
fn fault(system: &System, test: &TestCase) -> RuntimeError {
    let inputs = test.steps.iter().map(|step| step.inputs.as_slice());
    run(system, inputs).error.expect("a run that has no result side by side has none alone")
}
