//! Sequential probability ratio tests (Wald, "Sequential tests of statistical hypotheses",
//! 1945): outcomes are taken one by one until the evidence decides.

use crate::invalid::{InvalidArgument, inside, probability, require};
use crate::proportion::ConfidenceInterval;
use crate::walk::walk;

/// What the outcomes so far say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// More outcomes are needed.
    Continue,
    /// The null hypothesis is kept.
    AcceptH0,
    /// The alternative is taken.
    AcceptH1,
}

/// A test of H0: the probability is `p0` (or on its far side) against H1: it is `p1` (or on its
/// far side). Between the two lies the region of indifference, where either answer will do.
#[derive(Clone, Debug)]
pub struct Sprt {
    /// What a success adds to the logarithm of the likelihood ratio of H1 to H0.
    success: f64,
    /// What a failure adds.
    failure: f64,
    /// H1 is accepted at this ratio and above.
    upper: f64,
    /// H0 is accepted at this ratio and below.
    lower: f64,
    successes: u64,
    trials: u64,
    decision: Decision,
}

/// What a test does when the probability is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operation {
    /// How often it accepts H0.
    pub accept_h0: f64,
    /// How often it accepts H1.
    pub accept_h1: f64,
    /// The expected number of trials.
    pub runs: f64,
}

impl Sprt {
    /// A test that rejects a true H0 with a probability of about `alpha`, and a true H1 with
    /// one of about `beta`; alpha + beta is below 1.
    pub fn new(p0: f64, p1: f64, alpha: f64, beta: f64) -> Result<Sprt, InvalidArgument> {
        probability("p0", p0)?;
        probability("p1", p1)?;
        require(p0 != p1, "p1", p1, "another probability than p0")?;
        inside("alpha", alpha)?;
        inside("beta", beta)?;
        require(alpha + beta < 1.0, "beta", beta, "less than 1 - alpha")?;
        Ok(Sprt {
            success: (p1 / p0).ln(),
            failure: ((1.0 - p1) / (1.0 - p0)).ln(),
            upper: ((1.0 - beta) / alpha).ln(),
            lower: (beta / (1.0 - alpha)).ln(),
            successes: 0,
            trials: 0,
            decision: Decision::Continue,
        })
    }

    /// A test of "at least `p`" (H0) against "less" (H1), indifferent within `delta` of it: p0 =
    /// p + delta, p1 = p - delta, cut off at 1 and 0.
    pub fn around(p: f64, delta: f64, alpha: f64, beta: f64) -> Result<Sprt, InvalidArgument> {
        probability("p", p)?;
        inside("delta", delta)?;
        Sprt::new((p + delta).min(1.0), (p - delta).max(0.0), alpha, beta)
    }

    /// Takes the next outcome. After a decision, outcomes are no longer counted.
    pub fn push(&mut self, outcome: bool) -> Decision {
        if self.decision == Decision::Continue {
            self.trials += 1;
            self.successes += u64::from(outcome);
            self.decision = self.after(self.successes, self.trials);
        }
        self.decision
    }

    /// What has been decided.
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// The successes so far.
    pub fn successes(&self) -> u64 {
        self.successes
    }

    /// The outcomes so far.
    pub fn trials(&self) -> u64 {
        self.trials
    }

    /// The logarithm of the likelihood ratio, from the counts, so that it does not depend on
    /// their order.
    fn ratio(&self, k: u64, n: u64) -> f64 {
        // What never happened weighs nothing, however decisive it would have been.
        let share = |count: u64, each: f64| if count == 0 { 0.0 } else { count as f64 * each };
        share(k, self.success) + share(n - k, self.failure)
    }

    fn after(&self, k: u64, n: u64) -> Decision {
        let ratio = self.ratio(k, n);
        if ratio >= self.upper {
            Decision::AcceptH1
        } else if ratio <= self.lower {
            Decision::AcceptH0
        } else {
            Decision::Continue
        }
    }

    /// How often the test decides what, and after how many trials, if the probability is `p`
    /// and the test is given up after `limit` trials: exact, with a relative error below 1e-11.
    pub fn operation(&self, p: f64, limit: u64) -> Result<Operation, InvalidArgument> {
        probability("p", p)?;
        let mut operation = Operation { accept_h0: 0.0, accept_h1: 0.0, runs: 0.0 };
        let stop = |k, n| Some(self.after(k, n)).filter(|&d| d != Decision::Continue);
        let left = walk(p, limit, stop, |n, mass, decision| {
            operation.runs += mass * n as f64;
            match decision {
                Decision::AcceptH0 => operation.accept_h0 += mass,
                _ => operation.accept_h1 += mass,
            }
        });
        operation.runs += left * limit as f64;
        Ok(operation)
    }

