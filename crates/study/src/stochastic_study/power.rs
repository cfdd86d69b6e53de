//! How often rules notice a difference, and how many runs they need for it.

use provoke_base::Random;
use provoke_oracle::Probability;
use provoke_oracle::verdict::{Hit, Judge, RuleOutcome, SuiteOracle};
use provoke_stats::ConfidenceInterval;
use serde::{Deserialize, Serialize};

/// A rule with its name.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    pub(crate) name: &'static str,
    pub(crate) oracle: SuiteOracle,
}

/// What a rule did.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Done {
    pub(crate) failed: f64,
    pub(crate) runs: f64,
}

/// How many hypotheses the suite has that a single test is one of.
pub(crate) const HYPOTHESES: u64 = 100;

/// What a model says of an output whose probability it knows.
fn known(p: f64) -> Probability {
    let interval = ConfidenceInterval { low: p, high: p };
    Probability { interval, exact: Some(p), runs: 0, successes: 0 }
}

impl Way {
    /// What becomes of outputs that the model has with probability `p`, and the system with `q`.
    pub(crate) fn on(&self, p: f64, q: f64, repeats: u32, seed: u64) -> Result<Done, String> {
        let (known, rule) = (known(p), self.oracle.rule_for(HYPOTHESES, false));
        let mut random = Random::for_part(seed, &format!("{} {p} {q}", self.name));
        let (mut failed, mut runs) = (0, 0);
        for _ in 0..repeats {
            let mut judge = Judge::new(rule, &known, None).map_err(|error| error.to_string())?;
            while judge.wants_more() {
                let unit = (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
                let test = if unit < q { Hit::Met } else { Hit::Missed };
                judge
                    .push(RuleOutcome { test, joint: Hit::Missed })
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
