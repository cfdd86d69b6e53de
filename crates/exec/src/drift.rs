//! Delays that move slowly: what the last events say about the next one.
//!
//! Only inputs are followed, on targets that tell what arrives. An output that comes later and later may
//! be a fault, and must not be taken for the line.

use provoke_stats::describe;

use crate::board::{Board, Wire};
use crate::calibrate::input_delays;
use crate::delay::DelayDistribution;
use crate::observation::Observation;
use crate::plan::EventPlan;

/// From how much correlation of one delay with the next on a signal is followed.
const WORTH_FOLLOWING: f64 = 0.5;

/// The slow part of a signal's delay.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Drift {
    /// Its standard deviation.
    pub slow_sd_ms: f64,
    /// How much of it remains from one event to the next.
    pub correlation: f64,
}

impl Drift {
    /// The slow part of measured delays, if they have one. A part w of the variance that is slow, and
    /// remains to ρ from one to the next, gives correlations wρ and wρ² at distances 1 and 2.
    pub fn measured(samples_ms: &[f64]) -> Option<Drift> {
        let [one, two] = [1, 2].map(|distance| correlation(samples_ms, distance));
        let (one, two) = (one?, two?);
        if one < WORTH_FOLLOWING {
            return None;
        }
        let correlation = (two / one).clamp(WORTH_FOLLOWING, 0.999);
        let part = (one / correlation).min(1.0);
        let sd_ms = describe::standard_deviation(samples_ms)?;
        Some(Drift { slow_sd_ms: sd_ms * part.sqrt(), correlation })
    }
}

/// How much a value says about the one that comes so much later.
fn correlation(values: &[f64], distance: usize) -> Option<f64> {
    let mean = describe::mean(values)?;
    let variation: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let pairs = values.iter().zip(values.get(distance..)?);
    let common: f64 = pairs.map(|(a, b)| (a - mean) * (b - mean)).sum();
    (variation > 0.0).then(|| common / variation)
}

/// What is known of a slow part now: a Kalman filter with one number.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Estimate {
    mean_ms: f64,
    variance: f64,
}

impl Estimate {
    /// One more event was this far from the usual delay.
    fn learn(&mut self, drift: Drift, fast_variance: f64, off_ms: f64) {
        let Drift { slow_sd_ms, correlation } = drift;
        self.mean_ms *= correlation;
        let kept = correlation.powi(2);
        self.variance = kept * self.variance + (1.0 - kept) * slow_sd_ms.powi(2);
        // A delay without a fast part is known exactly.
        let gain = self.variance / (self.variance + fast_variance.max(1e-6));
        self.mean_ms += gain * (off_ms - self.mean_ms);
        self.variance *= 1.0 - gain;
    }
}

/// The slow parts of all inputs, as far as they have one.
#[derive(Clone, PartialEq, Debug)]
pub struct DriftTracking {
    monitored: Vec<Option<Estimate>>,
}

impl DriftTracking {
    /// Before the first event.
    pub fn new(board: &Board) -> DriftTracking {
        let estimate = |wire: &Wire| {
            let drift = wire.drift?;
            Some(Estimate { mean_ms: 0.0, variance: drift.slow_sd_ms.powi(2) })
        };
        DriftTracking { monitored: board.monitored.iter().map(estimate).collect() }
    }

    /// The board with the delays that its inputs have now.
    pub fn board(&self, usual: &Board) -> Board {
        let mut board = usual.clone();
        for (wire, estimate) in board.monitored.iter_mut().zip(&self.monitored) {
            if let Some(estimate) = estimate {
                let sd_ms = (fast_variance(wire) + estimate.variance).sqrt();
                wire.delay =
                    DelayDistribution::normal(wire.delay.mean_ms() + estimate.mean_ms, sd_ms);
            }
        }
        board
    }

    /// Learns from a run in which the target told what arrived.
    pub fn learn(&mut self, usual: &Board, plan: &EventPlan, seen: &Observation) {
        for (signal, estimate) in self.monitored.iter_mut().enumerate() {
            let wire = &usual.monitored[signal];
            let (Some(estimate), Some(drift)) = (estimate, wire.drift) else { continue };
            for delay_ms in input_delays(signal, plan, seen).unwrap_or_default() {
                let off_ms = delay_ms - wire.delay.mean_ms();
                estimate.learn(drift, fast_variance(wire), off_ms);
            }
        }
    }
}

/// What varies from one event to the next.
fn fast_variance(wire: &Wire) -> f64 {
    let slow = wire.drift.map_or(0.0, |drift| drift.slow_sd_ms);
    (wire.delay.sd_ms().powi(2) - slow.powi(2)).max(0.0)
}

#[cfg(test)]
mod tests {
    use provoke_base::Random;

    use super::*;
    use crate::delay::DelayLine;

    #[test]
    fn a_slow_part_is_measured_and_followed() {
        let mut line = DelayLine::new(DelayDistribution::normal(1000.0, 50.0));
        (line.slow_sd_ms, line.correlation) = (194.0, 0.99);
        let mut random = Random::new(4);
        let samples: Vec<f64> = (0..4000).filter_map(|_| line.carry_ms(&mut random)).collect();
        let drift = Drift::measured(&samples).expect("it drifts");
        assert!((drift.slow_sd_ms - 194.0).abs() < 60.0, "{drift:?}");
        assert!((drift.correlation - 0.99).abs() < 0.01, "{drift:?}");
        let mut estimate = Estimate { mean_ms: 0.0, variance: 194.0_f64.powi(2) };
        let mut squares = 0.0;
        for sample in &samples {
            squares += (sample - 1000.0 - estimate.mean_ms).powi(2);
            estimate.learn(drift, 50.0_f64.powi(2), sample - 1000.0);
        }
        let off = (squares / samples.len() as f64).sqrt();
        // Without following it is 200; the fast part alone is 50, one step of the slow one 27.
        assert!(off < 70.0, "{off}");
        let steady: Vec<f64> =
            (0..400).map(|_| DelayDistribution::normal(9.0, 2.0).draw_ms(&mut random)).collect();
        assert_eq!(Drift::measured(&steady), None);
    }
}
