//! Who can move together: the discrete part of a step, shared by zones and simulation.
//!
//! A guard may speak of clocks. Here it counts as possible unless the variables rule it out;
//! what the clocks say is left to the caller.

use crate::machine::{Computed, Machine};
use crate::network::{Condition, Expr, Network, Urgency};

/// An edge of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Part {
    /// The process.
    pub process: u32,
    /// Its edge.
    pub edge: u32,
}

/// Edges that are taken together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The sender, or the only one, and the receivers in the order of the system line.
    pub parts: Vec<Part>,
    /// Receivers of a broadcast that stay out, which they do only while their clocks keep them
    /// from taking part.
    pub left_out: Vec<Part>,
    /// The channel, if there is one.
    pub channel: Option<u32>,
}

/// More ways to answer one broadcast are refused.
const MAX_ANSWERS: usize = 10_000;

/// What a guard comes to when only variables are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    No,
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
        machine: &mut Machine<'_>,
        found: &mut Vec<Move>,
    ) -> Computed<()> {
        found.clear();
        self.senders.clear();
        self.receivers.clear();
        let committed = any_committed(network, &machine.locations);
        let mut alone = 0;
        for (index, process) in network.processes.iter().enumerate() {
            let location = machine.locations[index] as usize;
            let may_lead = !committed || is_committed(network, index, location);
            for &edge in &process.leaving[location] {
                let part = Part { process: index as u32, edge: edge as u32 };
                let edge = &process.edges[edge];
                let known = known(machine, &edge.guard)?;
                if known == Known::No {
                    continue;
                }
                let Some(sync) = &edge.sync else {
                    if may_lead {
                        found.push(Move { parts: vec![part], left_out: Vec::new(), channel: None });
                        alone += 1;
                    }
                    continue;
                };
                let channel = (sync.first + machine.position(&sync.index)?) as u32;
                if sync.sends {
                    self.senders.push((channel, part));
                } else {
                    self.receivers.push((channel, part, known == Known::Yes));
                }
            }
        }
        debug_assert_eq!(alone, found.len());
        self.joined(network, machine, committed, found)
    }

    fn joined(
        &self,
        network: &Network,
        machine: &Machine<'_>,
        committed: bool,
        found: &mut Vec<Move>,
    ) -> Computed<()> {
        let is = |part: Part| {
            let process = part.process as usize;
            is_committed(network, process, machine.locations[process] as usize)
        };
        for &(channel, sender) in &self.senders {
            if network.channels[channel as usize].broadcast {
                let first = found.len();
                self.broadcast(channel, sender, found)?;
                if committed {
                    let mut at = first;
                    while at < found.len() {
                        if found[at].parts.iter().any(|part| is(*part)) {
                            at += 1;
                        } else {
                            found.remove(at);
                        }
                    }
                }
                continue;
            }
            for &(other, receiver, _) in &self.receivers {
                let fits = other == channel && receiver.process != sender.process;
                if fits && (!committed || is(sender) || is(receiver)) {
                    let (parts, left_out) = (vec![sender, receiver], Vec::new());
                    found.push(Move { parts, left_out, channel: Some(channel) });
                }
            }
        }
        Ok(())
    }

    /// Each process that can answer does, with one of its edges. Where only clocks decide, it may
    /// also stay out.
    fn broadcast(&self, channel: u32, sender: Part, found: &mut Vec<Move>) -> Computed<()> {
        let parts = vec![sender];
        let mut answers = vec![Move { parts, left_out: Vec::new(), channel: Some(channel) }];
        let all: Vec<&(u32, Part, bool)> = self
            .receivers
            .iter()
            .filter(|(other, part, _)| *other == channel && part.process != sender.process)
            .collect();
        for group in all.chunk_by(|a, b| a.1.process == b.1.process) {
            let sure = group.iter().any(|(_, _, sure)| *sure);
            if answers.len() * (group.len() + 1) > MAX_ANSWERS {
                return Err(crate::machine::Fault {
                    message: format!("more than {MAX_ANSWERS} ways to answer one broadcast"),
                    span: provoke_base::Span::default(),
                });
            }
            let mut longer = Vec::new();
            for answer in &answers {
                for (_, part, _) in group {
                    let mut with = answer.clone();
                    with.parts.push(*part);
                    longer.push(with);
                }
                if !sure {
                    let mut without = answer.clone();
                    without.left_out.extend(group.iter().map(|(_, part, _)| *part));
                    longer.push(without);
                }
            }
            answers = longer;
        }
        found.append(&mut answers);
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

fn known(machine: &mut Machine<'_>, condition: &Condition) -> Computed<Known> {
    Ok(match condition {
        Condition::Int(Expr::Int(value)) if *value != 0 => Known::Yes,
        Condition::Int(expr) => match machine.value(expr)? {
            0 => Known::No,
            _ => Known::Yes,
        },
        Condition::Clock(_) | Condition::Number(..) | Condition::Deadlock(_) => Known::Open,
        Condition::And(parts) => {
            let mut all = Known::Yes;
            for part in parts {
                match known(machine, part)? {
                    Known::No => return Ok(Known::No),
                    Known::Open => all = Known::Open,
                    Known::Yes => {}
                }
            }
            all
        }
        Condition::Or(parts) => {
            let mut any = Known::No;
            for part in parts {
                match known(machine, part)? {
                    Known::Yes => return Ok(Known::Yes),
                    Known::Open => any = Known::Open,
                    Known::No => {}
                }
            }
            any
        }
    })
}
