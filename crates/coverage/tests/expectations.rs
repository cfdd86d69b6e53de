//! What tests expect, against what the model computes.

use provoke_base::SourceFile;
use provoke_coverage::{check_expectations, complete_expectations, tests};
use provoke_criteria::Oracle;
use provoke_files::Model;
use provoke_model::{Step, Suite, TestCase, Value};
use provoke_results::ExpectationsResult;

const COUNTER: &str =
    "node counter(up: bool; limit: int) returns (count: int; full: bool; last: int);
let
  count = 0 -> if up then pre count + 1 else pre count;
  full = count >= limit;
  last = pre count;
  assert limit > 0;
tel";

fn model(text: &str) -> Model {
    Model::read(&SourceFile::new("m.lus", text), None, &[]).expect("a correct model")
}

fn suite(model: &Model, csv: &str) -> Suite {
    tests::read("t.csv", csv.as_bytes(), None, &model.system).expect("a suite").suite
}

/// What is counted, and each difference as a line.
fn compared(text: &str, csv: &str) -> ((usize, usize, usize), Vec<String>) {
    let model = model(text);
    let found = check_expectations(&suite(&model, csv), &model.system);
    let ExpectationsResult { compared, undefined, outside } = found.totals;
    let told = |one: &provoke_results::ExpectationDifference| {
        let (test, step, variable) = (&one.test, one.step, &one.variable);
        format!("{test} {step} {variable} {} {}", one.expected, one.computed)
    };
    ((compared, undefined, outside), found.differences.iter().map(told).collect())
}

#[test]
fn every_wrong_value_is_told_with_test_step_and_variable() {
    let csv = "test,up,limit,count,full\na,true,2,0,false\na,true,2,2,true\nb,true,1,1,true\n";
    let wrong = ["a 2 count 2 1", "a 2 full true false", "b 1 count 1 0", "b 1 full true false"];
    assert_eq!(compared(COUNTER, csv), ((6, 0, 0), wrong.map(String::from).to_vec()));
}

#[test]
fn what_is_left_open_is_not_compared() {
    let csv = "up,limit,count,full\ntrue,2,,\ntrue,2,1,\n,2,,false\n";
    // In the last step an input is open, so the model does not know the count.
    assert_eq!(compared(COUNTER, csv), ((1, 1, 0), vec![]));
}

#[test]
fn any_value_is_right_where_the_model_has_none() {
    assert_eq!(compared(COUNTER, "up,limit,last\ntrue,2,77\ntrue,2,0\n"), ((1, 1, 0), vec![]));
}

#[test]
fn nothing_is_compared_from_the_step_on_that_leaves_the_assumptions() {
    let csv = "up,limit,count\ntrue,2,0\ntrue,0,50\ntrue,2,60\n";
    assert_eq!(compared(COUNTER, csv), ((1, 0, 2), vec![]));
    let ranged = "node n(x: subrange [0, 3] of int) returns (y: int); let y = x + 1; tel";
    assert_eq!(compared(ranged, "x,y\n3,4\n4,9\n1,9\n"), ((1, 0, 2), vec![]));
}

#[test]
fn a_step_without_values_contradicts_what_is_expected_there() {
    let divides = "node n(x, y: int) returns (z: int); let z = x div y; tel";
    let told = vec!["t 2 z 7 no value (division by zero)".to_string()];
    assert_eq!(compared(divides, "x,y,z\n4,2,2\n4,0,7\n4,2,9\n"), ((1, 0, 2), told));
    let guarded = "node n(x, y: int) returns (z: int); let z = x div y; assert y <> 0; tel";
    assert_eq!(compared(guarded, "x,y,z\n4,2,2\n4,0,7\n"), ((1, 0, 1), vec![]));
}

#[test]
fn only_what_is_missing_is_computed() {
    let model = model(COUNTER);
    let given = suite(&model, "up,limit,full,last\ntrue,2,true,\ntrue,2,,8\n");
    let mut all = given.clone();
    all.outputs.clear();
    let row = |inputs: &[Value]| Step { inputs: inputs.to_vec(), outputs: Vec::new() };
    all.tests[0].steps.iter_mut().for_each(|step| step.outputs.clear());
    let new = vec![row(&[true.into(), 1.into()])];
    all.tests.push(TestCase { name: "new".into(), steps: new, ..TestCase::default() });
    let count = model.system.var_named("count").expect("a variable");
    let full = model.system.var_named("full").expect("a variable");
    let oracle = Oracle::Chosen(vec![count, full]);
    complete_expectations(&mut all, &given, &model.system, &oracle).expect("outputs");
    let names: Vec<&str> = all.outputs.iter().map(|output| output.name.as_str()).collect();
    assert_eq!(names, ["count", "full", "last"]);
    let outputs = |test: usize, step: usize| all.tests[test].steps[step].outputs.clone();
    // `full` stays wrong, `count` is computed, and of `last`, which is not monitored, only what was said stays.
    assert_eq!(outputs(0, 0), [0.into(), true.into(), Value::Unknown]);
    assert_eq!(outputs(0, 1), [1.into(), false.into(), 8.into()]);
    assert_eq!(outputs(1, 0), [0.into(), false.into(), Value::Unknown]);
}
