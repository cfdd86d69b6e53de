//! When to stop estimating a probability, and what the interval found then is worth.
//!
//! An interval made for a fixed number of trials covers less when the trials are stopped as
//! soon as it is small. How much less is computed here, exactly. For alpha = epsilon = 0.05:
//!
//! | rule | least coverage | at p | expected trials at p = 0.01, 0.1, 0.5 |
//! |---|---|---|---|
//! | UPPAAL 5 | 0.949998 | 0.7219 | 84, 198, 403 |
//! | UPPAAL 4.1 | 0.9190 | 0.8930 | 37, 146, 401 |
//! | Clopper-Pearson | 0.9359 | 0.8929 | 43, 148, 401 |
//! | Wilson | 0.8855 | 0.0035 | 41, 132, 380 |
//! | Hoeffding | at least 0.95 | | 738 |

use serde::{Deserialize, Serialize};

use crate::beta;
use crate::invalid::{InvalidArgument, inside, probability, require, successes};
use crate::proportion::{
    ConfidenceInterval, clopper_pearson, exact, hoeffding, hoeffding_runs, wilson,
};
use crate::walk::walk;

/// When an estimate is good enough.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum StoppingRuleKind {
    /// UPPAAL 5: both ends of the Clopper-Pearson interval are within epsilon of the frequency.
    Uppaal5,
    /// UPPAAL 4.1: the Clopper-Pearson interval, one-sided while all outcomes are alike, is at
    /// most 2 epsilon wide.
    Uppaal41,
    /// The Clopper-Pearson interval is at most 2 epsilon wide.
    ClopperPearson,
    /// Wilson's interval is at most 2 epsilon wide.
    Wilson,
    /// As many trials as Hoeffding's inequality asks for.
    Hoeffding,
    /// That many trials, and the Clopper-Pearson interval.
    Fixed(u64),
}

/// A rule with its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoppingRule {
    rule: StoppingRuleKind,
    alpha: f64,
    epsilon: f64,
}

impl StoppingRule {
    /// A rule for an error of at most `epsilon` in about 1 - `alpha` of all cases; a fixed
    /// number of trials has no use for epsilon.
    pub fn new(
        rule: StoppingRuleKind,
        alpha: f64,
        epsilon: f64,
    ) -> Result<StoppingRule, InvalidArgument> {
        inside("alpha", alpha)?;
        inside("epsilon", epsilon)?;
        require(rule != StoppingRuleKind::Fixed(0), "runs", 0.0, "at least one run")?;
        Ok(StoppingRule { rule, alpha, epsilon })
    }

    /// The interval to report after `k` successes in `n` trials.
    pub fn interval(&self, k: u64, n: u64) -> Result<ConfidenceInterval, InvalidArgument> {
        match self.rule {
            StoppingRuleKind::Uppaal41 if k == 0 || k == n => Ok(exact(k, n, self.alpha)),
            StoppingRuleKind::Wilson => wilson(k, n, self.alpha),
            StoppingRuleKind::Hoeffding => hoeffding(k, n, self.alpha),
            _ => clopper_pearson(k, n, self.alpha),
        }
    }

    /// Whether `k` successes in `n` trials are enough. Without a trial nothing is.
    pub fn is_met(&self, k: u64, n: u64) -> Result<bool, InvalidArgument> {
        successes(k, n)?;
        Ok(match self.rule {
            _ if n == 0 => false,
            StoppingRuleKind::Fixed(runs) => n >= runs,
            StoppingRuleKind::Hoeffding => n >= hoeffding_runs(self.epsilon, self.alpha)?,
            StoppingRuleKind::Uppaal5 => self.ends_are_close(k, n),
            _ => self.interval(k, n)?.width() <= 2.0 * self.epsilon,
        })
    }

    /// Both ends within epsilon of the frequency, without computing them: an end is closer
    /// than x if at x the outcome is rarer than alpha / 2.
    fn ends_are_close(&self, k: u64, n: u64) -> bool {
        self.low_end_is_close(k, n) && self.low_end_is_close(n - k, n)
    }

    fn low_end_is_close(&self, k: u64, n: u64) -> bool {
        let far = k as f64 / n as f64 - self.epsilon;
        far <= 0.0 || beta::tails(k as f64, (n - k) as f64 + 1.0, far).0 <= self.alpha / 2.0
    }

    /// Whether the rule may be met after `n` trials with at least `fewer` outcomes of the rarer
    /// kind. UPPAAL 5's own condition will not do: it is stricter just beside a frequency of ½
    /// than at it, but only for the end on the other side.
    fn may_be_met(&self, fewer: u64, n: u64) -> bool {
        match self.rule {
            StoppingRuleKind::Uppaal5 => self.low_end_is_close(fewer, n),
            _ => self.is_met(fewer, n).unwrap_or(false),
        }
    }

    /// The rule as a table, if it ends after at most `limit` trials for every outcome. Takes
    /// time and space that grow with the square of the trials.
    pub fn coverage(&self, limit: u64) -> Result<StoppingCoverage, InvalidArgument> {
        const MOST: u64 = 5000;
        require(limit <= MOST, "limit", limit as f64, "at most 5000 trials")?;
        let mut ends = vec![Vec::new(); limit as usize + 1];
        let stop = |k, n| match self.is_met(k, n) {
            Ok(true) => self.interval(k, n).ok().map(|interval| (k, interval)),
            _ => None,
        };
        // What a fair coin can reach, any coin can. 5000 trials are few enough for the rarest
        // outcome that still goes on not to underflow.
        let left = walk(0.5, limit, stop, |n, _, end| ends[n as usize].push(end));
        require(left == 0.0, "limit", limit as f64, "enough trials for the rule to end")?;
        Ok(StoppingCoverage { ends })
    }

