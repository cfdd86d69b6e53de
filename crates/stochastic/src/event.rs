//! One run up to its bound, watched.

use provoke_uppaal::machine::Computed;
use provoke_uppaal::network::{Condition, Number, RunBound, RunMeasure};

use crate::run::{Next, RandomSimulator};
use crate::window::{Clocks, rounded_down};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// What was watched for happened.
    Hit,
    /// The bound was reached.
    Bound,
    /// Neither time nor anything else could go on.
    Stuck,
}

/// Does one run. Before every stretch of time, `watch` is told how long it is, and ends the run by
/// returning true.
pub fn run(
    simulator: &mut RandomSimulator<'_>,
    bound: &RunBound,
    (seed, number): (u64, u64),
    mut watch: impl FnMut(&mut RandomSimulator<'_>, f64) -> Computed<bool>,
) -> Computed<RunEnd> {
    simulator.begin(seed, number);
    loop {
        let left = left(simulator, bound)?;
        // What happens at the very last moment still counts.
        if left < 0.0 {
            return Ok(if watch(simulator, 0.0)? { RunEnd::Hit } else { RunEnd::Bound });
        }
        let next = simulator.draw()?;
        let (length, end) = match next {
            Next::Act(delay, _) if delay <= left => (delay, None),
            Next::Stuck(delay) if delay < left => (delay, Some(RunEnd::Stuck)),
            // With a bound in steps, a quiet run is over.
            Next::Quiet if left.is_infinite() => (0.0, Some(RunEnd::Bound)),
            _ => (left, Some(RunEnd::Bound)),
        };
        if watch(simulator, length)? {
            return Ok(RunEnd::Hit);
        }
        match (end, next) {
            (Some(end), _) => {
                simulator.wait(length);
                return Ok(end);
            }
            (None, Next::Act(delay, process)) => simulator.act(delay, process)?,
            (None, _) => return Ok(RunEnd::Bound),
        }
    }
}

/// How much time the bound leaves.
fn left(simulator: &mut RandomSimulator<'_>, bound: &RunBound) -> Computed<f64> {
    Ok(match &bound.measure {
        RunMeasure::Time => bound.limit - simulator.now,
        RunMeasure::Steps if (simulator.steps as f64) < bound.limit => f64::INFINITY,
        RunMeasure::Steps => -1.0,
        RunMeasure::Clock(clock) => {
            let clock = simulator.machine.clock(clock)? as usize;
            let value = simulator.machine.clocks[clock];
            let rate = simulator.rates()?.get(clock).copied().unwrap_or(1.0);
            match bound.limit - value {
                left if left <= 0.0 => left,
                _ if rate <= 0.0 => f64::INFINITY,
                left => rounded_down(left / rate),
            }
        }
    })
}

/// Whether a condition holds at some time of a run.
pub fn happens(
    simulator: &mut RandomSimulator<'_>,
    bound: &RunBound,
    condition: &Condition,
    seed: (u64, u64),
) -> Computed<RunEnd> {
    run(simulator, bound, seed, |simulator, length| {
        // Without clocks it is the same for all of the time.
        if let Condition::Int(expr) = condition {
            return Ok(simulator.machine.value(expr)? != 0);
        }
        let rates = simulator.rates()?.to_vec();
        let window = Clocks { rates: &rates }.window(&mut simulator.machine, condition)?;
        Ok(!window.is_empty() && window.from <= length)
    })
}

/// The largest or smallest value of a number in a run. Numbers change along lines, so it is enough to
/// look at the ends of stretches.
pub fn extreme(
    simulator: &mut RandomSimulator<'_>,
    bound: &RunBound,
    number: &Number,
    max: bool,
    seed: (u64, u64),
) -> Computed<(f64, RunEnd)> {
    let mut best = if max { f64::NEG_INFINITY } else { f64::INFINITY };
    let end = run(simulator, bound, seed, |simulator, length| {
        let rates = simulator.rates()?.to_vec();
        let (value, slope) = Clocks { rates: &rates }.linear(&mut simulator.machine, number)?;
        for value in [value, value + slope * length] {
            best = if max { best.max(value) } else { best.min(value) };
        }
        Ok(false)
    })?;
    Ok((best, end))
}
