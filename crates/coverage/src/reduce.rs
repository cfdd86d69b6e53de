//! A smaller suite that covers the same.

use std::collections::{BTreeMap, BTreeSet};

use provoke_cover::{Items, Reach, ReductionMatrix, Row};
use provoke_criteria::{Masking, Measurement, SeenEffect, SuiteCoverage};
use provoke_model::{Suite, TestCase, Value};
use provoke_results::{Reduce, ReductionWord, Schema, SizeResult, Word};
use provoke_testgen::EvidenceRule;

use crate::expectations::check_expectations;
use crate::grading::{Grading, TestEffects};
use crate::reduction::ReductionChoice;
use crate::tests::TestedModel;

/// How a suite is made smaller.
#[derive(Clone, Copy, Debug)]
pub struct ReduceOptions {
    /// How tests are chosen.
    pub choice: ReductionChoice,
    /// When an operand counts as masked.
    pub masking: Masking,
    /// Whether steps at the end of tests that nothing needs are cut.
    pub trim: bool,
}

/// A smaller suite that covers what the suite of a model covers, and how much smaller it is.
pub fn reduce(subject: &TestedModel, options: &ReduceOptions) -> (Reduce, Suite) {
    let ReduceOptions { choice, masking, trim } = *options;
    let reached = reaches(masking, subject, &subject.tests);
    let before = items(&reached);
    let chosen = choice.choose(&covering(subject, &reached));
    let mut suite = subject.suite.clone();
    suite.tests = chosen.kept.iter().map(|test| subject.suite.tests[*test].clone()).collect();
    if trim {
        cut(masking, subject, &mut suite);
    }
    let after = items(&reaches(masking, subject, &inputs(&suite)));
    assert!(before == after, "reduction changed what is covered");
    let expected = check_expectations(&subject.suite, &subject.system);
    let result = Reduce {
        schema: Schema::default(),
        model: subject.file.name.clone(),
        criterion: subject.criterion.clone(),
        method: ReductionWord::of(choice.method.word()),
        before: size(&subject.suite),
        after: size(&suite),
        covered: covered(subject, &after),
        expectations: expected.totals,
        differences: expected.differences,
        optimal: chosen.optimal,
        lower_bound: chosen.lower_bound,
        sizes: chosen.sizes,
    };
    (result, suite)
}

fn inputs(suite: &Suite) -> Vec<Vec<Vec<Value>>> {
    suite.tests.iter().map(crate::tests::inputs).collect()
}

fn size(suite: &Suite) -> SizeResult {
    let steps = suite.tests.iter().map(|test| test.steps.len()).sum();
    SizeResult { tests: suite.tests.len(), steps }
}

/// What each test reaches, and with how many steps: the obligations, and behind them what effects show
/// of those that have to be observed, wrong values of one step and lasting ones. What an effect shows
/// need not be reached by a tag.
fn reaches(masking: Masking, subject: &TestedModel, tests: &[Vec<Vec<Value>>]) -> Vec<Vec<Reach>> {
    let TestedModel { system, obligations, oracle, .. } = subject;
    let evidence = match masking {
        Masking::Strict => EvidenceRule::Effects { step: true, stuck: true },
        _ => EvidenceRule::Tags,
    };
    let grading =
        Grading { system, obligations, oracle, evidence, jobs: provoke_work::threads(None) };
    let count = obligations.len();
    let of = |(test, effects): (&Vec<Vec<Value>>, TestEffects)| {
        let coverage = measured(masking, subject, test);
        let tagged = coverage.statuses.iter().enumerate().filter_map(|(item, status)| {
            let steps = status.covered.filter(|_| !grading.is_graded(item))?.step as u32;
            Some(Reach { item: item as u32, steps })
        });
        let effect = |behind: usize| {
            move |effect: &SeenEffect| Reach {
                item: (effect.obligation + behind) as u32,
                steps: effect.seen_at as u32,
            }
        };
        let step = effects.step.iter().map(effect(count));
        tagged.chain(step).chain(effects.stuck.iter().map(effect(2 * count))).collect()
    };
    tests.iter().zip(grading.effects(tests)).map(of).collect()
}

fn measured(masking: Masking, subject: &TestedModel, test: &[Vec<Value>]) -> SuiteCoverage {
    let TestedModel { system, obligations, oracle, .. } = subject;
    let mut measurement = Measurement::new(system, obligations, masking, oracle);
    measurement.run_test(test);
    measurement.coverage().clone()
}

/// All that is reached.
fn items(reached: &[Vec<Reach>]) -> Items {
    reached.iter().flatten().map(|reach| reach.item).collect()
}

/// How many obligations are.
fn covered(subject: &TestedModel, items: &Items) -> usize {
    let count = subject.obligations.len() as u32;
    let is_covered = |at: &u32| [0, 1, 2].iter().any(|part| items.contains(at + part * count));
    (0..count).filter(is_covered).count()
}

fn covering(subject: &TestedModel, reached: &[Vec<Reach>]) -> ReductionMatrix {
    let required = requirements(&subject.suite);
    let first = 3 * subject.obligations.len();
    let row = |(at, reached): (usize, &Vec<Reach>)| {
        let mut covers: Items = reached.iter().map(|reach| reach.item).collect();
        covers.extend(required[at].iter().map(|id| (first + id) as u32));
        Row::new(covers, subject.tests[at].len() as u32)
    };
    ReductionMatrix { tests: reached.iter().enumerate().map(row).collect() }
}

/// The requirements that each test is for, numbered: each keeps a test, as each obligation does.
fn requirements(suite: &Suite) -> Vec<Vec<usize>> {
    let ids: BTreeSet<&String> = suite.tests.iter().flat_map(|test| &test.requirements).collect();
    let numbers: BTreeMap<&String, usize> = ids.into_iter().zip(0..).collect();
    let of = |test: &TestCase| test.requirements.iter().map(|id| numbers[id]).collect();
    suite.tests.iter().map(of).collect()
}

/// Cuts the steps at the end of tests that nothing needs, and tests of which nothing is left. A requirement needs
/// all steps of its test.
fn cut(masking: Masking, subject: &TestedModel, suite: &mut Suite) {
    let (tests, first) = (inputs(suite), 3 * subject.obligations.len());
    let mut all = reaches(masking, subject, &tests);
    for ((reached, test), required) in all.iter_mut().zip(&tests).zip(requirements(suite)) {
        // A test without steps is cut, whatever it is for.
        let required = required.into_iter().filter(|_| !test.is_empty());
        let whole = |id: usize| Reach { item: (first + id) as u32, steps: test.len() as u32 };
        reached.extend(required.map(whole));
    }
    for (test, steps) in suite.tests.iter_mut().zip(provoke_cover::trim(&all)) {
        test.steps.truncate(steps as usize);
    }
    suite.tests.retain(|test| !test.steps.is_empty());
}
