//! When what is sent.
//!
//! Time 0 is the first step of the software; step k reads its inputs at k·step. An event that is to
//! be read in step k should arrive in the middle of the time since step k-1, at k·step - step/2
//! (seed 003, "Scheduling M-events": the events of one interaction per step, pipelined).

use provoke_model::Value;

use crate::board::{Board, Wire};
use crate::copies;
use crate::script::Script;

/// How events are scheduled and outputs are judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Without regard to delays.
    Direct,
    /// Each event early by its mean delay, each output attributed by its mean delay.
    Scheduled,
    /// With the distributions of the delays: copies, runs until a verdict is certain.
    Adaptive,
}

provoke_base::words!(Mode {
    Direct = "direct",
    Scheduled = "scheduled",
    Adaptive = "adaptive",
});

/// One event to be sent.
#[derive(Clone, PartialEq, Debug)]
pub struct SendEvent {
    /// When.
    pub at_ms: f64,
    /// The place of the monitored signal.
    pub signal: usize,
    /// Its value.
    pub value: Value,
    /// The step that is to read it, counted from 0.
    pub step: usize,
}

/// The events of a test, in the order of time.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct EventPlan {
    /// The events.
    pub sends: Vec<SendEvent>,
    /// How long before its first step the software is told to go to its initial state.
    pub lead_ms: f64,
    /// How many steps are done.
    pub steps: usize,
    /// How long after the last step something may still come.
    pub tail_ms: f64,
    /// Whether the target sends every output at its first step, so that silence means it hangs.
    pub speaks_first: bool,
}

/// Events that are due within this time are sent together (seed 003).
const TOGETHER_MS: f64 = 10.0;

/// Time for the target to answer before the first event.
const MARGIN_MS: f64 = 50.0;

impl EventPlan {
    /// The plan for a script in a mode. `registers` holds what the monitored signals are now,
    /// unknown if nobody knows.
    pub fn new(mode: Mode, script: &Script, board: &Board, registers: &[Value]) -> EventPlan {
        let mut sends = match mode {
            Mode::Direct => inputs(script, board, registers, |_| 0.0),
            Mode::Scheduled => inputs(script, board, registers, |wire| wire.delay.mean_ms()),
            Mode::Adaptive => copies::changes(script, board, registers),
        };
        sends.sort_by(|a, b| a.at_ms.total_cmp(&b.at_ms).then(a.signal.cmp(&b.signal)));
        if mode == Mode::Scheduled {
            together(&mut sends);
        }
        let first = sends.first().map_or(0.0, |send| send.at_ms);
        let late = |wire: &Wire| wire.delay.mean_ms() + 4.5 * wire.delay.sd_ms();
        let latest = board.controlled.iter().map(late).fold(0.0, f64::max);
        EventPlan {
            sends,
            lead_ms: (-first).max(0.0) + MARGIN_MS,
            steps: script.steps(),
            tail_ms: latest + board.step_ms,
            speaks_first: !board.controlled.is_empty(),
        }
    }
}

/// The inputs of every step, or those that change, each ahead of its time by what `early` says.
fn inputs(
    script: &Script,
    board: &Board,
    registers: &[Value],
    early: impl Fn(&Wire) -> f64,
) -> Vec<SendEvent> {
    let mut last = registers.to_vec();
    let mut sends = Vec::new();
    for (step, values) in script.wanted.iter().enumerate() {
        let arrival = (step as f64 - 0.5) * board.step_ms;
        for (signal, value) in values.iter().enumerate().filter(|(_, value)| value.is_known()) {
            if !board.resend && last[signal] == *value {
                continue;
            }
            last[signal].clone_from(value);
            let at_ms = arrival - early(&board.monitored[signal]);
            sends.push(SendEvent { at_ms, signal, value: value.clone(), step });
        }
    }
    sends
}

fn together(sends: &mut [SendEvent]) {
    let mut due = f64::NEG_INFINITY;
    for send in sends {
        if send.at_ms > due + TOGETHER_MS {
            due = send.at_ms;
        }
        send.at_ms = due;
    }
}
