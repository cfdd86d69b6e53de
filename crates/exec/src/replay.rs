//! What the model does with what the target says it read.

use provoke_model::{System, Value};
use provoke_sim::Simulator;

use crate::board::Board;
use crate::observation::Observation;
use crate::platform::zero;
use crate::script::Script;

/// The script of what really happened: what was read, and what the model answers to that. `None` if a
/// report is missing, or the model has no answer.
pub(crate) fn replay(board: &Board, system: &System, seen: &Observation) -> Option<Script> {
    let mut simulator = Simulator::new(system);
    let mut registers: Vec<Value> = board.monitored.iter().map(|wire| zero(wire.ty)).collect();
    let mut inputs = vec![Value::Unknown; system.inputs.len()];
    let mut script = Script {
        name: String::new(),
        wanted: Vec::new(),
        expected: Vec::new(),
        interactions: seen.steps.len(),
    };
    for (step, report) in seen.steps.iter().enumerate() {
        if report.step != step {
            return None;
        }
        for (signal, value) in &report.read {
            registers[*signal].clone_from(value);
        }
        board.inputs_of(&registers, &mut inputs);
        simulator.step(&inputs).ok()?;
        let outputs: Vec<Value> =
            system.outputs.iter().map(|var| simulator.values()[*var].clone()).collect();
        script.expected.push(board.controlled_values(&outputs, step + 1).ok()?);
        script.wanted.push(registers.clone());
    }
    Some(script)
}
