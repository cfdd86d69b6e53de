//! Verdicts from the outcomes of repeated runs, by one of the rules.

use provoke_stats::{
    ConfidenceInterval, CountTest, Decision, InvalidArgument, TwoSided, clopper_pearson, runs_test,
    wilson,
};

use crate::timed_tests::timed_test::Probability;
use crate::verdict::rule::VerdictRule;

/// Whether outputs were as expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hit {
    /// They were not.
    Missed,
    /// They came so close to when they were looked at that delays do not let it be known.
    Unclear,
    /// They were.
    Met,
}

impl Hit {
    /// What is known of two things that must both be as expected.
    pub fn and(self, other: Hit) -> Hit {
        match (self, other) {
            (Hit::Missed, _) | (_, Hit::Missed) => Hit::Missed,
            (Hit::Met, Hit::Met) => Hit::Met,
            _ => Hit::Unclear,
        }
    }
}

/// What one run showed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuleOutcome {
    /// Whether the outputs of the test were as expected.
    pub test: Hit,
    /// Whether those of the sequence were, too.
    pub joint: Hit,
}

/// What was found about one probability.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RepeatedEvidence {
    /// Where that of a right system lies.
    pub expected: ConfidenceInterval,
    /// Where that of the system lies.
    pub observed: ConfidenceInterval,
    /// How often it happened for sure.
    pub successes: u64,
    /// How often it may have happened beside that.
    pub unclear: u64,
    /// The runs that count: those of the second stage if there was one.
    pub runs: u64,
    /// Whether it looked wrong after the first stage.
    pub suspected: bool,
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
    /// Whether there were too few, or too many that are unclear, for the verdict to be relied on.
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
/// One minus the confidence of intervals that are only shown.
const SHOWN: f64 = 0.05;

/// How often something happened.
#[derive(Clone, Copy, Default)]
struct HitCount {
    /// For sure.
    low: u64,
    /// If all that is unclear did.
    high: u64,
    runs: u64,
}

impl HitCount {
    fn push(&mut self, hit: Hit) {
        self.low += u64::from(hit == Hit::Met);
        self.high += u64::from(hit != Hit::Missed);
        self.runs += 1;
    }

    /// An interval for the least count, and for the most, as one.
    fn interval(
        &self,
        of: impl Fn(u64, u64) -> Result<ConfidenceInterval, InvalidArgument>,
    ) -> Result<ConfidenceInterval, InvalidArgument> {
        let (low, high) = (of(self.low, self.runs)?.low, of(self.high, self.runs)?.high);
        Ok(ConfidenceInterval { low, high })
    }
}

/// How one probability is tested.
enum HypothesisTest {
    Staged {
        first: CountTest,
        second: CountTest,
    },
    /// With what is unclear as a miss, and as a hit.
    Sequential(Box<[TwoSided; 2]>),
    Published {
        alpha: f64,
        width: f64,
    },
}

/// One probability of the model, and what is known of it.
struct Hypothesis {
    expected: ConfidenceInterval,
    count: HitCount,
    test: HypothesisTest,
    suspected: bool,
}

impl Hypothesis {
    fn new(rule: &VerdictRule, known: &Probability) -> Result<Hypothesis, InvalidArgument> {
        let expected = rule.expected(known)?;
        let test = match *rule {
            VerdictRule::TwoStage { first, second, .. } => HypothesisTest::Staged {
                first: CountTest::new(expected, first.runs, first.level)?,
                second: CountTest::new(expected, second.runs, second.level)?,
            },
            VerdictRule::Sequential { difference, level, beta, .. } => {
                let test = TwoSided::outside(expected, difference, level, beta)?;
                HypothesisTest::Sequential(Box::new([test.clone(), test]))
            }
            VerdictRule::Published { alpha, width, .. } => {
                HypothesisTest::Published { alpha, width }
            }
        };
        Ok(Hypothesis { expected, count: HitCount::default(), test, suspected: false })
    }

