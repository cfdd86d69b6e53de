//! Who can move together: the discrete part of a step.
//!
//! A guard may speak of clocks. Here it counts as possible unless the variables rule it out;
//! what the clocks say is left to the caller. Where guards are decided, [`crate::partners`] says who
//! takes part.

use provoke_base::Span;

use crate::machine::{Computed, NetworkFault, NetworkMachine};
use crate::network::{Condition, Network, NetworkExpr, Urgency};

/// An edge of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Part {
    /// The process.
    pub process: u32,
    /// Its edge.
    pub edge: u32,
}

/// Edges that are taken together.
#[derive(Clone, Copy, Debug)]
struct Move {
    /// Where its edges begin, where those that are taken end, and those that are left out.
    first: usize,
    taken: usize,
    end: usize,
    /// The channel, if there is one.
    channel: Option<u32>,
}

/// All moves of a state, in memory that is used again and again.
#[derive(Debug, Default)]
pub struct Moves {
    list: Vec<Move>,
    parts: Vec<Part>,
}

impl Moves {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// The sender, or the only one, and the receivers in the order of the system line.
    pub fn parts(&self, at: usize) -> &[Part] {
        &self.parts[self.list[at].first..self.list[at].taken]
    }

    /// Receivers of a broadcast that stay out, which they do only while their clocks keep them
    /// from taking part.
    pub fn left_out(&self, at: usize) -> &[Part] {
        &self.parts[self.list[at].taken..self.list[at].end]
    }

    /// The channel, if there is one.
    pub fn channel(&self, at: usize) -> Option<u32> {
        self.list[at].channel
    }

    fn clear(&mut self) {
        self.list.clear();
        self.parts.clear();
    }

    /// Adds edges that the last move leaves out.
    fn leave_out(&mut self, parts: &[Part]) {
        self.parts.extend_from_slice(parts);
        if let Some(last) = self.list.last_mut() {
            last.end = self.parts.len();
        }
    }

    fn push(&mut self, parts: &[Part], channel: Option<u32>) {
        let first = self.parts.len();
        self.parts.extend_from_slice(parts);
        let end = self.parts.len();
        self.list.push(Move { first, taken: end, end, channel });
    }
}

/// More ways to answer one broadcast are refused.
const MAX_ANSWERS: usize = 10_000;

/// What a condition comes to when only locations and variables are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiscreteTruth {
    /// It does not hold, whatever the clocks are.
    No,
    /// It holds, whatever the clocks are.
    Yes,
    /// It depends on clocks.
    Open,
}

/// Finds moves; it is kept from state to state, since it owns memory.
#[derive(Default)]
pub struct Mover {
    senders: Vec<(u32, Part)>,
    receivers: Vec<(u32, Part, bool)>,
}

impl Mover {
    /// All moves of the machine's state that the variables allow, in a fixed order.
    pub fn moves(
        &mut self,
        network: &Network,
        machine: &mut NetworkMachine<'_>,
        found: &mut Moves,
    ) -> Computed<()> {
        found.clear();
        self.senders.clear();
        self.receivers.clear();
        let committed = any_committed(network, &machine.locations);
        for (index, process) in network.processes.iter().enumerate() {
            let location = machine.locations[index] as usize;
            let may_lead = !committed || is_committed(network, index, location);
            for &edge in &process.leaving[location] {
                let part = Part { process: index as u32, edge: edge as u32 };
                let edge = &process.edges[edge];
                let known = known(machine, &edge.guard)?;
                if known == DiscreteTruth::No {
                    continue;
                }
                let Some(sync) = &edge.sync else {
                    if may_lead {
                        found.push(&[part], None);
                    }
                    continue;
                };
                let channel = machine.channel(sync)? as u32;
                if sync.sends {
                    self.senders.push((channel, part));
                } else {
                    self.receivers.push((channel, part, known == DiscreteTruth::Yes));
                }
            }
        }
        self.joined(network, machine, committed, found)
    }

