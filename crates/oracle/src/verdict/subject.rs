//! Systems under test.

use provoke_exec::{Adapter, Board, EventPlan, Observation, SendEvent};
use provoke_model::{Signal, Suite, Type, Value};
use provoke_uppaal::Network;
use provoke_uppaal::network::CellKind;

use crate::probability::runs::{Runner, TestRunEnd};
use crate::tester::automaton::TestedNetwork;
use crate::tester::interface::{Interface, What};
use crate::timed_tests::timed_test::TimedSuite;

/// Why a run gave no outcome; this says nothing about the system's timing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SystemError {
    /// What happened.
    pub reason: String,
    /// What to do.
    pub hint: String,
}

/// Something that tests can be run on, from its initial state each time.
pub trait SystemUnderTest {
    /// The values of the observed cells behind each act.
    fn run(&mut self, acts: &[What], observed: &[usize]) -> Result<Vec<Vec<i64>>, SystemError>;
}

/// A system that is simulated from an automaton, in virtual time, under one test.
pub struct SimulatedSystem<'t> {
    runner: Runner<'t>,
    seed: u64,
    run: u64,
}

impl<'t> SimulatedSystem<'t> {
    /// A system that behaves as the network beside the tester does.
    pub fn new(tested: &'t TestedNetwork, seed: u64) -> SimulatedSystem<'t> {
        SimulatedSystem { runner: Runner::new(tested), seed, run: 0 }
    }
}

impl SystemUnderTest for SimulatedSystem<'_> {
    fn run(&mut self, _: &[What], observed: &[usize]) -> Result<Vec<Vec<i64>>, SystemError> {
        let mut seen: Vec<Vec<i64>> = Vec::new();
        self.run += 1;
        let ended = self.runner.run((self.seed, self.run), |_, _, cells| {
            seen.push(observed.iter().map(|cell| cells[*cell]).collect());
            true
        });
        match ended {
            Ok(TestRunEnd::Through) => Ok(seen),
            Ok(TestRunEnd::Stuck) => Err(SystemError {
                reason: format!("time stops in the simulated system after {} steps", seen.len()),
                hint: "look for an invariant that nothing leads out of".to_string(),
            }),
            Err(fault) => Err(SystemError {
                reason: fault.message,
                hint: "look at the automaton the system is simulated from".to_string(),
            }),
        }
    }
}

/// A system behind an adapter, in real time.
pub struct ConnectedSystem<'n> {
    adapter: Box<dyn Adapter>,
    board: Board,
    network: &'n Network,
    /// The places of channels and cells on the board.
    inputs: Vec<u32>,
    outputs: Vec<usize>,
    random: provoke_base::Random,
}

/// The signals that a suite uses: all events as inputs, the variables that it sees as outputs.
pub fn signals(interface: &Interface<'_>, suite: &TimedSuite) -> Result<Suite, String> {
    let network = interface.network;
    let (inputs, outputs) = lines(interface, suite)?;
    let event = |channel: &u32| Signal {
        name: network.channels[*channel as usize].name.clone(),
        ty: Type::Int,
    };
    let variable = |cell: &usize| {
        let cell = &network.cells[*cell];
        let ty = if cell.kind == CellKind::Bool { Type::Bool } else { Type::Int };
        Signal { name: cell.name.clone(), ty }
    };
    Ok(Suite {
        inputs: inputs.iter().map(event).collect(),
        outputs: outputs.iter().map(variable).collect(),
        ..Suite::default()
    })
}

/// The channels and cells of a suite's signals.
fn lines(interface: &Interface<'_>, suite: &TimedSuite) -> Result<(Vec<u32>, Vec<usize>), String> {
    Ok((interface.inputs.values().copied().collect(), interface.cells(&suite.observe)?))
}

