//! What the model does with what the target says it read.

use provoke_model::{System, Value};
use provoke_sim::Simulator;

use crate::board::Board;
use crate::consistency::allowed_ms;
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

/// The same observation in the time of a target whose steps are exactly where they should be: each
/// event keeps its distance from the last step that was reported before it. Clocks that run
/// differently then do not matter. Nor does a line that stands still for a moment, where outputs take less
/// than a step: what came before the report of the next step was said in time.
pub(crate) fn straighten(seen: &Observation, board: &Board) -> Observation {
    let step_ms = board.step_ms;
    let mut straight = seen.clone();
    for event in &mut straight.received {
        let before = seen.steps.partition_point(|report| report.at_ms <= event.at_ms);
        let step = before.saturating_sub(1);
        if let Some(report) = seen.steps.get(step) {
            let wire = &board.controlled[event.signal];
            // Sums are rounded.
            let latest_ms = wire.delay.mean_ms() + allowed_ms(wire, step_ms) - 1e-6;
            let since_ms = event.at_ms - report.at_ms;
            let since_ms = if latest_ms < step_ms { since_ms.min(latest_ms) } else { since_ms };
            event.at_ms = step as f64 * step_ms + since_ms;
        }
    }
    straight
}
