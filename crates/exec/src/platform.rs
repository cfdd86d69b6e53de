//! A simulated platform in virtual time: software behind lines that delay, jitter, drift and lose.

use provoke_base::{Int, Random, Rational};
use provoke_model::{Type, Value};

use crate::board::Board;
use crate::controller::Controller;
use crate::delay::{DelayDistribution, DelayLine};
use crate::observation::{Observation, ReceivedValue, StepReport, TargetError};
use crate::plan::{EventPlan, SendEvent};
use crate::target::Simulation;

/// Something that tests can be run on.
pub trait Adapter {
    /// Runs one test from the initial state of the software.
    fn run(&mut self, board: &Board, plan: &EventPlan) -> Result<Observation, TargetError>;

    /// Why times may be less exact than they could be, if something is to be said.
    fn caution(&self) -> Option<String> {
        None
    }
}

/// Software behind lines.
pub struct Platform<C> {
    controller: C,
    monitored: Vec<DelayLine>,
    controlled: Vec<DelayLine>,
    random: Random,
    trace: bool,
    /// What the software sees of the monitored signals; it stays between tests.
    registers: Vec<Value>,
}

impl<C: Controller> Platform<C> {
    /// The software behind lines whose delays are those of the board, or drawn as `lines` says.
    pub fn new(controller: C, board: &Board, lines: &Simulation) -> Platform<C> {
        let mut means = Random::for_part(lines.seed, "means");
        let mut line = |delay: &DelayDistribution| {
            let delay = match lines.max_mean_ms {
                Some(max) => {
                    DelayDistribution::normal(max * crate::delay::uniform(&mut means), lines.sd_ms)
                }
                None => delay.clone(),
            };
            let mut line = DelayLine::new(delay);
            line.slow_sd_ms = lines.slow_sd_ms;
            line.correlation = lines.correlation;
            line.loss = lines.loss;
            line
        };
        let monitored: Vec<DelayLine> =
            board.monitored.iter().map(|wire| line(&wire.delay)).collect();
        let controlled = board.controlled.iter().map(|wire| line(&wire.delay)).collect();
        let registers = board.monitored.iter().map(|wire| zero(wire.ty)).collect();
        let random = Random::for_part(lines.seed, "delays");
        Platform { controller, monitored, controlled, random, trace: lines.trace, registers }
    }

    /// The same platform with other random numbers.
    pub fn reseed(&mut self, seed: u64) {
        self.random = Random::for_part(seed, "delays");
    }

    /// The same platform with these values of the monitored signals, as far as they are known.
    pub fn set(&mut self, registers: &[Value]) {
        for (register, value) in self.registers.iter_mut().zip(registers) {
            if value.is_known() {
                register.clone_from(value);
            }
        }
    }

    /// The lines that events go in and out by.
    pub fn lines(&self) -> (&[DelayLine], &[DelayLine]) {
        (&self.monitored, &self.controlled)
    }

    fn arrive(&mut self, last: &[Option<(f64, &Value)>]) {
        for (register, arrival) in self.registers.iter_mut().zip(last) {
            if let Some((_, value)) = arrival {
                register.clone_from(value);
            }
        }
    }

    /// When each event of the plan arrives, if it does.
    fn arrivals_ms(&mut self, plan: &EventPlan) -> Vec<Option<f64>> {
        let mut arrive = |send: &SendEvent| {
            let delay = self.monitored[send.signal].carry_ms(&mut self.random);
            Some(send.at_ms + delay?)
        };
        plan.sends.iter().map(&mut arrive).collect()
    }
}

