//! Who takes part in a move whose guards are decided: one process leads, others answer.
//!
//! What is sent on a broadcast channel is answered by every other process that can, each with one
//! edge; on a plain channel, by exactly one edge of another process. Which one is taken is up to
//! the caller: by chance in simulation, each with its probability where these are computed.
//! [`crate::moves`] finds the same moves where clocks may still decide a guard.

use crate::machine::{Computed, NetworkFault, NetworkMachine};
use crate::moves::Part;
use crate::network::{Condition, Edge, Network, Sync};

impl Network {
    /// The edge that a part of a move takes.
    pub fn edge(&self, part: Part) -> &Edge {
        &self.processes[part.process as usize].edges[part.edge as usize]
    }
}

impl Edge {
    /// Whether its process takes the edge of its own accord: it uses no channel, or it sends.
    pub fn leads(&self) -> bool {
        self.sync.as_ref().is_none_or(|sync| sync.sends)
    }

    /// Whether the edge is taken only when another process sends.
    pub fn answers(&self) -> bool {
        !self.leads()
    }
}

impl NetworkMachine<'_> {
    /// The channel of one side of a synchronisation, in the present state.
    pub fn channel(&mut self, sync: &Sync) -> Computed<usize> {
        Ok(sync.first + self.position(&sync.index)?)
    }
}

/// For each process and location, the edges that lead a move and those that answer one.
#[derive(Debug)]
pub struct Partners {
    leading: Vec<Vec<Vec<u32>>>,
    answering: Vec<Vec<Vec<u32>>>,
    /// The processes with an edge that answers.
    listeners: Vec<u32>,
}

impl Partners {
    /// The roles of a network's edges.
    pub fn new(network: &Network) -> Partners {
        let by_location = |has_role: fn(&Edge) -> bool| -> Vec<Vec<Vec<u32>>> {
            let of = |process: &crate::network::Process| {
                let chosen = |edge: &u32| has_role(&process.edges[*edge as usize]);
                let leaving = process.leaving.iter();
                leaving.map(|e| e.iter().map(|i| *i as u32).filter(chosen).collect()).collect()
            };
            network.processes.iter().map(of).collect()
        };
        let listens =
            |process: &u32| network.processes[*process as usize].edges.iter().any(Edge::answers);
        Partners {
            leading: by_location(Edge::leads),
            answering: by_location(Edge::answers),
            listeners: (0..network.processes.len() as u32).filter(listens).collect(),
        }
    }

    /// The edges that a process can take of its own accord from a location, if their guards hold.
    pub fn leading(&self, process: usize, location: u32) -> &[u32] {
        &self.leading[process][location as usize]
    }

    /// The processes that may answer what another sends, in the order of the system line.
    pub fn listeners(&self, sender: Option<u32>) -> impl Iterator<Item = u32> {
        self.listeners.iter().copied().filter(move |process| Some(*process) != sender)
    }

    /// Adds the edges of a process that answer on a channel in the machine's state, as far as
    /// their guards hold.
    pub fn add_answers<'n, E: From<Box<NetworkFault>>>(
        &self,
        network: &Network,
        machine: &mut NetworkMachine<'n>,
        (process, channel): (u32, usize),
        mut holds: impl FnMut(&mut NetworkMachine<'n>, &Condition) -> Result<bool, E>,
        found: &mut Vec<Part>,
    ) -> Result<(), E> {
        let location = machine.locations[process as usize];
        for &edge in &self.answering[process as usize][location as usize] {
            let answer = network.edge(Part { process, edge });
            let Some(sync) = &answer.sync else { continue };
            if machine.channel(sync)? == channel && holds(machine, &answer.guard)? {
                found.push(Part { process, edge });
            }
        }
        Ok(())
    }
}
