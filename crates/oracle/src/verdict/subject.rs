//! Systems under test.

use provoke_exec::{Adapter, Board, EventPlan, Observation, SendEvent};
use provoke_model::{Signal, Suite, Type, Value};
use provoke_uppaal::Network;
use provoke_uppaal::network::CellKind;

use crate::probability::runs::{Runner, TestRunEnd};
use crate::tester::automaton::TestedNetwork;
use crate::tester::interface::{Interface, What};
use crate::timed_tests::timed_test::{Input, TimedStep, TimedSuite, TimedTest};
use crate::verdict::judge::Hit;
use crate::verdict::rule::VerdictRule;

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
    fn run(&mut self, acts: &[What], observed: &[usize]) -> Result<SeenRun, SystemError>;
}

/// What was seen in a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SeenRun {
    /// The values of the observed cells behind each act.
    pub values: Vec<Vec<i64>>,
    /// Where delays leave it open which value a cell had.
    pub unclear: Vec<UnclearValue>,
}

/// A cell that may have had several values when it was looked at.
#[derive(Clone, PartialEq, Debug)]
pub struct UnclearValue {
    /// Behind which act, counted from 0.
    pub step: usize,
    /// The place of the cell among the observed ones.
    pub place: usize,
    /// All values it may have had.
    pub values: Vec<i64>,
}

impl SeenRun {
    /// All values that a cell may have had, if it is not clear which it had.
    pub fn alternatives(&self, step: usize, place: usize) -> Option<&[i64]> {
        let is = |unclear: &&UnclearValue| unclear.step == step && unclear.place == place;
        self.unclear.iter().find(is).map(|unclear| &unclear.values[..])
    }

    /// Whether a cell had the value that was wanted.
    pub fn compared(&self, step: usize, place: usize, wanted: i64) -> Hit {
        match self.alternatives(step, place) {
            Some(values) if values.contains(&wanted) => Hit::Unclear,
            None if self.values[step][place] == wanted => Hit::Met,
            _ => Hit::Missed,
        }
    }
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
    fn run(&mut self, _: &[What], observed: &[usize]) -> Result<SeenRun, SystemError> {
        let mut seen: Vec<Vec<i64>> = Vec::new();
        self.run += 1;
        let ended = self.runner.run((self.seed, self.run), |_, _, cells| {
            seen.push(observed.iter().map(|cell| cells[*cell]).collect());
            true
        });
        match ended {
            Ok(TestRunEnd::Through) => Ok(SeenRun { values: seen, unclear: Vec::new() }),
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

/// How often any look of all runs of a suite may meet a delay outside of what is allowed for.
const DELAY_ERROR: f64 = 0.0005;
/// How long is waited before the first event, and behind the slowest output.
const LEAD_MS: f64 = 50.0;

/// The looks at outputs of one run of each test with each of its sequences.
fn looks(suite: &TimedSuite) -> u64 {
    let steps = |test: &TimedTest| {
        let behind: usize = test.uios.iter().map(|uio| uio.steps.len()).sum();
        (test.steps.len() * test.uios.len().max(1) + behind) as u64
    };
    suite.tests.iter().map(steps).sum()
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
    /// How often the delay of an output may lie outside of what is allowed for, in one look.
    look_error: f64,
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
        rule: &VerdictRule,
        seed: u64,
    ) -> Result<ConnectedSystem<'n>, String> {
        let (inputs, outputs) = lines(interface, suite)?;
        let random = provoke_base::Random::for_part(seed, "phase");
        let network = interface.network;
        let look_error = DELAY_ERROR / (looks(suite) * rule.most_runs()).max(1) as f64;
        Ok(ConnectedSystem { adapter, board, network, inputs, outputs, random, look_error })
    }

    /// About how many seconds the runs of a test take.
    pub fn seconds(&self, steps: &[TimedStep]) -> f64 {
        let waits = steps.iter().map(|step| match step.input {
            Input::Wait(time) | Input::Phase(time) => time as f64,
            Input::Event(_) => 0.0,
        });
        let all = waits.sum::<f64>() * self.board.step_ms + LEAD_MS + self.tail_ms();
        all / 1000.0
    }

    /// How long is listened behind the last look.
    fn tail_ms(&self) -> f64 {
        let slowest = |wire: &provoke_exec::board::Wire| wire.delay.bounds_ms(self.look_error).1;
        self.board.controlled.iter().map(slowest).fold(0.0, f64::max) + LEAD_MS
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
        let tail_ms = self.tail_ms();
        let steps = (now / unit).ceil() as usize + 1;
        (EventPlan { sends, lead_ms: LEAD_MS, steps, tail_ms, speaks_first: false }, looks)
    }
}

impl SystemUnderTest for ConnectedSystem<'_> {
    fn run(&mut self, acts: &[What], observed: &[usize]) -> Result<SeenRun, SystemError> {
        let (plan, looks) = self.plan(acts);
        let seen = self
            .adapter
            .run(&self.board, &plan)
            .map_err(|trouble| SystemError { reason: trouble.reason, hint: trouble.hint })?;
        let mut run = SeenRun::default();
        for (step, look) in looks.iter().enumerate() {
            let mut values = Vec::new();
            for (place, cell) in observed.iter().enumerate() {
                let mut possible = self.possible_values(&seen, *cell, *look)?;
                values.push(possible[possible.len() - 1]);
                possible.sort_unstable();
                possible.dedup();
                if possible.len() > 1 {
                    run.unclear.push(UnclearValue { step, place, values: possible });
                }
            }
            run.values.push(values);
        }
        Ok(run)
    }
}

impl ConnectedSystem<'_> {
    /// The values that a variable may have had at a time: the last one that was surely sent by then,
    /// and those behind it that may have been, in the order of their arrival.
    fn possible_values(
        &self,
        seen: &Observation,
        cell: usize,
        look: f64,
    ) -> Result<Vec<i64>, SystemError> {
        let variable = self.outputs.iter().position(|known| *known == cell);
        let mut possible = vec![self.network.cells[cell].initial];
        for received in &seen.received {
            let wire = &self.board.controlled[received.signal];
            let Some(feed) = wire.feeds.iter().find(|feed| Some(feed.variable) == variable) else {
                continue;
            };
            let (least, most) = wire.delay.bounds_ms(self.look_error);
            if received.at_ms - most > look {
                continue;
            }
            let value = number(feed.scale.invert(&received.value, feed.ty), &wire.name)?;
            if received.at_ms - least <= look {
                possible.clear();
            }
            possible.push(value);
        }
        Ok(possible)
    }
}

/// A value that was received, as a number.
fn number(value: Value, name: &str) -> Result<i64, SystemError> {
    match value {
        Value::Bool(truth) => Ok(i64::from(truth)),
        Value::Int(number) => number.to_i64().ok_or_else(|| SystemError {
            reason: format!("{name} is {number}, which no variable can hold"),
            hint: "look at what the target sends".to_string(),
        }),
        other => Err(SystemError {
            reason: format!("{name} is {other:?}, which is no whole number"),
            hint: "check `scale` and `offset` in the target file".to_string(),
        }),
    }
}
