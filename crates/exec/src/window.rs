//! The seed's verdict: each output in its time window (seed 003, "Adjusting C-events").

use provoke_model::Value;

use crate::board::{Board, same};
use crate::observation::Observation;
use crate::plan::Mode;
use crate::script::Script;

/// An output that was not as expected.
#[derive(Clone, PartialEq, Debug)]
pub struct OutputDifference {
    /// The place of the controlled signal.
    pub signal: usize,
    /// What was expected.
    pub expected: Value,
    /// What was there; unknown if nothing ever came.
    pub seen: Value,
}

/// The first difference of each interaction, if it has one.
///
/// The outputs of step k are due between k·step - step/2 and k·step + step/2, after each event was
/// put back by its mean delay (not so in the direct mode). The last value up to the end of the
/// window counts.
pub fn differences(
    mode: Mode,
    script: &Script,
    board: &Board,
    seen: &Observation,
) -> Vec<Option<OutputDifference>> {
    let mut found: Vec<Option<OutputDifference>> = vec![None; script.interactions];
    for (signal, wire) in board.controlled.iter().enumerate() {
        let delay = if mode == Mode::Direct { 0.0 } else { wire.delay.mean_ms() };
        let events = seen.received.iter().filter(|event| event.signal == signal);
        let mut events = events.peekable();
        let mut value = &Value::Unknown;
        for (step, found) in found.iter_mut().enumerate() {
            let end = (step as f64 + 0.5) * board.step_ms + delay;
            while let Some(event) = events.next_if(|event| event.at_ms < end) {
                value = &event.value;
            }
            let expected = &script.expected[step][signal];
            if expected.is_known() && !same(expected, value, &wire.tolerance) && found.is_none() {
                let (expected, seen) = (expected.clone(), value.clone());
                *found = Some(OutputDifference { signal, expected, seen });
            }
        }
    }
    found
}
