//! Runs with exact times.

use crate::reference::{Action, NetworkState};

/// A run with exact times, in parts of a time unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedTrace {
    /// How many parts make a time unit.
    pub scale: i64,
    /// The initial state.
    pub initial: NetworkState,
    /// What happens.
    pub events: Vec<TraceEvent>,
    /// When the run is looked at last.
    pub end: i64,
    /// The state at that moment.
    pub last: NetworkState,
    /// The events from here on repeat for ever.
    pub repeats_from: Option<usize>,
}

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    /// When it happens.
    pub time: i64,
    /// Who takes part, with the branch taken; the sender first.
    pub action: Action,
    /// The channel, if there is one.
    pub channel: Option<u32>,
    /// The state behind it.
    pub state: NetworkState,
}
