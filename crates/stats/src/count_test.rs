//! A test of a number of outcomes that is fixed beforehand: which counts of successes are too many or
//! too few for what is expected.

use crate::binomial::{at_least, at_most};
use crate::invalid::{InvalidArgument, inside, require};
use crate::proportion::ConfidenceInterval;
use crate::sequential::Decision;

/// The exact two-sided binomial test of H0: the probability lies in an interval. Its answer depends on
/// the count after all runs alone, so that it may be given as soon as the runs that are left cannot
/// change it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CountTest {
    runs: u64,
    /// The fewest successes that fit.
    fewest: u64,
    /// The most successes that fit.
    most: u64,
}

impl CountTest {
    /// A test that rejects a true H0 with a probability of at most `level`, half of it on either side.
    pub fn new(
        expected: ConfidenceInterval,
        runs: u64,
        level: f64,
    ) -> Result<CountTest, InvalidArgument> {
        inside("level", level)?;
        require(runs > 0, "runs", 0.0, "at least one run")?;
        // The furthest counts are the rarest at the nearest end.
        let low = expected.low.clamp(0.0, 1.0);
        let high = expected.high.clamp(0.0, 1.0);
        let few = |k: u64| at_most(k, runs, low).map(|tail| tail <= level / 2.0);
        let many =
            |misses: u64| at_least(runs - misses, runs, high).map(|tail| tail <= level / 2.0);
        let (fewest, misses) = (first_false(runs, few)?, first_false(runs, many)?);
        Ok(CountTest { runs, fewest, most: runs - misses })
    }

    /// How many runs it takes.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// What is certain after `done` runs of which at least `low` and at most `high` succeeded. Where
    /// it is not known which, H0 is only rejected if every possible count rejects it.
    pub fn after(&self, low: u64, high: u64, done: u64) -> Decision {
        let left = self.runs.saturating_sub(done);
        if low > self.most || high + left < self.fewest {
            Decision::AcceptH1
        } else if low + left <= self.most && high >= self.fewest {
            Decision::AcceptH0
        } else {
            Decision::Continue
        }
    }

    /// Whether a count of all runs rejects H0.
    pub fn rejects(&self, successes: u64) -> bool {
        !(self.fewest..=self.most).contains(&successes)
    }

    /// How often H0 is rejected if the probability is `p`.
    pub fn power(&self, p: f64) -> Result<f64, InvalidArgument> {
        let few = match self.fewest {
            0 => 0.0,
            fewest => at_most(fewest - 1, self.runs, p)?,
        };
        let many = match self.most {
            most if most == self.runs => 0.0,
            most => at_least(most + 1, self.runs, p)?,
        };
        Ok(few + many)
    }
}

/// The first number up to `most` for which something does not hold that holds for all smaller ones.
fn first_false(
    most: u64,
    holds: impl Fn(u64) -> Result<bool, InvalidArgument>,
) -> Result<u64, InvalidArgument> {
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle)? { low = middle + 1 } else { high = middle }
    }
    Ok(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binomial::pmf;

    fn point(p: f64) -> ConfidenceInterval {
        ConfidenceInterval { low: p, high: p }
    }

    #[test]
    fn a_right_system_is_rejected_no_more_often_than_the_level_says() {
        for runs in [1, 2, 10, 37, 100] {
            for p in [0.0, 0.01, 0.3, 0.5, 0.97, 1.0] {
                for level in [0.2, 0.05, 0.001] {
                    let test = CountTest::new(point(p), runs, level).unwrap();
                    let summed: f64 = (0..=runs)
                        .filter(|k| test.rejects(*k))
                        .map(|k| pmf(k, runs, p).unwrap())
                        .sum();
                    assert!(summed <= level, "{runs} {p} {level}: {summed}");
                    assert!((summed - test.power(p).unwrap()).abs() < 1e-9, "{runs} {p} {level}");
                    // One count more on either side would be too much for its half.
                    for k in [test.fewest, test.most] {
                        let tail = at_most(k, runs, p).unwrap().min(at_least(k, runs, p).unwrap());
                        assert!(tail > level / 2.0, "{runs} {p} {level}: {k}");
                    }
                }
            }
        }
    }

    #[test]
    fn an_early_answer_is_the_one_that_all_runs_give() {
        let test = CountTest::new(ConfidenceInterval { low: 0.4, high: 0.6 }, 12, 0.3).unwrap();
        for outcomes in 0_u32..1 << 12 {
            let hit = |run: u64| u64::from(outcomes >> run & 1);
            let whole: u64 = (0..12).map(hit).sum();
            let mut count = 0;
            for done in 0..12 {
                count += hit(done);
                match test.after(count, count, done + 1) {
                    Decision::Continue => {}
                    decided => {
                        assert_eq!(decided == Decision::AcceptH1, test.rejects(whole));
                    }
                }
            }
            assert_ne!(test.after(count, count, 12), Decision::Continue);
        }
    }

    #[test]
    fn what_is_not_known_rejects_only_if_every_count_does() {
        let test = CountTest::new(point(0.5), 20, 0.05).unwrap();
        assert_eq!((test.fewest, test.most), (6, 14));
        assert_eq!(test.after(3, 5, 20), Decision::AcceptH1);
        assert_eq!(test.after(3, 6, 20), Decision::AcceptH0);
        assert_eq!(test.after(3, 16, 20), Decision::AcceptH0);
    }
}
