//! Measuring how late a target is.
//!
//! The target must tell what arrives (`in`) and what its steps read (`step`). Inputs are measured from
//! when they were sent to when they arrived. What outputs should have done follows from the model,
//! run on what was read; they are measured from the report of the step that caused them.

use provoke_model::{System, TestCase, Value};
use provoke_stats::{autocorrelation, describe};

use crate::board::{Board, same};
use crate::consistency::Expectation;
use crate::drift::Drift;
use crate::observation::{Observation, TargetError};
use crate::plan::{EventPlan, Mode};
use crate::platform::Adapter;
use crate::replay::replay;
use crate::script::Script;

/// The delays of one signal, in the order they were measured.
pub type DelaySamples = Vec<f64>;

/// What was measured.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Calibration {
    /// The delays of the monitored signals.
    pub monitored: Vec<DelaySamples>,
    /// The delays of the controlled signals.
    pub controlled: Vec<DelaySamples>,
    /// The distances of the steps.
    pub steps_ms: DelaySamples,
}

impl Calibration {
    /// Nothing yet.
    pub fn new(board: &Board) -> Calibration {
        Calibration {
            monitored: vec![Vec::new(); board.monitored.len()],
            controlled: vec![Vec::new(); board.controlled.len()],
            steps_ms: Vec::new(),
        }
    }

    /// The fewest samples of any monitored signal.
    pub fn fewest(&self) -> usize {
        self.monitored.iter().map(Vec::len).min().unwrap_or(0)
    }

    /// The measured time between steps: the mean, if there are enough.
    pub fn step_ms(&self) -> Option<f64> {
        (self.steps_ms.len() >= 5).then(|| describe::mean(&self.steps_ms)).flatten()
    }

    /// Runs one test and adds what it shows. `registers` holds what the monitored signals are.
    pub fn add(
        &mut self,
        board: &Board,
        system: &System,
        test: &TestCase,
        registers: &mut [Value],
        adapter: &mut dyn Adapter,
        settle_ms: f64,
    ) -> Result<(), TargetError> {
        let script = Script::new(board, test, test.steps.len()).map_err(|conflict| {
            let reason = format!("{} stands for variables that differ", conflict.signal);
            TargetError::new(reason, "give a suite that keeps them equal")
        })?;
        // Each change once, so that it can be told which arrival is whose.
        let mut single = board.clone();
        single.monitored.iter_mut().for_each(|wire| wire.copies = 1);
        let mut plan = EventPlan::new(Mode::Adaptive, &script, &single, registers);
        plan.tail_ms = plan.tail_ms.max(settle_ms);
        let seen = adapter.run(&single, &plan)?;
        crate::adaptive::settle(&script, registers);
        if seen.steps.is_empty() || (seen.arrived.is_empty() && !plan.sends.is_empty()) {
            let reason = "the target does not tell what it reads (`step` and `in` lines)";
            let hint = "let it report, or give `delay_ms` and `sd_ms` in the target file";
            return Err(TargetError::new(reason, hint));
        }
        self.add_inputs(&plan, &seen);
        self.add_steps(&seen);
        self.add_outputs(board, system, &seen);
        Ok(())
    }

    fn add_inputs(&mut self, plan: &EventPlan, seen: &Observation) {
        for (signal, samples) in self.monitored.iter_mut().enumerate() {
            samples.extend(input_delays(signal, plan, seen).unwrap_or_default());
        }
    }

    fn add_steps(&mut self, seen: &Observation) {
        let pairs = seen.steps.windows(2);
        self.steps_ms.extend(pairs.map(|pair| pair[1].at_ms - pair[0].at_ms));
    }

    /// Changes of a signal are those that the model shows, in order, if the values agree.
    fn add_outputs(&mut self, board: &Board, system: &System, seen: &Observation) {
        let Some(script) = replay(board, system, seen) else { return };
        let expectation = Expectation::new(&script, board);
        for (signal, samples) in self.controlled.iter_mut().enumerate() {
            let wire = &board.controlled[signal];
            let due: Vec<_> =
                expectation.changes.iter().filter(|change| change.signal == signal).collect();
            let came: Vec<_> =
                seen.received.iter().filter(|event| event.signal == signal).collect();
            let in_order = due.len() <= came.len()
                && due.iter().zip(&came).all(|(a, b)| same(&a.value, &b.value, &wire.tolerance));
            if in_order {
                let delay = |(change, event): (
                    &&crate::consistency::ExpectedChange,
                    &&crate::ReceivedValue,
                )| { event.at_ms - seen.steps[change.step].at_ms };
                samples.extend(due.iter().zip(&came).map(delay));
            }
        }
    }
}

/// The delays of a monitored signal: its arrivals are those of its events in order, if as many came.
pub(crate) fn input_delays(
    signal: usize,
    plan: &EventPlan,
    seen: &Observation,
) -> Option<DelaySamples> {
    let sent = plan.sends.iter().zip(&seen.sent_ms).filter(|(send, _)| send.signal == signal);
    let sent: Vec<(f64, &Value)> = sent.map(|(send, sent)| (*sent, &send.value)).collect();
    let came: Vec<_> = seen.arrived.iter().filter(|event| event.signal == signal).collect();
    let in_order = sent.len() == came.len()
        && sent.iter().zip(&came).all(|((_, value), event)| **value == event.value);
    in_order.then(|| sent.iter().zip(&came).map(|((at, _), event)| event.at_ms - at).collect())
}

/// What is written about a signal.
#[derive(Clone, PartialEq, Debug)]
pub struct DelaySummary {
    /// How many delays were measured.
    pub count: usize,
    /// Their mean.
    pub mean_ms: f64,
    /// Their standard deviation.
    pub sd_ms: f64,
    /// How much one delay says about the next.
    pub correlation: f64,
    /// The part of the delay that changes slowly, if there is one.
    pub drift: Option<Drift>,
    /// The distribution as 51 quantiles, where mean and deviation do not describe it.
    pub quantiles_ms: Vec<f64>,
}

/// How many samples are needed before anything is believed.
pub const ENOUGH: usize = 10;

impl DelaySummary {
    /// The summary of the samples, if there are enough.
    pub fn new(samples: &[f64]) -> Option<DelaySummary> {
        if samples.len() < ENOUGH {
            return None;
        }
        let mean_ms = describe::mean(samples)?;
        let sd_ms = describe::standard_deviation(samples)?;
        let skew = |sample: &f64| ((sample - mean_ms) / sd_ms.max(1e-9)).powi(3);
        let skewness = samples.iter().map(skew).sum::<f64>() / samples.len() as f64;
        let plain = mean_ms > 3.0 * sd_ms && skewness.abs() < 0.5;
        let mut quantiles_ms = Vec::new();
        if !plain && sd_ms > 0.0 {
            let level = |step: u32| describe::quantile(samples, f64::from(step) / 50.0);
            quantiles_ms = (0..=50).filter_map(level).collect();
        }
        let correlation = autocorrelation(samples).unwrap_or(0.0);
        let (count, drift) = (samples.len(), Drift::measured(samples));
        Some(DelaySummary { count, mean_ms, sd_ms, correlation, drift, quantiles_ms })
    }

    /// The delay it describes.
    pub fn delay(&self) -> crate::DelayDistribution {
        match self.quantiles_ms.is_empty() {
            true => crate::DelayDistribution::normal(self.mean_ms, self.sd_ms),
            false => crate::DelayDistribution::measured(self.quantiles_ms.clone()),
        }
    }
}
