//! `provoke reduce`: a smaller suite that covers the same.

use provoke::Choice;
use provoke_cover::{Items, Matrix, Reach, Row};
use provoke_criteria::{Coverage, Measurement, matrix};
use provoke_model::{Suite, Value};
use provoke_results::{Reduce, ReductionWord, Schema, SizeResult, Word, to_json};
use provoke_suite::Format;

use crate::args::{ReduceArgs, Unit};
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::subject::Subject;

pub(crate) fn run(args: &ReduceArgs, output: &Output) -> Result<Outcome, Failure> {
    let subject = Subject::load(&args.on, output)?;
    let before = covered(args, &subject, &subject.tests);
    let chosen = choice(args).choose(&covering(args, &subject));
    let mut suite = subject.suite.clone();
    suite.tests = chosen.kept.iter().map(|test| subject.suite.tests[*test].clone()).collect();
    if args.trim {
        cut(args, &subject, &mut suite);
    }
    let after = covered(args, &subject, &inputs(&suite));
    assert!(before == after, "reduction changed what is covered");
    let result = Reduce {
        schema: Schema::default(),
        model: subject.file.name.clone(),
        criterion: args.on.criterion.words(),
        method: ReductionWord::of(provoke::Reduction::from(args.method).word()),
        before: size(&subject.suite),
        after: size(&suite),
        covered: after.iter().filter(|covered| **covered).count(),
        optimal: chosen.optimal,
        lower_bound: chosen.lower_bound,
        sizes: chosen.sizes,
    };
    if let Some(path) = &args.output {
        let name = path.display().to_string();
        let format = Format::from_name(&name).unwrap_or(Format::Json);
        files::write_suite(output, &suite, path, format)?;
    }
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        output.result(&describe(args, &result));
    }
    Ok(Outcome::Well)
}

fn inputs(suite: &Suite) -> Vec<Vec<Vec<Value>>> {
    let of_test = |test: &provoke_model::TestCase| {
        test.steps.iter().map(|step| step.inputs.clone()).collect()
    };
    suite.tests.iter().map(of_test).collect()
}

fn size(suite: &Suite) -> SizeResult {
    let steps = suite.tests.iter().map(|test| test.steps.len()).sum();
    SizeResult { tests: suite.tests.len(), steps }
}

fn measured(args: &ReduceArgs, subject: &Subject, tests: &[Vec<Vec<Value>>]) -> Coverage {
    let Subject { system, obligations, oracle, .. } = subject;
    let mut measurement = Measurement::new(system, obligations, args.on.masking, oracle);
    for test in tests {
        measurement.run_test(test);
    }
    measurement.coverage().clone()
}

fn covered(args: &ReduceArgs, subject: &Subject, tests: &[Vec<Vec<Value>>]) -> Vec<bool> {
    let coverage = measured(args, subject, tests);
    (0..coverage.total()).map(|obligation| coverage.is_covered(obligation)).collect()
}

fn choice(args: &ReduceArgs) -> Choice {
    let ReduceArgs { method, by, effort, repeat, .. } = *args;
    Choice { method: method.into(), by: by.into(), effort, repeat, seed: args.on.seed }
}

fn covering(args: &ReduceArgs, subject: &Subject) -> Matrix {
    let Subject { system, obligations, oracle, tests, .. } = subject;
    let rows = tests.iter().map(Vec::as_slice);
    let covers = matrix(system, obligations, args.on.masking, oracle, rows).tests;
    let row = |(covers, test): (Items, &Vec<Vec<Value>>)| Row::new(covers, test.len() as u32);
    Matrix { tests: covers.into_iter().zip(tests).map(row).collect() }
}

/// Cuts the steps at the end of tests that nothing needs, and tests of which nothing is left.
fn cut(args: &ReduceArgs, subject: &Subject, suite: &mut Suite) {
    let reaches = |test: &Vec<Vec<Value>>| {
        let coverage = measured(args, subject, std::slice::from_ref(test));
        let statuses = coverage.statuses.iter().enumerate();
        let reach = |(item, status): (usize, &provoke_criteria::Status)| {
            let steps = status.covered?.step as u32;
            Some(Reach { item: item as u32, steps })
        };
        statuses.filter_map(reach).collect()
    };
    let all: Vec<Vec<Reach>> = inputs(suite).iter().map(reaches).collect();
    for (test, steps) in suite.tests.iter_mut().zip(provoke_cover::trim(&all)) {
        test.steps.truncate(steps as usize);
    }
    suite.tests.retain(|test| !test.steps.is_empty());
}

fn describe(args: &ReduceArgs, result: &Reduce) -> String {
    let SizeResult { tests, steps } = result.before;
    let mut text = format!(
        "{}: {tests} tests, {steps} steps -> {} tests, {} steps ({})\n  {} obligations ({}) stay covered\n",
        result.model,
        result.after.tests,
        result.after.steps,
        result.method,
        result.covered,
        result.criterion
    );
    if let (Some(optimal), Some(bound)) = (result.optimal, result.lower_bound) {
        let unit = if args.by == Unit::Tests { "tests" } else { "steps" };
        text += &match optimal {
            true => format!("  optimal: no choice of these tests has fewer than {bound} {unit}\n"),
            false => {
                format!("  no choice has fewer than {bound} {unit}; --effort may close the gap\n")
            }
        };
    }
    if let (Some(least), Some(most)) = (result.sizes.first(), result.sizes.last()) {
        let mean = result.sizes.iter().sum::<usize>() as f64 / result.sizes.len() as f64;
        let runs = result.sizes.len();
        text += &format!("  {runs} runs: {least} to {most} tests, {mean:.2} on average\n");
    }
    if let Some(path) = &args.output {
        text += &format!("  written to {}\n", path.display());
    }
    text
}