    fn joined(
        &self,
        network: &Network,
        machine: &NetworkMachine<'_>,
        committed: bool,
        found: &mut Moves,
    ) -> Computed<()> {
        let may = |part: Part| {
            let process = part.process as usize;
            !committed || is_committed(network, process, machine.locations[process] as usize)
        };
        for &(channel, sender) in &self.senders {
            if network.channels[channel as usize].broadcast {
                self.broadcast(channel, sender, may, found)?;
                continue;
            }
            for &(other, receiver, _) in &self.receivers {
                let fits = other == channel && receiver.process != sender.process;
                if fits && (may(sender) || may(receiver)) {
                    found.push(&[sender, receiver], Some(channel));
                }
            }
        }
        Ok(())
    }

    /// Each process that can answer does, with one of its edges. Where only clocks decide, it may
    /// also stay out. One of those that move must be allowed to lead.
    fn broadcast(
        &self,
        channel: u32,
        sender: Part,
        may_lead: impl Fn(Part) -> bool,
        found: &mut Moves,
    ) -> Computed<()> {
        let all: Vec<&(u32, Part, bool)> = self
            .receivers
            .iter()
            .filter(|(other, part, _)| *other == channel && part.process != sender.process)
            .collect();
        let groups = || all.chunk_by(|a, b| a.1.process == b.1.process);
        let ways = |group: &[&(u32, Part, bool)]| {
            let sure = group.iter().any(|(_, _, sure)| *sure);
            group.len() + usize::from(!sure)
        };
        let mut answers = 1_usize;
        for group in groups() {
            answers *= ways(group);
            if answers > MAX_ANSWERS {
                let message = format!("more than {MAX_ANSWERS} ways to answer one broadcast");
                return Err(NetworkFault::new(Span::default(), message));
            }
        }
        let (mut taken, mut left_out) = (Vec::new(), Vec::new());
        for answer in 0..answers {
            taken.clear();
            taken.push(sender);
            left_out.clear();
            let mut rest = answer;
            for group in groups() {
                match group.get(rest % ways(group)) {
                    Some((_, part, _)) => taken.push(*part),
                    None => left_out.extend(group.iter().map(|(_, part, _)| *part)),
                }
                rest /= ways(group);
            }
            if taken.iter().any(|part| may_lead(*part)) {
                found.push(&taken, Some(channel));
                found.leave_out(&left_out);
            }
        }
        Ok(())
    }
}

/// Whether time may pass, as far as locations decide.
pub fn locations_allow_delay(network: &Network, locations: &[u32]) -> bool {
    let normal = |(index, location): (usize, &u32)| {
        network.processes[index].locations[*location as usize].urgency == Urgency::Normal
    };
    locations.iter().enumerate().all(normal)
}

fn any_committed(network: &Network, locations: &[u32]) -> bool {
    let committed =
        |(index, location): (usize, &u32)| is_committed(network, index, *location as usize);
    locations.iter().enumerate().any(committed)
}

fn is_committed(network: &Network, process: usize, location: usize) -> bool {
    network.processes[process].locations[location].urgency == Urgency::Committed
}

/// What locations and variables say of a condition.
pub fn known(machine: &mut NetworkMachine<'_>, condition: &Condition) -> Computed<DiscreteTruth> {
    Ok(match condition {
        Condition::Int(NetworkExpr::Int(value)) if *value != 0 => DiscreteTruth::Yes,
        Condition::Int(expr) => match machine.value(expr)? {
            0 => DiscreteTruth::No,
            _ => DiscreteTruth::Yes,
        },
        Condition::Clock(_) | Condition::Number(..) | Condition::Deadlock(_) => DiscreteTruth::Open,
        Condition::And(parts) => {
            let mut all = DiscreteTruth::Yes;
            for part in parts {
                match known(machine, part)? {
                    DiscreteTruth::No => return Ok(DiscreteTruth::No),
                    DiscreteTruth::Open => all = DiscreteTruth::Open,
                    DiscreteTruth::Yes => {}
                }
            }
            all
        }
        Condition::Or(parts) => {
            let mut any = DiscreteTruth::No;
            for part in parts {
                match known(machine, part)? {
                    DiscreteTruth::Yes => return Ok(DiscreteTruth::Yes),
                    DiscreteTruth::Open => any = DiscreteTruth::Open,
                    DiscreteTruth::No => {}
                }
            }
            any
        }
    })
}