    fn push(&mut self, hit: Hit) {
        self.count.push(hit);
        if let HypothesisTest::Sequential(tests) = &mut self.test {
            tests[0].push(hit == Hit::Met);
            tests[1].push(hit != Hit::Missed);
        }
    }

    /// The test of the stage it is in.
    fn stage(&self) -> Option<&CountTest> {
        match &self.test {
            HypothesisTest::Staged { first, second } => {
                Some(if self.suspected { second } else { first })
            }
            _ => None,
        }
    }

    /// What the test of its stage says if nothing that is unclear happened, and if all of it did.
    fn ends(&self) -> [Decision; 2] {
        let HitCount { low, high, runs } = self.count;
        [low, high].map(|count| {
            self.stage().map_or(Decision::Continue, |stage| stage.after(count, count, runs))
        })
    }

    /// What the outcomes so far say.
    fn decision(&self) -> Result<Decision, InvalidArgument> {
        let HitCount { low, high, runs } = self.count;
        Ok(match &self.test {
            HypothesisTest::Staged { .. } => {
                let ends = self.ends();
                let after = self.stage().map(|stage| stage.after(low, high, runs));
                match after.unwrap_or(Decision::Continue) {
                    // Whether what is unclear matters is waited for.
                    Decision::AcceptH0 if ends.contains(&Decision::Continue) => Decision::Continue,
                    decided => decided,
                }
            }
            HypothesisTest::Sequential(tests) => match [tests[0].deviation(), tests[1].deviation()]
            {
                [Some(low), Some(high)] if low == high => Decision::AcceptH1,
                _ if tests.iter().all(|test| test.decision() == Decision::AcceptH0) => {
                    Decision::AcceptH0
                }
                _ => Decision::Continue,
            },
            HypothesisTest::Published { width, .. } => match self.observed()? {
                observed if observed.width() > *width => Decision::Continue,
                observed if observed.overlaps(&self.expected) => Decision::AcceptH0,
                _ => Decision::AcceptH1,
            },
        })
    }

    fn observed(&self) -> Result<ConfidenceInterval, InvalidArgument> {
        match self.test {
            HypothesisTest::Published { alpha, .. } => {
                self.count.interval(|k, n| wilson(k, n, alpha))
            }
            _ => self.count.interval(|k, n| clopper_pearson(k, n, SHOWN)),
        }
    }

    fn differs(&self) -> Result<bool, InvalidArgument> {
        Ok(match self.test {
            // By the published rule, intervals that are too wide count as well.
            HypothesisTest::Published { .. } => !self.observed()?.overlaps(&self.expected),
            // The first stage alone says nothing.
            HypothesisTest::Staged { .. } if !self.suspected => false,
            _ => self.decision()? == Decision::AcceptH1,
        })
    }

    /// Whether the answer may be another one with more runs, or if all was clear.
    fn unreliable(&self) -> Result<bool, InvalidArgument> {
        let decision = self.decision()?;
        let other = self.ends().into_iter().any(|end| end != decision);
        Ok(decision == Decision::Continue || (self.stage().is_some() && other))
    }

    fn evidence(&self) -> Result<RepeatedEvidence, InvalidArgument> {
        let HitCount { low, high, runs } = self.count;
        Ok(RepeatedEvidence {
            expected: self.expected,
            observed: self.observed()?,
            successes: low,
            unclear: high - low,
            runs,
            suspected: self.suspected,
            differs: self.differs()?,
        })
    }
}

/// Takes outcomes until there is a verdict.
pub struct Judge {
    most: u64,
    /// About the test, and about test and sequence together.
    hypotheses: [Option<Hypothesis>; 2],
    outcomes: Vec<bool>,
    over: bool,
}

