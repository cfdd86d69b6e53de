//! A smaller suite that covers the same.

use std::collections::{BTreeMap, BTreeSet};

use provoke_cover::{Items, Reach, ReductionMatrix, Row};
use provoke_criteria::{Masking, Measurement, SuiteCoverage, matrix};
use provoke_model::{Suite, TestCase, Value};
use provoke_results::{Reduce, ReductionWord, Schema, SizeResult, Word};

use crate::expectations::check_expectations;
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
    let before = covered(masking, subject, &subject.tests);
    let chosen = choice.choose(&covering(masking, subject));
    let mut suite = subject.suite.clone();
    suite.tests = chosen.kept.iter().map(|test| subject.suite.tests[*test].clone()).collect();
    if trim {
        cut(masking, subject, &mut suite);
    }
    let after = covered(masking, subject, &inputs(&suite));
    assert!(before == after, "reduction changed what is covered");
    let expected = check_expectations(&subject.suite, &subject.system);
    let result = Reduce {
        schema: Schema::default(),
        model: subject.file.name.clone(),
        criterion: subject.criterion.clone(),
        method: ReductionWord::of(choice.method.word()),
        before: size(&subject.suite),
        after: size(&suite),
        covered: after.iter().filter(|covered| **covered).count(),
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

fn measured(masking: Masking, subject: &TestedModel, tests: &[Vec<Vec<Value>>]) -> SuiteCoverage {
    let TestedModel { system, obligations, oracle, .. } = subject;
    let mut measurement = Measurement::new(system, obligations, masking, oracle);
    for test in tests {
        measurement.run_test(test);
    }
    measurement.coverage().clone()
}

fn covered(masking: Masking, subject: &TestedModel, tests: &[Vec<Vec<Value>>]) -> Vec<bool> {
    let coverage = measured(masking, subject, tests);
    (0..coverage.total()).map(|obligation| coverage.is_covered(obligation)).collect()
}

fn covering(masking: Masking, subject: &TestedModel) -> ReductionMatrix {
    let TestedModel { system, obligations, oracle, tests, .. } = subject;
    let rows = tests.iter().map(Vec::as_slice);
    let covers = matrix(system, obligations, masking, oracle, rows).tests;
    let required = requirements(&subject.suite);
    let row = |(at, mut covers): (usize, Items)| {
        covers.extend(required[at].iter().map(|id| (obligations.len() + id) as u32));
        Row::new(covers, tests[at].len() as u32)
    };
    ReductionMatrix { tests: covers.into_iter().enumerate().map(row).collect() }
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
    let reaches = |(test, required): (&Vec<Vec<Value>>, Vec<usize>)| {
        let coverage = measured(masking, subject, std::slice::from_ref(test));
        let statuses = coverage.statuses.iter().enumerate();
        let reach = |(item, status): (usize, &provoke_criteria::ObligationCoverage)| {
            let steps = status.covered?.step as u32;
            Some(Reach { item: item as u32, steps })
        };
        let whole = |id: usize| {
            let (item, steps) = ((coverage.total() + id) as u32, test.len() as u32);
            Reach { item, steps }
        };
        // A test without steps is cut, whatever it is for.
        let required = required.into_iter().filter(|_| !test.is_empty());
        statuses.filter_map(reach).chain(required.map(whole)).collect()
    };
    let all: Vec<Vec<Reach>> = inputs(suite).iter().zip(requirements(suite)).map(reaches).collect();
    for (test, steps) in suite.tests.iter_mut().zip(provoke_cover::trim(&all)) {
        test.steps.truncate(steps as usize);
    }
    suite.tests.retain(|test| !test.steps.is_empty());
}
