//! Verdicts from the outcomes of repeated runs.
//!
//! `overlap` is the rule of STUIOS (section 5.4): runs until Wilson's interval is narrow enough, or
//! until there are enough of them; a difference from the model is what does not overlap with the
//! expected interval. `sequential` weighs the predicted probability against one that differs by a
//! stated amount, and stops as soon as the evidence decides.

use provoke_stats::{ConfidenceInterval, Decision, InvalidArgument, TwoSided, runs_test, wilson};

use crate::timed_tests::timed_test::Probability;

/// How outcomes become a verdict.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum VerdictRule {
    /// Whether intervals overlap.
    Overlap {
        /// How wide Wilson's interval may be at the end.
        width: f64,
        /// The most runs.
        most: u64,
    },
    /// Sequential probability ratio tests.
    Sequential {
        /// The difference that is to be found.
        difference: f64,
        /// How often such a difference may be missed.
        beta: f64,
        /// The most runs.
        most: u64,
    },
}

impl VerdictRule {
    /// The rule of STUIOS with its numbers.
    pub const OVERLAP: VerdictRule = VerdictRule::Overlap { width: 0.1, most: 100 };
}

/// What one run showed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuleOutcome {
    /// Whether the outputs of the test were as expected.
    pub test: bool,
    /// Whether those of the sequence were, too.
    pub joint: bool,
}

/// What was found about one probability.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RepeatedEvidence {
    /// The probability that the model has.
    pub expected: ConfidenceInterval,
    /// Where that of the system lies.
    pub observed: ConfidenceInterval,
    /// How often it happened.
    pub successes: u64,
    /// Whether the two differ.
    pub differs: bool,
}

/// What was decided.
#[derive(Clone, PartialEq, Debug)]
pub struct RuleDecision {
    /// Whether the system behaves like the model.
    pub passed: bool,
    /// Runs that were needed.
    pub runs: u64,
    /// Whether there were too few of them for the verdict to be relied on.
    pub unreliable: bool,
    /// About the test.
    pub test: RepeatedEvidence,
    /// About test and sequence together.
    pub joint: Option<RepeatedEvidence>,
    /// The probability that independent runs are as alike as these, if that is small.
    pub dependent: Option<f64>,
}

/// Outcomes that come more rarely than this by chance are called dependent.
const DEPENDENT: f64 = 0.001;

/// Takes outcomes until there is a verdict.
pub struct Judge {
    rule: VerdictRule,
    alpha: f64,
    expected: [Option<ConfidenceInterval>; 2],
    successes: [u64; 2],
    outcomes: Vec<bool>,
    tests: [Option<TwoSided>; 2],
    over: bool,
}

impl Judge {
    /// A judge who knows what the model says of the test, and of test and sequence together.
    pub fn new(
        rule: VerdictRule,
        alpha: f64,
        test: &Probability,
        joint: Option<&Probability>,
    ) -> Result<Judge, InvalidArgument> {
        let known = [Some(test), joint];
        let mut tests = [None, None];
        if let VerdictRule::Sequential { difference, beta, .. } = rule {
            let hypotheses = known.iter().flatten().count() as f64;
            for (slot, probability) in tests.iter_mut().zip(known) {
                if let Some(probability) = probability {
                    let p = probability.point();
                    *slot = Some(TwoSided::new(p, difference, alpha / hypotheses, beta)?);
                }
            }
        }
        Ok(Judge {
            rule,
            alpha,
            expected: known.map(|probability| probability.map(Probability::expected)),
            successes: [0, 0],
            outcomes: Vec::new(),
            tests,
            over: false,
        })
    }

    /// Whether another run is needed.
    pub fn wants_more(&self) -> bool {
        let most = match self.rule {
            VerdictRule::Overlap { most, .. } | VerdictRule::Sequential { most, .. } => most,
        };
        !self.over && (self.outcomes.len() as u64) < most
    }

