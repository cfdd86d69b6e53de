//! Brute force: the region graph of a small network, from the reference semantics alone.

use std::collections::BTreeMap;

use provoke_uppaal::Network;
use provoke_uppaal::network::Condition;
use provoke_uppaal::reference::{NetworkState, Reference};

pub(crate) struct Regions {
    pub(crate) states: Vec<NetworkState>,
    /// Where actions lead.
    actions: Vec<Vec<usize>>,
    /// Where time leads, if it may pass; to the region itself if it lasts for ever.
    time: Vec<Option<usize>>,
    pub(crate) scale: i64,
}

/// Every region that can be reached, if there are not too many.
pub(crate) fn regions(network: &Network, largest: i64, limit: usize) -> Option<Regions> {
    let scale = 2 * (network.clocks.len() as i64 + 1);
    let mut reference = Reference::new(network, scale);
    let mut graph = Regions { states: Vec::new(), actions: Vec::new(), time: Vec::new(), scale };
    let mut known: BTreeMap<NetworkState, usize> = BTreeMap::new();
    let initial = reference.initial().unwrap()?;
    known.insert(initial.clone(), 0);
    graph.states.push(initial);
    let mut at = 0;
    while at < graph.states.len() {
        let state = graph.states[at].clone();
        let mut number = |state: NetworkState, states: &mut Vec<NetworkState>| {
            let next = states.len();
            *known.entry(state.clone()).or_insert_with(|| {
                states.push(state);
                next
            })
        };
        let mut targets = Vec::new();
        for (_, target) in reference.actions(&state).unwrap() {
            targets.push(number(canonical(target, largest, scale), &mut graph.states));
        }
        graph.actions.push(targets);
        let later = reference.delayed(&state, next_delay(&state, largest, scale)).unwrap();
        let later = later.map(|later| canonical(later, largest, scale));
        graph.time.push(later.map(|later| number(later, &mut graph.states)));
        at += 1;
        if graph.states.len() > limit {
            return None;
        }
    }
    Some(graph)
}

/// The time until the region changes; any time if it never does.
fn next_delay(state: &NetworkState, largest: i64, scale: i64) -> i64 {
    let live: Vec<i64> =
        state.clocks.iter().filter(|c| **c <= largest * scale).map(|c| c % scale).collect();
    match live.iter().max() {
        None => scale,
        Some(_) if live.contains(&0) => 1,
        Some(most) => scale - most,
    }
}

/// One state for each region: fractions keep their order only, and clocks beyond the largest
/// constant are all the same.
fn canonical(mut state: NetworkState, largest: i64, scale: i64) -> NetworkState {
    let is_live = |clock: &i64| *clock <= largest * scale;
    let mut fractions: Vec<i64> =
        state.clocks.iter().filter(|c| is_live(c)).map(|c| c % scale).filter(|f| *f > 0).collect();
    fractions.sort_unstable();
    fractions.dedup();
    for clock in &mut state.clocks {
        if !is_live(clock) {
            *clock = (largest + 1) * scale;
        } else if *clock % scale > 0 {
            let rank = fractions.binary_search(&(*clock % scale)).unwrap() as i64;
            *clock = *clock / scale * scale + 2 * (rank + 1);
        }
    }
    state
}

impl Regions {
    /// The regions in which a condition holds.
    pub(crate) fn satisfying(&self, network: &Network, condition: &Condition) -> Vec<bool> {
        let mut reference = Reference::new(network, self.scale);
        (0..self.states.len()).map(|at| self.holds(&mut reference, at, condition)).collect()
    }

    fn holds(&self, reference: &mut Reference<'_>, at: usize, condition: &Condition) -> bool {
        match condition {
            Condition::And(parts) => parts.iter().all(|part| self.holds(reference, at, part)),
            Condition::Or(parts) => parts.iter().any(|part| self.holds(reference, at, part)),
            Condition::Deadlock(is) => self.is_deadlocked(at) == *is,
            other => reference.holds(&self.states[at], other).unwrap(),
        }
    }

    fn is_deadlocked(&self, mut at: usize) -> bool {
        loop {
            if !self.actions[at].is_empty() {
                return false;
            }
            match self.time[at] {
                Some(next) if next != at => at = next,
                _ => return true,
            }
        }
    }

    fn next(&self, at: usize) -> impl Iterator<Item = usize> {
        self.actions[at].iter().copied().chain(self.time[at])
    }

    /// Whether a run from a region stays within `keep` for ever or until nothing goes on.
    pub(crate) fn can_stay(&self, from: usize, keep: &[bool]) -> bool {
        // Colours: not seen, on the way, looked at to the end.
        let mut colour = vec![0_u8; self.states.len()];
        let mut stack = vec![(from, false)];
        if !keep[from] {
            return false;
        }
        while let Some((at, leave)) = stack.pop() {
            if leave {
                colour[at] = 2;
                continue;
            }
            if colour[at] != 0 {
                continue;
            }
            colour[at] = 1;
            stack.push((at, true));
            if self.next(at).next().is_none() {
                return true;
            }
            for next in self.next(at).filter(|next| keep[*next]) {
                match colour[next] {
                    0 => stack.push((next, false)),
                    1 => return true,
                    _ => {}
                }
            }
        }
        false
    }
}
