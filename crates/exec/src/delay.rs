//! How late signals are.

use provoke_base::Random;
use provoke_stats::{describe, normal};

/// A number from 0 up to, not including, 1.
pub fn uniform(random: &mut Random) -> f64 {
    (random.next() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A standard normal number (Box and Muller).
pub fn gauss(random: &mut Random) -> f64 {
    let radius = (-2.0 * (1.0 - uniform(random)).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(random)).cos()
}

/// The distribution of a signal's delay, in milliseconds. A delay is never negative.
#[derive(Clone, PartialEq, Debug)]
pub struct DelayDistribution {
    shape: Shape,
    mean_ms: f64,
    sd_ms: f64,
}

#[derive(Clone, PartialEq, Debug)]
enum Shape {
    /// Normal, with zero in place of negative delays.
    Normal { mean_ms: f64, sd_ms: f64 },
    /// As measured, ascending.
    Measured(Vec<f64>),
}

impl DelayDistribution {
    /// No delay at all.
    pub const NONE: DelayDistribution = DelayDistribution {
        shape: Shape::Normal { mean_ms: 0.0, sd_ms: 0.0 },
        mean_ms: 0.0,
        sd_ms: 0.0,
    };

    /// A normal distribution whose negative part is at zero.
    pub fn normal(mean_ms: f64, sd_ms: f64) -> DelayDistribution {
        let (mut mean, mut sd) = (mean_ms.max(0.0), 0.0);
        if sd_ms > 0.0 {
            let above = normal::at_most(mean_ms / sd_ms).unwrap_or(1.0);
            let density = (-0.5 * (mean_ms / sd_ms).powi(2)).exp() / std::f64::consts::TAU.sqrt();
            mean = mean_ms * above + sd_ms * density;
            let square = (mean_ms.powi(2) + sd_ms.powi(2)) * above + mean_ms * sd_ms * density;
            sd = (square - mean.powi(2)).max(0.0).sqrt();
        }
        DelayDistribution { shape: Shape::Normal { mean_ms, sd_ms }, mean_ms: mean, sd_ms: sd }
    }

    /// As measured; no samples are no delay.
    pub fn measured(mut samples_ms: Vec<f64>) -> DelayDistribution {
        samples_ms.retain(|sample| sample.is_finite());
        samples_ms.iter_mut().for_each(|sample| *sample = sample.max(0.0));
        samples_ms.sort_by(f64::total_cmp);
        let Some(mean_ms) = describe::mean(&samples_ms) else { return DelayDistribution::NONE };
        let sd_ms = describe::standard_deviation(&samples_ms).unwrap_or(0.0);
        DelayDistribution { shape: Shape::Measured(samples_ms), mean_ms, sd_ms }
    }

    /// The mean.
    pub fn mean_ms(&self) -> f64 {
        self.mean_ms
    }

    /// The standard deviation.
    pub fn sd_ms(&self) -> f64 {
        self.sd_ms
    }

    /// What a part `level` of all delays does not exceed.
    pub fn quantile_ms(&self, level: f64) -> f64 {
        match &self.shape {
            Shape::Normal { mean_ms, sd_ms } if *sd_ms > 0.0 => {
                let standard = normal::quantile(level.clamp(1e-12, 1.0 - 1e-12)).unwrap_or(0.0);
                (mean_ms + sd_ms * standard).max(0.0)
            }
            Shape::Normal { mean_ms, .. } => mean_ms.max(0.0),
            Shape::Measured(sorted) => {
                describe::quantile_of_sorted(sorted, level.clamp(0.0, 1.0)).unwrap_or(0.0)
            }
        }
    }

    /// Delays between which all but a part `outside` of them lie, half of it on either side. What was
    /// only measured may be as far beyond the least and the largest sample as these are apart.
    pub fn bounds_ms(&self, outside: f64) -> (f64, f64) {
        match &self.shape {
            Shape::Normal { .. } => {
                (self.quantile_ms(outside / 2.0), self.quantile_ms(1.0 - outside / 2.0))
            }
            Shape::Measured(_) => {
                let (least, most) = (self.quantile_ms(0.0), self.quantile_ms(1.0));
                ((least - (most - least)).max(0.0), most + (most - least))
            }
        }
    }

    /// One delay.
    pub fn draw_ms(&self, random: &mut Random) -> f64 {
        match &self.shape {
            Shape::Normal { mean_ms, sd_ms } if *sd_ms > 0.0 => {
                (mean_ms + sd_ms * gauss(random)).max(0.0)
            }
            Shape::Normal { mean_ms, .. } => mean_ms.max(0.0),
            Shape::Measured(_) => self.quantile_ms(uniform(random)),
        }
    }
}

/// A line that delays what it carries: jitter, a part that changes slowly, and loss.
#[derive(Clone, PartialEq, Debug)]
pub struct DelayLine {
    /// The delay of each event.
    pub delay: DelayDistribution,
    /// The standard deviation of the slow part.
    pub slow_sd_ms: f64,
    /// How much of the slow part remains from one event to the next.
    pub correlation: f64,
    /// The part of the events that never arrive.
    pub loss: f64,
    slow: Option<f64>,
}

impl DelayLine {
    /// A line with jitter only.
    pub fn new(delay: DelayDistribution) -> DelayLine {
        DelayLine { delay, slow_sd_ms: 0.0, correlation: 0.0, loss: 0.0, slow: None }
    }

    /// How late the next event is; `None` if it is lost.
    pub fn carry_ms(&mut self, random: &mut Random) -> Option<f64> {
        if self.loss > 0.0 && uniform(random) < self.loss {
            return None;
        }
        let mut delay = self.delay.draw_ms(random);
        if self.slow_sd_ms > 0.0 {
            let fresh = self.slow_sd_ms * gauss(random);
            let slow = match self.slow {
                Some(slow) => {
                    self.correlation * slow + (1.0 - self.correlation.powi(2)).sqrt() * fresh
                }
                None => fresh,
            };
            self.slow = Some(slow);
            delay += slow;
        }
        Some(delay.max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(delay: &DelayDistribution, count: usize) -> Vec<f64> {
        let mut random = Random::new(3);
        (0..count).map(|_| delay.draw_ms(&mut random)).collect()
    }

    #[test]
    fn the_moments_are_those_of_what_is_drawn() {
        let clipped = DelayDistribution::normal(50.0, 100.0);
        for delay in [clipped.clone(), DelayDistribution::measured(drawn(&clipped, 2000))] {
            let draws = drawn(&delay, 20_000);
            let mean = describe::mean(&draws).unwrap();
            let sd = describe::standard_deviation(&draws).unwrap();
            assert!((mean - delay.mean_ms()).abs() < 2.0, "{mean} {}", delay.mean_ms());
            assert!((sd - delay.sd_ms()).abs() < 2.0, "{sd} {}", delay.sd_ms());
            assert!(draws.iter().all(|draw| *draw >= 0.0));
            let below = draws.iter().filter(|draw| **draw <= delay.quantile_ms(0.8)).count();
            assert!((below as f64 / 20_000.0 - 0.8).abs() < 0.02, "{below}");
        }
    }

    #[test]
    fn a_line_loses_what_it_says_and_drifts_slowly() {
        let mut random = Random::new(5);
        let mut line =
            DelayLine { loss: 0.25, ..DelayLine::new(DelayDistribution::normal(100.0, 0.0)) };
        let lost = (0..4000).filter(|_| line.carry_ms(&mut random).is_none()).count();
        assert!((900..1100).contains(&lost), "{lost}");
        let mut line = DelayLine {
            slow_sd_ms: 50.0,
            correlation: 0.99,
            ..DelayLine::new(DelayDistribution::normal(500.0, 0.0))
        };
        let delays: Vec<f64> = (0..5000).filter_map(|_| line.carry_ms(&mut random)).collect();
        let correlation = provoke_stats::autocorrelation(&delays).unwrap();
        assert!(correlation > 0.97, "{correlation}");
    }
}
