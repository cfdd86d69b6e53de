//! Which of two probabilities is larger, sequentially.

use crate::invalid::{InvalidArgument, require};
use crate::sequential::{Decision, Sprt};

/// Wald's test of two probabilities on pairs of outcomes: only pairs that differ say anything,
/// and among those the first succeeds with odds u = p(1 - q) / q(1 - p), the ratio of the odds
/// of the first probability p to those of the second, q.
#[derive(Clone, Debug)]
pub struct PairedSprt {
    differing: Sprt,
    pairs: u64,
}

impl PairedSprt {
    /// A test of H0: u is `u0` (or on its far side) against H1: it is `u1` (or on its far side).
    /// With u0 = 1.1 and u1 = 0.9, H0 says that the first probability is the larger one.
    pub fn new(u0: f64, u1: f64, alpha: f64, beta: f64) -> Result<PairedSprt, InvalidArgument> {
        let positive = |u: f64| u > 0.0 && u.is_finite();
        require(positive(u0), "u0", u0, "a positive number")?;
        require(positive(u1), "u1", u1, "a positive number")?;
        let differing = Sprt::new(u0 / (1.0 + u0), u1 / (1.0 + u1), alpha, beta)?;
        Ok(PairedSprt { differing, pairs: 0 })
    }

    /// Takes the next pair of outcomes. After a decision, pairs are no longer counted.
    pub fn push(&mut self, first: bool, second: bool) -> Decision {
        if self.differing.decision() == Decision::Continue {
            self.pairs += 1;
            if first != second {
                self.differing.push(first);
            }
        }
        self.differing.decision()
    }

    /// What has been decided.
    pub fn decision(&self) -> Decision {
        self.differing.decision()
    }

    /// The pairs so far.
    pub fn pairs(&self) -> u64 {
        self.pairs
    }
}
