//! What a network does, with exact clock values: small, obvious and slow. Traces are replayed
//! here before they are believed, and zones are compared with it.
//!
//! Who takes part in an action is written here a second time, on purpose: a fault of
//! [`crate::moves`] or [`crate::partners`] must not hide in the semantics that they are compared
//! with.

use crate::machine::{Computed, NetworkMachine};
use crate::moves::Part;
use crate::network::{ClockComparison, Condition, Edge, Network, Urgency};

/// A state. Clocks are whole numbers of parts of a time unit.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NetworkState {
    /// Where each process is.
    pub locations: Vec<u32>,
    /// The variables.
    pub cells: Vec<i64>,
    /// The clocks.
    pub clocks: Vec<i64>,
}

/// An action: who takes part, with which branch; the sender first.
pub type Action = Vec<(Part, u32)>;

/// An edge whose guard holds, with its channel and whether it sends.
type Enabled = (Part, Option<(usize, bool)>);

/// The semantics with a time unit of so many parts.
pub struct Reference<'n> {
    network: &'n Network,
    machine: NetworkMachine<'n>,
    /// How many parts make a time unit.
    pub scale: i64,
}

impl<'n> Reference<'n> {
    /// The semantics of a network without constructs for simulation only.
    pub fn new(network: &'n Network, scale: i64) -> Reference<'n> {
        Reference { network, machine: NetworkMachine::new(network), scale }
    }

    /// The state in which everything begins; none if its own invariant forbids it.
    pub fn initial(&mut self) -> Computed<Option<NetworkState>> {
        let machine = NetworkMachine::new(self.network);
        let clocks = vec![0; self.network.clocks.len()];
        let state = NetworkState { locations: machine.locations, cells: machine.cells, clocks };
        Ok(self.invariant(&state)?.then_some(state))
    }

    fn enter(&mut self, state: &NetworkState) {
        self.machine.locations.clone_from(&state.locations);
        self.machine.cells.clone_from(&state.cells);
    }

    /// Whether a condition without deadlocks holds.
    pub fn holds(&mut self, state: &NetworkState, condition: &Condition) -> Computed<bool> {
        self.enter(state);
        self.holds_here(state, condition)
    }

    fn holds_here(&mut self, state: &NetworkState, condition: &Condition) -> Computed<bool> {
        Ok(match condition {
            Condition::Int(expr) => self.machine.value(expr)? != 0,
            Condition::And(parts) => {
                for part in parts {
                    if !self.holds_here(state, part)? {
                        return Ok(false);
                    }
                }
                true
            }
            Condition::Or(parts) => {
                for part in parts {
                    if self.holds_here(state, part)? {
                        return Ok(true);
                    }
                }
                false
            }
            Condition::Clock(bound) => {
                let mut difference = 0;
                if let Some(clock) = &bound.left {
                    difference += state.clocks[self.machine.clock(clock)? as usize];
                }
                if let Some(clock) = &bound.right {
                    difference -= state.clocks[self.machine.clock(clock)? as usize];
                }
                let limit = self.machine.value(&bound.bound)? * self.scale;
                match bound.comparison {
                    ClockComparison::Lt => difference < limit,
                    ClockComparison::Le => difference <= limit,
                    ClockComparison::Eq => difference == limit,
                    ClockComparison::Ne => difference != limit,
                    ClockComparison::Ge => difference >= limit,
                    ClockComparison::Gt => difference > limit,
                }
            }
            // Deadlocks are asked for by `is_deadlocked`; numbers are kept away.
            Condition::Deadlock(_) | Condition::Number(..) => false,
        })
    }

    /// Whether all invariants hold.
    pub fn invariant(&mut self, state: &NetworkState) -> Computed<bool> {
        self.enter(state);
        for (process, location) in self.network.processes.iter().zip(&state.locations) {
            let location = &process.locations[*location as usize];
            if !self.holds_here(state, &location.invariant)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether time may pass, as far as urgency decides.
    pub fn may_delay(&mut self, state: &NetworkState) -> Computed<bool> {
        let at = |(p, l): (&crate::network::Process, &u32)| p.locations[*l as usize].urgency;
        let mut urgencies = self.network.processes.iter().zip(&state.locations).map(at);
        if urgencies.any(|urgency| urgency != Urgency::Normal) {
            return Ok(false);
        }
        for action in self.synchronised(state)? {
            let sync = self.edge(action[0]).sync.clone();
            if let Some(sync) = sync {
                self.enter(state);
                let channel = sync.first + self.machine.position(&sync.index)?;
                if self.network.channels[channel].urgent {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// The state after some time; none if urgency or an invariant forbids it. Invariants are
    /// convex, so it suffices to look at the end.
    pub fn delayed(&mut self, state: &NetworkState, time: i64) -> Computed<Option<NetworkState>> {
        if time > 0 && !self.may_delay(state)? {
            return Ok(None);
        }
        let mut later = state.clone();
        later.clocks.iter_mut().for_each(|clock| *clock += time);
        Ok(self.invariant(&later)?.then_some(later))
    }

    /// All actions and where they lead.
    pub fn actions(&mut self, state: &NetworkState) -> Computed<Vec<(Action, NetworkState)>> {
        let mut found = Vec::new();
        for parts in self.synchronised(state)? {
            for action in self.with_branches(&parts) {
                if let Some(target) = self.acted(state, &action)? {
                    found.push((action, target));
                }
            }
        }
        self.keep_first(state, &mut found)?;
        Ok(found)
    }

    /// Drops the actions that others come before.
    fn keep_first(
        &mut self,
        state: &NetworkState,
        found: &mut Vec<(Action, NetworkState)>,
    ) -> Computed<()> {
        let Some(priorities) = &self.network.priorities else { return Ok(()) };
        self.enter(state);
        let mut ranks = Vec::new();
        for (action, _) in &*found {
            let channel = match &self.edge(action[0].0).sync {
                Some(sync) => Some(sync.first + self.machine.position(&sync.index)?),
                None => None,
            };
            ranks.push(priorities.rank(channel, action.iter().map(|(part, _)| part.process)));
        }
        let first = ranks.iter().max().copied();
        let mut ranks = ranks.into_iter();
        found.retain(|_| ranks.next() == first);
        Ok(())
    }

    /// Whether no action is possible at the moment.
    pub fn is_stuck(&mut self, state: &NetworkState) -> Computed<bool> {
        Ok(self.actions(state)?.is_empty())
    }

    fn edge(&self, part: Part) -> &'n Edge {
        &self.network.processes[part.process as usize].edges[part.edge as usize]
    }

    /// The edges whose guards hold, with their channels.
    fn enabled(&mut self, state: &NetworkState) -> Computed<Vec<Enabled>> {
        let mut found = Vec::new();
        for (index, process) in self.network.processes.iter().enumerate() {
            for (number, edge) in process.edges.iter().enumerate() {
                if edge.source != state.locations[index] as usize {
                    continue;
                }
                if !self.holds(state, &edge.guard)? {
                    continue;
                }
                let part = Part { process: index as u32, edge: number as u32 };
                let channel = match &edge.sync {
                    None => None,
                    Some(sync) => {
                        Some((sync.first + self.machine.position(&sync.index)?, sync.sends))
                    }
                };
                found.push((part, channel));
            }
        }
        Ok(found)
    }

    /// The edges that can be taken together.
    fn synchronised(&mut self, state: &NetworkState) -> Computed<Vec<Vec<Part>>> {
        let enabled = self.enabled(state)?;
        let mut found: Vec<Vec<Part>> = Vec::new();
        for (part, channel) in &enabled {
            match channel {
                None => found.push(vec![*part]),
                Some((_, false)) => {}
                Some((channel, true)) => {
                    let receives = |other: &&Enabled| {
                        other.1 == Some((*channel, false)) && other.0.process != part.process
                    };
                    let receivers: Vec<Part> =
                        enabled.iter().filter(receives).map(|other| other.0).collect();
                    if self.network.channels[*channel].broadcast {
                        found.extend(answers(*part, &receivers));
                    } else {
                        found.extend(receivers.into_iter().map(|other| vec![*part, other]));
                    }
                }
            }
        }
        let network = self.network;
        let urgency = |process: usize| {
            network.processes[process].locations[state.locations[process] as usize].urgency
        };
        let committed = |process: usize| urgency(process) == Urgency::Committed;
        if (0..network.processes.len()).any(committed) {
            found.retain(|parts| parts.iter().any(|part| committed(part.process as usize)));
        }
        Ok(found)
    }

    fn with_branches(&self, parts: &[Part]) -> Vec<Action> {
        let mut found: Vec<Action> = vec![Vec::new()];
        for part in parts {
            let count = self.edge(*part).branches.len() as u32;
            let longer = |action: &Action| {
                let action = action.clone();
                (0..count).map(move |branch| [action.clone(), vec![(*part, branch)]].concat())
            };
            found = found.iter().flat_map(longer).collect();
        }
        found
    }

    /// The state behind an action whose guards hold; none if an invariant forbids it.
    fn acted(&mut self, state: &NetworkState, action: &Action) -> Computed<Option<NetworkState>> {
        self.enter(state);
        self.machine.resets.clear();
        let mut target = state.clone();
        for (part, branch) in action {
            let branch = &self.edge(*part).branches[*branch as usize];
            self.machine.perform(&branch.update)?;
            target.locations[part.process as usize] = branch.target as u32;
        }
        target.cells.clone_from(&self.machine.cells);
        for (clock, value) in &self.machine.resets {
            target.clocks[*clock as usize] = *value as i64 * self.scale;
        }
        Ok(self.invariant(&target)?.then_some(target))
    }
}

/// Every process that can answer does, with one of its edges.
fn answers(sender: Part, receivers: &[Part]) -> Vec<Vec<Part>> {
    let mut found = vec![vec![sender]];
    for group in receivers.chunk_by(|a, b| a.process == b.process) {
        let longer = |parts: &Vec<Part>| {
            let parts = parts.clone();
            group.iter().map(move |part| [parts.clone(), vec![*part]].concat())
        };
        found = found.iter().flat_map(longer).collect();
    }
    found
}