impl Judge {
    /// A judge who knows what the model says of the test, and of test and sequence together.
    pub fn new(
        rule: VerdictRule,
        test: &Probability,
        joint: Option<&Probability>,
    ) -> Result<Judge, InvalidArgument> {
        let joint = joint.map(|joint| Hypothesis::new(&rule, joint)).transpose()?;
        let hypotheses = [Some(Hypothesis::new(&rule, test)?), joint];
        Ok(Judge { most: rule.most_runs(), hypotheses, outcomes: Vec::new(), over: false })
    }

    /// Whether another run is needed.
    pub fn wants_more(&self) -> bool {
        !self.over && (self.outcomes.len() as u64) < self.most
    }

    /// Takes the next outcome.
    pub fn push(&mut self, outcome: RuleOutcome) -> Result<(), InvalidArgument> {
        let joint = self.hypotheses[1].is_some();
        self.outcomes.push(if joint { outcome.joint } else { outcome.test } == Hit::Met);
        let second = self.hypotheses.iter().flatten().any(|one| one.suspected);
        let (mut wrong, mut open) = (false, false);
        for (hypothesis, hit) in self.hypotheses.iter_mut().zip([outcome.test, outcome.joint]) {
            // In the second stage only suspects are looked at: all errors were shared among both.
            let Some(hypothesis) = hypothesis.as_mut().filter(|one| one.suspected || !second)
            else {
                continue;
            };
            hypothesis.push(hit);
            let decision = hypothesis.decision()?;
            wrong |= decision == Decision::AcceptH1;
            open |= decision == Decision::Continue;
        }
        let staged = self.hypotheses.iter().flatten().any(|one| one.stage().is_some());
        match staged && !second {
            true if open => {}
            true => self.over = !self.suspect()?,
            false => self.over = wrong || !open,
        }
        Ok(())
    }

    /// Ends the first stage: what looks wrong begins anew. Whether there is any.
    fn suspect(&mut self) -> Result<bool, InvalidArgument> {
        let mut any = false;
        for hypothesis in self.hypotheses.iter_mut().flatten() {
            if hypothesis.decision()? == Decision::AcceptH1 {
                (hypothesis.suspected, hypothesis.count) = (true, HitCount::default());
                any = true;
            }
        }
        Ok(any)
    }