    /// Takes the next outcome.
    pub fn push(&mut self, outcome: RuleOutcome) -> Result<(), InvalidArgument> {
        let now = [outcome.test, outcome.joint];
        self.outcomes.push(outcome.joint || (self.expected[1].is_none() && outcome.test));
        for (count, hit) in self.successes.iter_mut().zip(now) {
            *count += u64::from(hit);
        }
        let (mut differs, mut settled) = (false, true);
        for index in (0..2).filter(|index| self.expected[*index].is_some()) {
            match self.rule {
                VerdictRule::Overlap { width, .. } => {
                    let evidence = self.evidence(index)?;
                    let narrow = evidence.observed.width() <= width;
                    settled &= narrow;
                    differs |= narrow && evidence.differs;
                }
                VerdictRule::Sequential { .. } => {
                    let Some(test) = &mut self.tests[index] else { continue };
                    match test.push(now[index]) {
                        Decision::Continue => settled = false,
                        Decision::AcceptH1 => differs = true,
                        Decision::AcceptH0 => {}
                    }
                }
            }
        }
        self.over = differs || settled;
        Ok(())
    }

    fn evidence(&self, index: usize) -> Result<RepeatedEvidence, InvalidArgument> {
        let expected = self.expected[index].unwrap_or(ConfidenceInterval::ALL);
        let successes = self.successes[index];
        let observed = wilson(successes, self.outcomes.len() as u64, self.alpha)?;
        let differs = match (&self.rule, &self.tests[index]) {
            (VerdictRule::Sequential { .. }, Some(test)) => test.decision() == Decision::AcceptH1,
            _ => !observed.overlaps(&expected),
        };
        Ok(RepeatedEvidence { expected, observed, successes, differs })
    }

    /// The verdict on what came so far.
    pub fn decide(&self) -> Result<RuleDecision, InvalidArgument> {
        let test = self.evidence(0)?;
        let joint = match self.expected[1] {
            Some(_) => Some(self.evidence(1)?),
            None => None,
        };
        let all = || std::iter::once(&test).chain(&joint);
        let differs = all().any(|evidence| evidence.differs);
        let unreliable = match self.rule {
            VerdictRule::Overlap { width, .. } => all().any(|e| e.observed.width() > width),
            VerdictRule::Sequential { .. } => !self.over,
        };
        let clustered = runs_test(&self.outcomes).ok().map(|runs| runs.at_most.min(runs.at_least));
        Ok(RuleDecision {
            passed: !differs,
            runs: self.outcomes.len() as u64,
            unreliable,
            dependent: clustered.filter(|p| *p < DEPENDENT),
            test,
            joint,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(p: f64, half: f64) -> Probability {
        let interval = ConfidenceInterval { low: (p - half).max(0.0), high: (p + half).min(1.0) };
        Probability { interval, exact: None, runs: 1000, successes: (p * 1000.0) as u64 }
    }

    fn judged(
        rule: VerdictRule,
        expected: &Probability,
        outcomes: impl Iterator<Item = bool>,
    ) -> RuleDecision {
        let mut judge = Judge::new(rule, 0.05, expected, None).unwrap();
        for hit in outcomes {
            if !judge.wants_more() {
                break;
            }
            judge.push(RuleOutcome { test: hit, joint: false }).unwrap();
        }
        judge.decide().unwrap()
    }

    #[test]
    fn a_certain_output_passes_after_35_runs_and_a_fair_one_is_not_reliable_after_100() {
        let certain = judged(VerdictRule::OVERLAP, &known(1.0, 0.01), std::iter::repeat(true));
        assert!(certain.passed && !certain.unreliable);
        assert_eq!(certain.runs, 35);
        let fair = judged(VerdictRule::OVERLAP, &known(0.5, 0.05), (0..).map(|run| run % 2 == 0));
        assert!(fair.passed && fair.unreliable);
        assert_eq!(fair.runs, 100);
        assert!(fair.dependent.is_some(), "outcomes that alternate are not independent");
        // Up to 381 runs, the interval becomes narrow enough.
        let long = VerdictRule::Overlap { width: 0.1, most: 1000 };
        let fair = judged(long, &known(0.5, 0.05), (0..).map(|run| run % 2 == 0));
        assert!(fair.runs <= 381 && !fair.unreliable, "{}", fair.runs);
    }

    #[test]
    fn what_never_happens_fails() {
        let never = judged(VerdictRule::OVERLAP, &known(0.5, 0.05), std::iter::repeat(false));
        assert!(!never.passed && !never.unreliable);
        assert_eq!((never.runs, never.test.successes), (35, 0));
        let rule = VerdictRule::Sequential { difference: 0.2, beta: 0.05, most: 1000 };
        let sooner = judged(rule, &known(0.5, 0.05), std::iter::repeat(false));
        assert!(!sooner.passed && sooner.runs < 35, "{}", sooner.runs);
    }
}