impl<'n> ConnectedSystem<'n> {
    /// A system behind an adapter; `board` was made for the [`signals`] of this suite.
    pub fn new(
        adapter: Box<dyn Adapter>,
        board: Board,
        interface: &Interface<'n>,
        suite: &TimedSuite,
        seed: u64,
    ) -> Result<ConnectedSystem<'n>, String> {
        let (inputs, outputs) = lines(interface, suite)?;
        let random = provoke_base::Random::for_part(seed, "phase");
        Ok(ConnectedSystem { adapter, board, network: interface.network, inputs, outputs, random })
    }

    /// What is sent when, and when is looked. A unit of the model is a step of the target.
    fn plan(&mut self, acts: &[What]) -> (EventPlan, Vec<f64>) {
        let unit = self.board.step_ms;
        let (mut sends, mut looks, mut now) = (Vec::new(), Vec::new(), 0.0);
        for act in acts {
            match *act {
                What::Wait(time) => now += time as f64 * unit,
                What::Phase(time) => {
                    let part = (self.random.next() >> 11) as f64 / (1_u64 << 53) as f64;
                    now += part * time as f64 * unit;
                }
                What::Send(channel) => {
                    let name = &self.network.channels[channel as usize].name;
                    let is = |wire: &provoke_exec::board::Wire| {
                        wire.feeds.iter().any(|feed| {
                            self.inputs
                                .get(feed.variable)
                                .is_some_and(|c| self.network.channels[*c as usize].name == *name)
                        })
                    };
                    if let Some(signal) = self.board.monitored.iter().position(is) {
                        let value = Value::Int(provoke_base::Int::from(1));
                        sends.push(SendEvent { at_ms: now, signal, value, step: 0 });
                    }
                }
            }
            looks.push(now);
        }
        let tail_ms = 2.0 * self.slowest() + 50.0;
        let steps = (now / unit).ceil() as usize + 1;
        (EventPlan { sends, lead_ms: 50.0, steps, tail_ms, speaks_first: false }, looks)
    }

    /// The longest mean delay of what is seen.
    fn slowest(&self) -> f64 {
        self.board.controlled.iter().map(|wire| wire.delay.mean_ms()).fold(0.0, f64::max)
    }
}

impl SystemUnderTest for ConnectedSystem<'_> {
    fn run(&mut self, acts: &[What], observed: &[usize]) -> Result<Vec<Vec<i64>>, SystemError> {
        let (plan, looks) = self.plan(acts);
        let seen = self
            .adapter
            .run(&self.board, &plan)
            .map_err(|trouble| SystemError { reason: trouble.reason, hint: trouble.hint })?;
        let at = |look: &f64| {
            let value = |cell: &usize| self.value(&seen, *cell, *look);
            observed.iter().map(value).collect::<Result<Vec<i64>, SystemError>>()
        };
        looks.iter().map(at).collect()
    }
}

impl ConnectedSystem<'_> {
    /// The last value of a variable that was sent by a time, less what it takes to arrive.
    fn value(&self, seen: &Observation, cell: usize, look: f64) -> Result<i64, SystemError> {
        let variable = self.outputs.iter().position(|known| *known == cell);
        let mut last = self.network.cells[cell].initial;
        for received in &seen.received {
            let wire = &self.board.controlled[received.signal];
            let Some(feed) = wire.feeds.iter().find(|feed| Some(feed.variable) == variable) else {
                continue;
            };
            if received.at_ms - wire.delay.mean_ms() > look + wire.delay.sd_ms() {
                continue;
            }
            last = match feed.scale.invert(&received.value, feed.ty) {
                Value::Bool(truth) => i64::from(truth),
                Value::Int(number) => number.to_i64().ok_or_else(|| SystemError {
                    reason: format!("{} is {number}, which no variable can hold", wire.name),
                    hint: "look at what the target sends".to_string(),
                })?,
                other => {
                    return Err(SystemError {
                        reason: format!("{} is {other:?}, which is no whole number", wire.name),
                        hint: "check `scale` and `offset` in the target file".to_string(),
                    });
                }
            };
        }
        Ok(last)
    }
}
