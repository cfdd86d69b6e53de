//! How accurate the published rule is for 20 expected and 21 observed frequencies, and how the most
//! runs that are allowed change that (RQ4).

use provoke_base::Random;
use provoke_stats::{ConfidenceInterval, wilson};
use serde::{Deserialize, Serialize};

/// One scenario with one limit of runs.
#[derive(Serialize, Deserialize)]
pub(crate) struct Scenario {
    /// The expected frequency.
    pub(crate) expected: f64,
    /// That of the system.
    pub(crate) observed: f64,
    /// The most runs.
    pub(crate) most: u64,
    /// How often the verdict was right.
    pub(crate) accuracy: f64,
    /// Runs on average.
    pub(crate) runs: f64,
}

const ALPHA: f64 = 0.05;
const WIDTH: f64 = 0.1;
/// Frequencies are multiples of one over this.
pub(crate) const PARTS: u64 = 20;

/// All scenarios of an expected frequency with all limits from 10 to 400. A sequence of outcomes
/// serves all limits: where a limit ends it does not change what came before.
pub(crate) fn scenarios(e: u64, repeats: u32, seed: u64) -> Result<Vec<Scenario>, String> {
    let limits: Vec<u64> = (1..=40).map(|tens| 10 * tens).collect();
    let mut found = Vec::new();
    for o in 0..=PARTS {
        let (expected, observed) = (e as f64 / PARTS as f64, o as f64 / PARTS as f64);
        let interval = ConfidenceInterval {
            low: (expected - WIDTH / 2.0).max(0.0),
            high: (expected + WIDTH / 2.0).min(1.0),
        };
        let mut right = vec![0_u64; limits.len()];
        let mut runs = vec![0_u64; limits.len()];
        let mut random = Random::for_part(seed, &format!("scenario {e} {o}"));
        for _ in 0..repeats {
            let counts = outcomes(&mut random, o);
            let narrow = first_narrow(&counts)?;
            for (index, most) in limits.iter().enumerate() {
                let n = narrow.min(*most);
                let seen = wilson(counts[n as usize], n, ALPHA).map_err(|e| e.to_string())?;
                right[index] += u64::from(seen.overlaps(&interval) == (e == o));
                runs[index] += n;
            }
        }
        for (index, most) in limits.iter().enumerate() {
            let part = |count: u64| count as f64 / f64::from(repeats);
            let (accuracy, runs) = (part(right[index]), part(runs[index]));
            found.push(Scenario { expected, observed, most: *most, accuracy, runs });
        }
    }
    Ok(found)
}

/// How many of the first n outcomes are successes, for n from 0 to 400.
fn outcomes(random: &mut Random, successes_in_20: u64) -> Vec<u64> {
    let mut counts = vec![0];
    for _ in 0..400 {
        let hit = random.below(PARTS as usize) < successes_in_20 as usize;
        counts.push(counts[counts.len() - 1] + u64::from(hit));
    }
    counts
}

/// The first number of runs after which the interval is narrow enough.
fn first_narrow(counts: &[u64]) -> Result<u64, String> {
    for n in 35..counts.len() as u64 {
        if wilson(counts[n as usize], n, ALPHA).map_err(|e| e.to_string())?.width() <= WIDTH {
            return Ok(n);
        }
    }
    Ok(counts.len() as u64 - 1)
}