/// The last event of each signal that arrived since the step before, step by step, and at the end what
/// arrives after the last one. Of many copies of an event only these matter.
fn last_of_each_step<'p>(
    plan: &'p EventPlan,
    arrivals_ms: &[Option<f64>],
    board: &Board,
) -> Vec<Vec<Option<(f64, &'p Value)>>> {
    let mut last = vec![vec![None; board.monitored.len()]; plan.steps + 1];
    for (send, at_ms) in plan.sends.iter().zip(arrivals_ms) {
        let Some(at_ms) = *at_ms else { continue };
        let mut step = ((at_ms / board.step_ms).ceil().max(0.0) as usize).min(plan.steps);
        // A quotient may be rounded.
        if step < plan.steps && at_ms > step as f64 * board.step_ms {
            step += 1;
        }
        let known: &mut Option<(f64, &Value)> = &mut last[step][send.signal];
        if known.is_none_or(|(before_ms, _)| at_ms >= before_ms) {
            *known = Some((at_ms, &send.value));
        }
    }
    last
}

/// What arrived, in the order of time.
fn in_order(plan: &EventPlan, arrivals_ms: &[Option<f64>]) -> Vec<ReceivedValue> {
    let pairs = plan.sends.iter().zip(arrivals_ms);
    let arrived = pairs.filter_map(|(send, at_ms)| {
        Some(ReceivedValue { at_ms: (*at_ms)?, signal: send.signal, value: send.value.clone() })
    });
    let mut arrived: Vec<ReceivedValue> = arrived.collect();
    arrived.sort_by(|a, b| a.at_ms.total_cmp(&b.at_ms));
    arrived
}

impl<C: Controller> Adapter for Platform<C> {
    fn run(&mut self, board: &Board, plan: &EventPlan) -> Result<Observation, TargetError> {
        self.controller.reset();
        let mut seen = Observation {
            sent_ms: plan.sends.iter().map(|send| send.at_ms).collect(),
            ..Observation::default()
        };
        let arrivals_ms = self.arrivals_ms(plan);
        let last = last_of_each_step(plan, &arrivals_ms, board);
        let variables = board.monitored.iter().flat_map(|wire| &wire.feeds);
        let count = variables.map(|feed| feed.variable + 1).max().unwrap_or(0);
        let mut inputs = vec![Value::Unknown; count];
        let mut shown: Vec<Value> = vec![Value::Unknown; board.controlled.len()];
        let mut reported: Vec<Value> = vec![Value::Unknown; self.registers.len()];
        let (last, after) = last.split_at(plan.steps);
        for (step, last) in last.iter().enumerate() {
            let now = step as f64 * board.step_ms;
            self.arrive(last);
            board.inputs_of(&self.registers, &mut inputs);
            let outputs = self.controller.step(&inputs)?;
            let values = board.controlled_values(&outputs, step + 1).map_err(|conflict| {
                let reason = format!("the outputs disagree about {}", conflict.signal);
                TargetError::new(reason, "give each output a signal of its own")
            })?;
            for (signal, value) in values.into_iter().enumerate() {
                if value.is_known() && value != shown[signal] {
                    if let Some(delay) = self.controlled[signal].carry_ms(&mut self.random) {
                        let at_ms = now + delay;
                        seen.received.push(ReceivedValue { at_ms, signal, value: value.clone() });
                    }
                    shown[signal] = value;
                }
            }
            if self.trace {
                seen.steps.push(report(step, now, &self.registers, &mut reported));
            }
        }
        // What is still on its way arrives before the next test.
        self.arrive(&after[0]);
        if self.trace {
            seen.arrived = in_order(plan, &arrivals_ms);
        }
        seen.received.sort_by(|a, b| a.at_ms.total_cmp(&b.at_ms));
        Ok(seen)
    }
}

/// What was read in a step, as far as it is new.
fn report(step: usize, at_ms: f64, registers: &[Value], reported: &mut [Value]) -> StepReport {
    let mut read = Vec::new();
    for (signal, (now, before)) in registers.iter().zip(reported).enumerate() {
        if now != before {
            read.push((signal, now.clone()));
            before.clone_from(now);
        }
    }
    StepReport { at_ms, step, read }
}

/// What a register holds before anything arrived.
pub(crate) fn zero(ty: Type) -> Value {
    match ty {
        Type::Bool => Value::Bool(false),
        Type::Int => Value::Int(Int::ZERO),
        Type::Real => Value::Real(Rational::from(&Int::ZERO)),
        Type::Enum(_) => Value::Enum(0),
    }
}