    /// Wald's approximation of the expected trials if the probability is `p`. It ignores how
    /// far the last outcome leads beyond a bound, and so is some per cent too small; it is
    /// there for tests too long for [`Sprt::operation`]. None if an outcome decides alone.
    pub fn expected_runs(&self, p: f64) -> Option<f64> {
        if !(0.0..=1.0).contains(&p) || !self.success.is_finite() || !self.failure.is_finite() {
            return None;
        }
        let drift = p * self.success + (1.0 - p) * self.failure;
        let spread = p * self.success * self.success + (1.0 - p) * self.failure * self.failure;
        if drift.abs() < 1e-6 * spread {
            return Some(-self.upper * self.lower / spread);
        }
        let keeps = self.keeps_h0(self.tilt(p, -drift.signum()));
        Some((keeps * self.lower + (1.0 - keeps) * self.upper) / drift)
    }

    /// The h other than 0 at which the h-th power of the likelihood ratio is 1 on average; it
    /// has the given sign. Very large ones are as good as infinite.
    fn tilt(&self, p: f64, sign: f64) -> f64 {
        let largest = 700.0 / self.success.abs().max(self.failure.abs());
        let mean = |h: f64| p * (h * self.success).exp() + (1.0 - p) * (h * self.failure).exp();
        let (mut low, mut high) = (0.0, largest);
        // Below 1 next to 0, above 1 beyond the root.
        for _ in 0..200 {
            let middle = (low + high) / 2.0;
            if mean(sign * middle) < 1.0 { low = middle } else { high = middle }
        }
        sign * high
    }

    /// The probability of accepting H0, for the tilt h.
    fn keeps_h0(&self, h: f64) -> f64 {
        let (upper, lower) = (self.upper, self.lower);
        let both = -(-h.abs() * (upper - lower)).exp_m1();
        if h > 0.0 {
            -(-h * upper).exp_m1() / both
        } else {
            ((-h * lower).exp() - (h * (upper - lower)).exp()) / both
        }
    }
}

/// A direction in which a probability can differ from what is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deviation {
    /// It is smaller.
    Below,
    /// It is larger.
    Above,
}

/// A test of a predicted probability against one that differs by `difference` in either
/// direction: two one-sided tests, each with half of alpha. H0 is accepted when both accept
/// it, H1 when one does.
#[derive(Clone, Debug)]
pub struct TwoSided {
    below: Option<Sprt>,
    above: Option<Sprt>,
    trials: u64,
}

impl TwoSided {
    /// A test of one predicted probability.
    pub fn new(
        p: f64,
        difference: f64,
        alpha: f64,
        beta: f64,
    ) -> Result<TwoSided, InvalidArgument> {
        TwoSided::outside(ConfidenceInterval { low: p, high: p }, difference, alpha, beta)
    }

    /// A test of a probability that is known to lie in an interval: differences count from its ends.
    /// A side without room for the difference is not tested: nothing lies more than 0.1 above 0.95.
    pub fn outside(
        expected: ConfidenceInterval,
        difference: f64,
        alpha: f64,
        beta: f64,
    ) -> Result<TwoSided, InvalidArgument> {
        let ConfidenceInterval { low, high } = expected;
        probability("p", low)?;
        probability("p", high)?;
        inside("difference", difference)?;
        let room = [low - difference >= 0.0, high + difference <= 1.0];
        let sides = room.iter().filter(|&&has_room| has_room).count();
        require(sides > 0, "difference", difference, "a difference with room below or above p")?;
        let test = |p0: f64, p1: f64| Sprt::new(p0, p1, alpha / sides as f64, beta);
        let below = if room[0] { Some(test(low, low - difference)?) } else { None };
        let above = if room[1] { Some(test(high, high + difference)?) } else { None };
        Ok(TwoSided { below, above, trials: 0 })
    }

    /// On which side of what is expected the probability was found to lie.
    pub fn deviation(&self) -> Option<Deviation> {
        let rejects = |side: &Option<Sprt>| {
            side.as_ref().is_some_and(|side| side.decision() == Decision::AcceptH1)
        };
        match (rejects(&self.below), rejects(&self.above)) {
            (true, _) => Some(Deviation::Below),
            (_, true) => Some(Deviation::Above),
            _ => None,
        }
    }

    /// Takes the next outcome. After a decision, outcomes are no longer counted.
    pub fn push(&mut self, outcome: bool) -> Decision {
        if self.decision() == Decision::Continue {
            self.trials += 1;
            for side in [&mut self.below, &mut self.above].into_iter().flatten() {
                side.push(outcome);
            }
        }
        self.decision()
    }

    /// What has been decided.
    pub fn decision(&self) -> Decision {
        let sides = || [&self.below, &self.above].into_iter().flatten().map(Sprt::decision);
        if sides().any(|decision| decision == Decision::AcceptH1) {
            Decision::AcceptH1
        } else if sides().all(|decision| decision == Decision::AcceptH0) {
            Decision::AcceptH0
        } else {
            Decision::Continue
        }
    }

    /// The outcomes so far.
    pub fn trials(&self) -> u64 {
        self.trials
    }
}