    /// A running estimate by this rule.
    pub fn start(self) -> Estimation {
        Estimation { rule: self, successes: 0, trials: 0, earliest: 1 }
    }
}

/// A running estimate: outcomes go in until the rule is met.
///
/// Whether a rule is met depends on n and m = min(k, n - k) alone; it becomes easier with n and
/// harder with m, and m never shrinks. So the first n at which the present m might do is a bound
/// before which nothing needs to be checked, and checks are few.
#[derive(Clone, Debug)]
pub struct Estimation {
    rule: StoppingRule,
    successes: u64,
    trials: u64,
    /// The rule is not met before that many trials.
    earliest: u64,
}

impl Estimation {
    /// Takes the next outcome; returns the interval once the rule is met.
    pub fn push(&mut self, outcome: bool) -> Option<ConfidenceInterval> {
        self.trials += 1;
        self.successes += u64::from(outcome);
        if self.trials < self.earliest {
            return None;
        }
        let (k, n) = (self.successes, self.trials);
        if self.met(k, n) {
            return self.rule.interval(k, n).ok();
        }
        self.earliest = self.first_possible(k.min(n - k));
        None
    }

    /// The successes so far.
    pub fn successes(&self) -> u64 {
        self.successes
    }

    /// The outcomes so far.
    pub fn trials(&self) -> u64 {
        self.trials
    }

    fn met(&self, k: u64, n: u64) -> bool {
        self.rule.is_met(k, n).unwrap_or(false)
    }

    /// The first number of trials, after the present one, at which `fewer` outcomes of the rarer
    /// kind may be enough.
    fn first_possible(&self, fewer: u64) -> u64 {
        let (mut before, mut step) = (self.trials, 1);
        while !self.rule.may_be_met(fewer, before + step) && step < u64::MAX / 4 {
            before += step;
            step *= 2;
        }
        let mut first = before + step;
        while first - before > 1 {
            let middle = before + (first - before) / 2;
            if self.rule.may_be_met(fewer, middle) { first = middle } else { before = middle }
        }
        first
    }
}

/// Where a rule ends, with the interval it reports there.
#[derive(Clone, Debug)]
pub struct StoppingCoverage {
    /// For each number of trials, the successes that end it.
    ends: Vec<Vec<(u64, ConfidenceInterval)>>,
}

/// What a rule does when the probability is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// How often the interval contains the probability.
    pub coverage: f64,
    /// The expected number of trials.
    pub runs: f64,
}

impl StoppingCoverage {
    /// The exact coverage and expected trials if the probability is `p`; the relative error is
    /// below 1e-11.
    pub fn at(&self, p: f64) -> Result<Accuracy, InvalidArgument> {
        probability("p", p)?;
        let mut accuracy = Accuracy { coverage: 0.0, runs: 0.0 };
        let stop = |k, n: u64| {
            let ends = &self.ends[n as usize];
            ends.iter().find(|end| end.0 == k).map(|end| end.1)
        };
        walk(p, self.most_runs(), stop, |n, mass, interval| {
            accuracy.coverage += if interval.contains(p) { mass } else { 0.0 };
            accuracy.runs += mass * n as f64;
        });
        Ok(accuracy)
    }

    /// The fewest trials after which the rule can end.
    pub fn fewest_runs(&self) -> u64 {
        self.ends.iter().position(|ends| !ends.is_empty()).unwrap_or(0) as u64
    }

    /// The most trials that the rule can ask for.
    pub fn most_runs(&self) -> u64 {
        self.ends.iter().rposition(|ends| !ends.is_empty()).unwrap_or(0) as u64
    }

    /// The least coverage, and the probability it occurs at. Coverage jumps where an interval
    /// begins or ends, so the places just outside of each are where it is looked for.
    pub fn least(&self) -> Result<(f64, f64), InvalidArgument> {
        const OUTSIDE: f64 = 1e-9;
        let mut least = (1.0, 0.5);
        for (_, interval) in self.ends.iter().flatten() {
            for p in [interval.low - OUTSIDE, interval.high + OUTSIDE] {
                if p > 0.0 && p < 1.0 {
                    let coverage = self.at(p)?.coverage;
                    least = if coverage < least.0 { (coverage, p) } else { least };
                }
            }
        }
        Ok(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_easier_with_more_trials_and_harder_with_mixed_outcomes() {
        // What a running estimate relies on to check rarely.
        for rule in [
            StoppingRuleKind::Uppaal5,
            StoppingRuleKind::Uppaal41,
            StoppingRuleKind::ClopperPearson,
            StoppingRuleKind::Wilson,
        ] {
            for epsilon in [0.06, 0.1, 0.2, 0.3] {
                let rule = StoppingRule::new(rule, 0.05, epsilon).unwrap();
                for n in 1..=(1.1 / (epsilon * epsilon)) as u64 {
                    (0..=n / 2).for_each(|k| check(&rule, k, n));
                }
            }
        }
    }

    fn check(rule: &StoppingRule, k: u64, n: u64) {
        let met = |k| rule.is_met(k, n).unwrap();
        let possible = rule.may_be_met(k, n);
        assert_eq!(met(k), met(n - k), "{rule:?} {k} of {n}");
        assert!(possible || !met(k), "{rule:?} {k} of {n}");
        assert!(!possible || rule.may_be_met(k, n + 1), "{rule:?} {k} of {n}");
        assert!(!possible || k == 0 || rule.may_be_met(k - 1, n), "{rule:?} {k} of {n}");
    }
}