    /// The verdict on what came so far.
    pub fn decide(&self) -> Result<RuleDecision, InvalidArgument> {
        let [Some(test), joint] = &self.hypotheses else { unreachable!("a test has outputs") };
        let all = || std::iter::once(test).chain(joint);
        let mut unreliable = false;
        for hypothesis in all() {
            unreliable |= hypothesis.unreliable()?;
        }
        let test = test.evidence()?;
        let joint = joint.as_ref().map(Hypothesis::evidence).transpose()?;
        let differs = test.differs || joint.is_some_and(|joint| joint.differs);
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
    use provoke_base::Random;
    use provoke_results::OracleWord;

    use super::*;
    use crate::verdict::rule::SuiteOracle;

    fn known(p: f64) -> Probability {
        let interval = ConfidenceInterval { low: p, high: p };
        Probability { interval, exact: Some(p), runs: 1000, successes: (p * 1000.0) as u64 }
    }

    fn rule(kind: OracleWord) -> VerdictRule {
        SuiteOracle { kind, ..SuiteOracle::default() }.rule_for(10, false)
    }

    fn judged(
        rule: VerdictRule,
        expected: f64,
        outcomes: impl Iterator<Item = bool>,
    ) -> RuleDecision {
        let hit = |met: bool| if met { Hit::Met } else { Hit::Missed };
        judged_hits(rule, expected, outcomes.map(hit))
    }

    fn judged_hits(
        rule: VerdictRule,
        expected: f64,
        outcomes: impl Iterator<Item = Hit>,
    ) -> RuleDecision {
        let mut judge = Judge::new(rule, &known(expected), None).unwrap();
        for test in outcomes {
            if !judge.wants_more() {
                break;
            }
            judge.push(RuleOutcome { test, joint: Hit::Missed }).unwrap();
        }
        judge.decide().unwrap()
    }

    #[test]
    fn by_the_published_rule_a_certain_output_takes_35_runs_and_a_fair_one_is_not_reliable() {
        let published = rule(OracleWord::Published);
        let certain = judged(published, 1.0, std::iter::repeat(true));
        assert!(certain.passed && !certain.unreliable);
        assert_eq!(certain.runs, 35);
        let fair = judged(published, 0.5, (0..).map(|run| run % 2 == 0));
        assert!(fair.passed && fair.unreliable);
        assert_eq!(fair.runs, 100);
        assert!(fair.dependent.is_some(), "outcomes that alternate are not independent");
        // Up to 381 runs, the interval becomes narrow enough.
        let kind = OracleWord::Published;
        let long = SuiteOracle { kind, most: Some(1000), ..SuiteOracle::default() };
        let fair = judged(long.rule_for(1, false), 0.5, (0..).map(|run| run % 2 == 0));
        assert!(fair.runs <= 381 && !fair.unreliable, "{}", fair.runs);
    }

    #[test]
    fn what_never_happens_fails_by_every_rule() {
        for (kind, most) in
            [(OracleWord::Published, 35), (OracleWord::Sequential, 34), (OracleWord::TwoStage, 650)]
        {
            let never = judged(rule(kind), 0.5, std::iter::repeat(false));
            assert!(!never.passed && !never.unreliable, "{kind:?}");
            assert!(never.runs <= most && never.test.successes == 0, "{kind:?}: {}", never.runs);
        }
    }

    #[test]
    fn a_suspect_gets_fresh_runs_and_is_judged_by_these_alone() {
        // 39 of the first 100 are suspicious for p = 0.5; of the 1000 that follow, half are met.
        let unlucky = (0..100).map(|run| run < 39).chain((0..).map(|run| run % 2 == 0));
        let decided = judged(rule(OracleWord::TwoStage), 0.5, unlucky);
        assert!(decided.passed && decided.test.suspected && !decided.unreliable);
        assert!(decided.runs > 600, "{}", decided.runs);
        let fair = judged(rule(OracleWord::TwoStage), 0.5, (0..).map(|run| run % 2 == 0));
        assert!(fair.passed && !fair.test.suspected);
        assert!(fair.runs <= 100, "{}", fair.runs);
    }

    #[test]
    fn what_is_unclear_neither_fails_nor_hides_that_it_is() {
        for kind in [OracleWord::TwoStage, OracleWord::Sequential, OracleWord::Published] {
            let unclear = judged_hits(rule(kind), 0.5, std::iter::repeat(Hit::Unclear));
            assert!(unclear.passed && unclear.unreliable, "{kind:?}: {unclear:?}");
            // A few change nothing.
            let few = |run: u64| if run.is_multiple_of(50) { Hit::Unclear } else { Hit::Missed };
            let wrong = judged_hits(rule(kind), 0.5, (0..).map(few));
            assert!(!wrong.passed, "{kind:?}");
        }
    }

    #[test]
    fn right_suites_pass_and_wrong_tests_are_found() {
        let mut random = Random::new(7);
        let mut coin = |p: f64| p > (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let suite = SuiteOracle::default().rule_for(40, false);
        let (mut failed, mut missed) = (0, 0);
        for round in 0..60 {
            let p = 0.05 + 0.9 * f64::from(round) / 60.0;
            failed += (0..40)
                .filter(|_| !judged(suite, p, std::iter::from_fn(|| Some(coin(p)))).passed)
                .count();
            let q = if p < 0.5 { p + 0.2 } else { p - 0.2 };
            missed += usize::from(judged(suite, p, std::iter::from_fn(|| Some(coin(q)))).passed);
        }
        // 60 suites at 0.0025 each: more than one failure comes in one of 100 such tests.
        assert!(failed <= 1, "{failed} of 2400 right tests fail");
        assert!(missed <= 6, "{missed} of 60 wrong tests pass");
    }
}
