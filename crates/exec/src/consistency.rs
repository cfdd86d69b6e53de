//! Whether what came can be what was expected, late.
//!
//! Each change that is expected of a signal must be met by an event of the same value, in order and
//! within what the delay allows. Up to where that holds, a run is consistent with the script.

use provoke_model::Value;

use crate::board::{Board, Wire, same};
use crate::observation::{Observation, ReceivedValue};
use crate::script::Script;

/// How far an event may be from its mean delay, in standard deviations.
const ALLOWED_SD: f64 = 4.5;

/// How far it may be in any case, as a part of the step: less than half a step is no other step, only a
/// machine that was busy for a moment.
const SLACK: f64 = 0.4;

/// How far an event of a signal may be from its mean delay.
pub(crate) fn allowed_ms(wire: &Wire, step_ms: f64) -> f64 {
    (ALLOWED_SD * wire.delay.sd_ms()).max(SLACK * step_ms)
}

/// How many steps after an interaction must be as expected for it to count: what it caused may
/// come late.
pub const AFTER: usize = 2;

/// A change that a signal should show.
#[derive(Clone, PartialEq, Debug)]
pub struct ExpectedChange {
    /// The step, counted from 0.
    pub step: usize,
    /// The place of the controlled signal.
    pub signal: usize,
    /// The value.
    pub value: Value,
}

/// The changes that a script expects, signal by signal.
#[derive(Clone, PartialEq, Debug)]
pub struct Expectation {
    /// The changes.
    pub changes: Vec<ExpectedChange>,
    /// For each signal, the first step of which nothing is known.
    known_until: Vec<usize>,
    steps: usize,
}

impl Expectation {
    /// What the script expects. Of a signal that does not matter at some step, nothing is expected
    /// from there on.
    pub fn new(script: &Script, board: &Board) -> Expectation {
        let mut changes = Vec::new();
        let mut known_until = Vec::new();
        for (signal, wire) in board.controlled.iter().enumerate() {
            let known =
                script.expected.iter().take_while(|values| values[signal].is_known()).count();
            known_until.push(known);
            let mut last = &Value::Unknown;
            for (step, values) in script.expected[..known].iter().enumerate() {
                let value = &values[signal];
                if !same(value, last, &wire.tolerance) {
                    changes.push(ExpectedChange { step, signal, value: value.clone() });
                    last = value;
                }
            }
        }
        Expectation { changes, known_until, steps: script.steps() }
    }

    /// How a run meets what is expected.
    pub fn meet(&self, board: &Board, seen: &Observation) -> ConsistencyResult {
        let mut met = ConsistencyResult {
            holds: self.steps,
            residuals_ms: vec![None; self.changes.len()],
            why: None,
        };
        let mut first = 0;
        for (signal, wire) in board.controlled.iter().enumerate() {
            let count = self.changes[first..].iter().take_while(|c| c.signal == signal).count();
            let events: Vec<&ReceivedValue> =
                seen.received.iter().filter(|event| event.signal == signal).collect();
            self.meet_signal(board.step_ms, wire, signal, first..first + count, &events, &mut met);
            first += count;
        }
        met
    }

    fn meet_signal(
        &self,
        step_ms: f64,
        wire: &Wire,
        signal: usize,
        changes: std::ops::Range<usize>,
        events: &[&ReceivedValue],
        met: &mut ConsistencyResult,
    ) {
        let allowed = allowed_ms(wire, step_ms);
        let mut used = vec![false; events.len()];
        for index in changes {
            let change = &self.changes[index];
            let due = change.step as f64 * step_ms + wire.delay.mean_ms();
            let fits = |place: &usize| {
                !used[*place]
                    && (events[*place].at_ms - due).abs() <= allowed
                    && same(&events[*place].value, &change.value, &wire.tolerance)
            };
            match (0..events.len()).find(fits) {
                Some(place) => {
                    used[place] = true;
                    met.residuals_ms[index] = Some(events[place].at_ms - due);
                }
                None => met.breaks(change.step, Inconsistency::Missing(index)),
            }
        }
        for (event, _) in events.iter().zip(&used).filter(|(_, used)| !**used) {
            // The first step whose successor cannot have caused the event.
            let since = (event.at_ms - wire.delay.mean_ms() + allowed) / step_ms;
            let step = since.floor().max(0.0) as usize;
            if step < self.known_until[signal] {
                let (at_ms, value) = (event.at_ms, event.value.clone());
                met.breaks(step, Inconsistency::Unexpected(ReceivedValue { at_ms, signal, value }));
            }
        }
    }
}

/// Why a run is not consistent any more.
#[derive(Clone, PartialEq, Debug)]
pub enum Inconsistency {
    /// A change, by its place, that nothing met.
    Missing(usize),
    /// An event that nothing explains.
    Unexpected(ReceivedValue),
}

/// How a run met what was expected.
#[derive(Clone, PartialEq, Debug)]
pub struct ConsistencyResult {
    /// The first step that was not as expected, or how many steps there are.
    pub holds: usize,
    /// How far each expected change was from its mean delay, if something met it.
    pub residuals_ms: Vec<Option<f64>>,
    /// Why it ends there.
    pub why: Option<Inconsistency>,
}

impl ConsistencyResult {
    fn breaks(&mut self, step: usize, why: Inconsistency) {
        if step < self.holds {
            self.holds = step;
            self.why = Some(why);
        }
    }

    /// Whether an interaction, and what it may have caused, was as expected.
    pub fn is_consistent(&self, interaction: usize) -> bool {
        interaction + AFTER < self.holds
    }
}
