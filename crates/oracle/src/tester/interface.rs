//! What a tester can do to a network and see of it.

use std::collections::{BTreeMap, BTreeSet};

use provoke_base::diagnostic::did_you_mean;
use provoke_uppaal::Network;
use provoke_uppaal::network::CellKind;

use crate::tester::uses::{Uses, positions};
use crate::timed_tests::timed_test::{Input, ObservedValue, TimedStep, TimedSuite, TimedTest};

/// The names of a network that tests use.
pub struct Interface<'n> {
    /// The network.
    pub network: &'n Network,
    /// The channels that processes receive from and none sends to, by name.
    pub inputs: BTreeMap<String, u32>,
    cells: BTreeMap<&'n str, usize>,
}

/// A step with places in place of names.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct Act {
    /// What is done.
    pub what: What,
    /// Cells and the values they must have.
    pub out: Vec<(usize, i64)>,
}

/// What is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum What {
    /// Something is sent on a channel.
    Send(u32),
    /// Time passes.
    Wait(i64),
    /// A random time passes.
    Phase(i64),
}

impl<'n> Interface<'n> {
    /// The interface of a network.
    pub fn new(network: &'n Network) -> Interface<'n> {
        let (mut sent, mut received) = (BTreeSet::new(), BTreeSet::new());
        for edge in network.processes.iter().flat_map(|process| &process.edges) {
            if let Some(sync) = &edge.sync {
                let into = if sync.sends { &mut sent } else { &mut received };
                into.extend(positions(&sync.index).iter().map(|at| (sync.first + at) as u32));
            }
        }
        let name = |channel: &u32| (network.channels[*channel as usize].name.clone(), *channel);
        let inputs = received.difference(&sent).map(name).collect();
        let cells = network.cells.iter().enumerate().map(|(i, c)| (c.name.as_str(), i)).collect();
        Interface { network, inputs, cells }
    }

    /// What can be seen if nobody says otherwise: variables of the whole system that processes
    /// write and no guard reads.
    pub fn usual_outputs(&self) -> Vec<String> {
        let network = self.network;
        let (mut written, mut read) = (BTreeSet::new(), BTreeSet::new());
        for process in &network.processes {
            written.extend(Uses::of_process(network, process).writes);
            read.extend(Uses::of_conditions(network, process).reads);
        }
        let is = |cell: &&usize| {
            let cell = &network.cells[**cell];
            cell.kind != CellKind::Double && !cell.name.contains('.')
        };
        written.difference(&read).filter(is).map(|cell| network.cells[*cell].name.clone()).collect()
    }

    /// The cell of a variable.
    pub fn cell(&self, name: &str) -> Result<usize, String> {
        self.cells.get(name).copied().ok_or_else(|| {
            let near = did_you_mean(name, self.cells.keys().copied());
            let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            format!("the model has no variable `{name}`{hint}")
        })
    }

    /// The channel of an event.
    pub fn channel(&self, name: &str) -> Result<u32, String> {
        self.inputs.get(name).copied().ok_or_else(|| {
            let near = did_you_mean(name, self.inputs.keys().map(String::as_str));
            let hint = match near {
                Some(near) => format!("; did you mean `{near}`?"),
                None if self.inputs.is_empty() => "; it takes none".to_string(),
                None => {
                    let names: Vec<&str> = self.inputs.keys().take(5).map(String::as_str).collect();
                    format!("; it takes {}", names.join(", "))
                }
            };
            format!("the model takes no event `{name}`{hint}")
        })
    }

    /// A location as process and location, from `process.location`.
    pub fn location(&self, name: &str) -> Result<(usize, usize), String> {
        let all = self.network.processes.iter().enumerate().flat_map(|(p, process)| {
            let named = move |(l, at): (usize, &'n provoke_uppaal::network::Location)| {
                (format!("{}.{}", process.name, at.name), (p, l))
            };
            process.locations.iter().enumerate().map(named)
        });
        let all: BTreeMap<String, (usize, usize)> = all.collect();
        all.get(name).copied().ok_or_else(|| {
            let near = did_you_mean(name, all.keys().map(String::as_str));
            let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            format!("the model has no location `{name}`; expected process.location{hint}")
        })
    }

    /// The name of a location.
    pub fn location_name(&self, process: usize, location: usize) -> String {
        let process = &self.network.processes[process];
        format!("{}.{}", process.name, process.locations[location].name)
    }

    /// Steps with places for names.
    pub fn acts(&self, steps: &[TimedStep]) -> Result<Vec<Act>, String> {
        steps.iter().map(|step| self.act(step)).collect()
    }

    fn act(&self, step: &TimedStep) -> Result<Act, String> {
        let what = match &step.input {
            Input::Event(name) => What::Send(self.channel(name)?),
            Input::Wait(time) => What::Wait(*time),
            Input::Phase(time) => What::Phase(*time),
        };
        let mut out = Vec::new();
        for (name, value) in &step.out {
            out.push((self.cell(name)?, value.number()));
        }
        Ok(Act { what, out })
    }

    /// Names for places, the other way round.
    pub fn step(&self, act: &Act) -> TimedStep {
        let input = match act.what {
            What::Send(channel) => {
                Input::Event(self.network.channels[channel as usize].name.clone())
            }
            What::Wait(time) => Input::Wait(time),
            What::Phase(time) => Input::Phase(time),
        };
        let named = |&(cell, value): &(usize, i64)| {
            let cell = &self.network.cells[cell];
            let value = match cell.kind {
                CellKind::Bool => ObservedValue::Bool(value != 0),
                _ => ObservedValue::Int(value),
            };
            (cell.name.clone(), value)
        };
        TimedStep { input, out: act.out.iter().map(named).collect() }
    }

    /// Fails if another network, which a system is simulated from, has other channels or variables where
    /// this one has its own: tests know them by their positions. It may have more behind these.
    pub fn check_system(&self, system: &Network) -> Result<(), String> {
        let (ours, channels) = (&self.network.channels, system.channels.iter());
        let same_channels =
            channels.map(|c| &c.name).take(ours.len()).eq(ours.iter().map(|c| &c.name));
        let (ours, cells) = (&self.network.cells, system.cells.iter());
        let same_cells = cells.map(|c| &c.name).take(ours.len()).eq(ours.iter().map(|c| &c.name));
        match same_channels && same_cells {
            true => Ok(()),
            false => Err("the system has other channels or variables than the model".to_string()),
        }
    }

    /// The positions of variables, by their names.
    pub fn cells(&self, names: &[String]) -> Result<Vec<usize>, String> {
        names.iter().map(|name| self.cell(name)).collect()
    }

    /// Fails if a suite names something that the network does not have.
    pub fn check_suite(&self, suite: &TimedSuite) -> Result<(), String> {
        self.cells(&suite.observe)?;
        suite.tests.iter().try_for_each(|test| self.check(test))
    }

    /// Whether all names of a test are known; says what is wrong.
    pub fn check(&self, test: &TimedTest) -> Result<(), String> {
        let wrong = |message: String| format!("test `{}`: {message}", test.name);
        self.acts(&test.steps).map_err(wrong)?;
        for uio in &test.uios {
            self.acts(&uio.steps).map_err(wrong)?;
        }
        test.target.as_ref().map_or(Ok(()), |name| self.location(name).map(drop).map_err(wrong))
    }
}
