//! What is worth doing to a network: its events, and waits that its clocks care about.

use std::collections::BTreeSet;

use provoke_uppaal::Network;
use provoke_uppaal::machine::NetworkMachine;
use provoke_uppaal::network::{ClockBound, ClockComparison, Condition, Edge, Process};

use crate::tester::interface::{Interface, What};

/// The time in which a process moves of its own accord: from the guard of an edge and the invariant
/// of the location it leaves.
#[derive(Clone, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub struct TimeRange {
    /// The process.
    pub process: usize,
    /// The edge.
    pub edge: usize,
    /// The clock.
    pub clock: u32,
    /// The first moment.
    pub low: i64,
    /// The last moment.
    pub high: i64,
}

impl TimeRange {
    /// How long it is.
    pub fn width(&self) -> i64 {
        self.high - self.low
    }
}

/// All clock bounds that hold together, with the values of the initial state.
pub(crate) fn bounds<'c>(condition: &'c Condition, found: &mut Vec<&'c ClockBound>) {
    match condition {
        Condition::Clock(bound) => found.push(bound),
        Condition::And(parts) => parts.iter().for_each(|part| bounds(part, found)),
        _ => {}
    }
}

/// A bound of a single clock: which one, and lower or upper ends.
pub(crate) fn ends(
    machine: &mut NetworkMachine<'_>,
    bound: &ClockBound,
) -> Option<(u32, Option<i64>, Option<i64>)> {
    let (clock, limit) = match (&bound.left, &bound.right) {
        (Some(clock), None) => (clock, machine.value(&bound.bound).ok()?),
        // `-x <= -5` is `x >= 5`.
        (None, Some(clock)) => (clock, -machine.value(&bound.bound).ok()?),
        _ => return None,
    };
    let clock = machine.clock(clock).ok()?;
    Some(match seen_from_clock(bound) {
        ClockComparison::Ge | ClockComparison::Gt => (clock, Some(limit), None),
        ClockComparison::Le | ClockComparison::Lt => (clock, None, Some(limit)),
        ClockComparison::Eq | ClockComparison::Ne => (clock, Some(limit), Some(limit)),
    })
}

/// How a bound compares the clock, which may stand on its right side.
pub(crate) fn seen_from_clock(bound: &ClockBound) -> ClockComparison {
    if bound.left.is_some() { bound.comparison } else { turned(bound.comparison) }
}

/// The comparison with its sides exchanged.
pub(crate) fn turned(comparison: ClockComparison) -> ClockComparison {
    match comparison {
        ClockComparison::Lt => ClockComparison::Gt,
        ClockComparison::Le => ClockComparison::Ge,
        ClockComparison::Ge => ClockComparison::Le,
        ClockComparison::Gt => ClockComparison::Lt,
        other => other,
    }
}

/// The time ranges of a process.
pub fn ranges(network: &Network, process: usize) -> Vec<TimeRange> {
    let mut machine = NetworkMachine::new(network);
    let of: &Process = &network.processes[process];
    let mut found = Vec::new();
    for (index, edge) in of.edges.iter().enumerate() {
        if edge.answers() {
            continue;
        }
        let (mut upper, mut lower) = (Vec::new(), Vec::new());
        bounds(&of.locations[edge.source].invariant, &mut upper);
        bounds(&edge.guard, &mut lower);
        for high in &upper {
            let Some((clock, _, Some(high))) = ends(&mut machine, high) else { continue };
            let lows = lower.iter().filter_map(|low| ends(&mut machine, low));
            let low = lows.filter(|(c, ..)| *c == clock).filter_map(|(_, low, _)| low).max();
            let low = low.unwrap_or(0);
            if low <= high {
                found.push(TimeRange { process, edge: index, clock, low, high });
            }
        }
    }
    found
}

/// Waits up to the constants that clocks are compared with, the longest first, at most so many.
pub(crate) fn waits(network: &Network, processes: &BTreeSet<usize>, most: usize) -> Vec<i64> {
    let mut machine = NetworkMachine::new(network);
    let mut found = BTreeSet::new();
    for &process in processes {
        let process = &network.processes[process];
        let invariants = process.locations.iter().map(|location| &location.invariant);
        let guards = process.edges.iter().map(|edge| &edge.guard);
        let mut all = Vec::new();
        invariants.chain(guards).for_each(|condition| bounds(condition, &mut all));
        for bound in all {
            if let Some((_, low, high)) = ends(&mut machine, bound) {
                found.extend(low.into_iter().chain(high).filter(|time| *time > 0));
            }
        }
    }
    found.into_iter().rev().take(most).collect()
}

/// Everything worth doing: waits, the longest first, then events by name.
pub(crate) fn alphabet(
    interface: &Interface<'_>,
    processes: &BTreeSet<usize>,
    reaches: impl Fn(u32) -> bool,
) -> Vec<What> {
    // Behind a wait of a whole period, a network that moves by itself is where it was.
    let most_waits = if own_period(interface.network, processes).is_some() { 1 } else { 6 };
    let waits = waits(interface.network, processes, most_waits).into_iter().map(What::Wait);
    let events = interface.inputs.values().copied().filter(|channel| reaches(*channel));
    waits.chain(events.map(What::Send)).collect()
}

/// The longest time that a process stays where it begins, or comes to by itself.
pub(crate) fn own_period(network: &Network, processes: &BTreeSet<usize>) -> Option<i64> {
    let moves = |process: &&usize| {
        let of = &network.processes[**process];
        let leaves = of.leaving[of.initial].iter().map(|edge| &of.edges[*edge]);
        leaves.into_iter().any(Edge::leads)
    };
    let movers: BTreeSet<usize> = processes.iter().filter(moves).copied().collect();
    waits(network, &movers, 1).first().copied()
}
