//! What zones cannot follow, and what conditions speak of.

use provoke_base::Span;
use provoke_uppaal::network::{Condition, Network};

/// Why zones cannot say anything of a network.
pub fn obstacle(network: &Network) -> Option<(Span, String)> {
    if let Some(found) = network.not_followed.first().or(network.simulation_only.first()) {
        return Some(found.clone());
    }
    for process in &network.processes {
        for location in &process.locations {
            if let Some(span) = diagonal(&location.invariant) {
                return Some((span, "a comparison of two clocks".to_string()));
            }
        }
        for edge in &process.edges {
            if let Some(span) = diagonal(&edge.guard) {
                return Some((span, "a comparison of two clocks".to_string()));
            }
            let urgent = |sync: &provoke_uppaal::network::Sync| network.channels[sync.first].urgent;
            if edge.sync.as_ref().is_some_and(urgent) && speaks_of_clocks(&edge.guard) {
                return Some((edge.span, "a clock in the guard of an urgent channel".to_string()));
            }
        }
    }
    None
}

/// A bound on the difference of two clocks.
pub fn diagonal(condition: &Condition) -> Option<Span> {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => parts.iter().find_map(diagonal),
        Condition::Clock(bound) if bound.left.is_some() && bound.right.is_some() => {
            Some(bound.span)
        }
        _ => None,
    }
}

/// Whether a condition depends on clocks.
pub fn speaks_of_clocks(condition: &Condition) -> bool {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => parts.iter().any(speaks_of_clocks),
        Condition::Clock(_) | Condition::Number(..) => true,
        Condition::Int(_) | Condition::Deadlock(_) => false,
    }
}

/// Whether a condition asks for deadlocks.
pub fn asks_for_deadlock(condition: &Condition) -> bool {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => parts.iter().any(asks_for_deadlock),
        Condition::Deadlock(_) => true,
        _ => false,
    }
}
