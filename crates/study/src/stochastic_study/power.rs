//! How often rules notice a difference, and how many runs they need for it.

use provoke_base::Random;
use provoke_oracle::Probability;
use provoke_oracle::verdict::{Judge, RuleOutcome, VerdictRule};
use provoke_stats::ConfidenceInterval;
use serde::{Deserialize, Serialize};

/// A rule with what it knows of the model.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    pub(crate) name: &'static str,
    pub(crate) rule: VerdictRule,
    pub(crate) alpha: f64,
    /// Half of the width of the model's interval; the probability itself is known if it is 0.
    pub(crate) half: f64,
}

/// What a rule did.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Done {
    pub(crate) failed: f64,
    pub(crate) runs: f64,
}

/// What a model says of an output.
pub(crate) fn expected(p: f64, half: f64) -> Probability {
    let interval = ConfidenceInterval { low: (p - half).max(0.0), high: (p + half).min(1.0) };
    let runs = 1_000_000;
    let successes = (p * runs as f64).round() as u64;
    Probability { interval, exact: (half == 0.0).then_some(p), runs, successes }
}

impl Way {
    /// What becomes of outputs that the model has with probability `p`, and the system with `q`.
    pub(crate) fn on(&self, p: f64, q: f64, repeats: u32, seed: u64) -> Result<Done, String> {
        let known = expected(p, self.half);
        let mut random = Random::for_part(seed, &format!("{} {p} {q}", self.name));
        let (mut failed, mut runs) = (0, 0);
        for _ in 0..repeats {
            let mut judge = Judge::new(self.rule, self.alpha, &known, None)
                .map_err(|error| error.to_string())?;
            while judge.wants_more() {
                let unit = (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
                let test = unit < q;
                judge
                    .push(RuleOutcome { test, joint: false })
                    .map_err(|error| error.to_string())?;
            }
            let decided = judge.decide().map_err(|error| error.to_string())?;
            failed += u64::from(!decided.passed);
            runs += decided.runs;
        }
        let repeats = f64::from(repeats);
        Ok(Done { failed: failed as f64 / repeats, runs: runs as f64 / repeats })
    }
}
