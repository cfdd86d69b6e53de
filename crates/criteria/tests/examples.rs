//! The worked examples of the papers.

mod common;

use common::{lustre, steps};
use provoke_criteria::{
    Counting, Criterion, EffectFate, Masking, Measurement, Obligation, Oracle, TagFollower,
    TagLoss, WhyNot, matrix, obligations, suggest_oracle,
};
use provoke_model::{System, Value};
use roaring::RoaringBitmap;

/// Thesis 3.2.3.
fn delay_chain() -> System {
    lustre(
        "node top(in1, in2, in3: bool) returns (out: bool);
         var v1, v2, v3, v4: bool;
         let
           v1 = false -> pre in1;
           v2 = in2 and v1;
           v3 = false -> pre v2;
           v4 = if in3 then v2 else v3;
           out = false -> pre v4;
         tel",
    )
}

/// Seed 004, figure 2.
fn split() -> System {
    lustre(
        "node top(in1, in2, in3: bool) returns (out: bool);
         var v1: bool;
         let v1 = in1 or in2; out = v1 and in3; tel",
    )
}

/// Seed 004, figure 3.
fn inlined() -> System {
    lustre(
        "node top(in1, in2, in3: bool) returns (out: bool);
         let out = (in1 or in2) and in3; tel",
    )
}

fn wanted(system: &System, criterion: &str) -> Vec<Obligation> {
    obligations(system, Criterion::named(criterion).unwrap(), Counting::Published)
}

fn uncovered(system: &System, criterion: &str, oracle: &Oracle, suite: &[&str]) -> Vec<String> {
    let wanted = wanted(system, criterion);
    let mut measurement = Measurement::new(system, &wanted, Masking::Strict, oracle);
    for test in suite {
        measurement.run_test(&steps(test));
    }
    measurement.coverage().uncovered().map(|position| wanted[position].id.clone()).collect()
}

fn fate(system: &System, id: &str, test: &str) -> EffectFate {
    let wanted = wanted(system, "omcdc");
    let obligation = wanted.iter().find(|obligation| obligation.id == id).unwrap();
    TagFollower::new(system, Masking::Strict, &Oracle::Outputs).follow_one(obligation, &steps(test))
}

fn path(system: &System, id: &str, test: &str) -> String {
    match fate(system, id, test) {
        EffectFate::Visible(path) => path.show(system),
        other => panic!("{id} is not visible: {other:?}"),
    }
}

#[test]
fn the_thesis_s_four_step_test_shows_in2_true_by_way_of_v3() {
    let system = delay_chain();
    let test = "T-- -T- --F ---";
    assert_eq!(path(&system, "v2:omcdc:1T", test), "v2@2 → v3@3 → v4@3 → out@4");
    let wanted = wanted(&system, "omcdc");
    let position = wanted.iter().position(|obligation| obligation.id == "v2:omcdc:1T").unwrap();
    let mut measurement = Measurement::new(&system, &wanted, Masking::Strict, &Oracle::Outputs);
    assert!(measurement.run_test(&steps(test)).covered.contains(&position));
    let status = measurement.coverage().statuses[position];
    assert_eq!(status.reached.unwrap().step, 2);
    assert_eq!(status.covered.unwrap().step, 4);
}

#[test]
fn so_does_a_three_step_test_through_v4_directly() {
    assert_eq!(path(&delay_chain(), "v2:omcdc:1T", "T-- -TT ---"), "v2@2 → v4@2 → out@3");
}

#[test]
fn three_steps_by_way_of_v3_are_too_few() {
    let system = delay_chain();
    let EffectFate::Waiting(delays) = fate(&system, "v2:omcdc:1T", "T-- -TF --F") else {
        panic!("the tag is on its way");
    };
    assert_eq!(delays.len(), 1);
    let wanted = wanted(&system, "omcdc");
    let mut measurement = Measurement::new(&system, &wanted, Masking::Strict, &Oracle::Outputs);
    measurement.run_test(&steps("T-- -TF --F"));
    let why = measurement.coverage().statuses[2].why_not();
    assert_eq!(wanted[2].id, "v2:omcdc:1T");
    assert!(matches!(why, Some(WhyNot::TooLate(moment)) if moment.step == 3), "{why:?}");
}

const SUITE_1: [&str; 4] = ["TFF", "FTF", "FFT", "TTT"];
const SUITE_2: [&str; 4] = ["TFT", "FTT", "FFT", "TFF"];

#[test]
fn both_suites_of_the_masking_example_satisfy_mcdc_of_the_split_form() {
    for suite in [SUITE_1, SUITE_2] {
        assert_eq!(uncovered(&split(), "mcdc", &Oracle::Outputs, &suite), Vec::<String>::new());
    }
}

#[test]
fn suite_1_leaves_the_first_line_unobserved_and_suite_2_observes_it() {
    let first_line = ["v1:omcdc:1T", "v1:omcdc:2T"];
    assert_eq!(uncovered(&split(), "omcdc", &Oracle::Outputs, &SUITE_1), first_line);
    assert!(uncovered(&split(), "omcdc", &Oracle::Outputs, &SUITE_2).is_empty());
}

#[test]
fn the_inlined_form_shows_the_same_without_observability() {
    assert_eq!(
        uncovered(&inlined(), "mcdc", &Oracle::Outputs, &SUITE_1),
        ["out:mcdc:1T", "out:mcdc:2T"]
    );
    assert!(uncovered(&inlined(), "mcdc", &Oracle::Outputs, &SUITE_2).is_empty());
}

#[test]
fn monitoring_v1_makes_suite_1_enough() {
    let system = split();
    for oracle in [Oracle::Maximum, Oracle::named(&system, ["out", "v1"]).unwrap()] {
        assert!(uncovered(&system, "omcdc", &oracle, &SUITE_1).is_empty());
    }
    assert_eq!(Oracle::named(&system, ["out", "v9"]), Err("v9".to_owned()));
}

#[test]
fn and_that_is_what_is_suggested() {
    let system = split();
    let wanted = wanted(&system, "omcdc");
    let mut measurement = Measurement::new(&system, &wanted, Masking::Strict, &Oracle::Outputs);
    let suite: Vec<Vec<Vec<Value>>> = SUITE_1.map(steps).to_vec();
    suite.iter().for_each(|test| drop(measurement.run_test(test)));
    let tests = suite.iter().map(Vec::as_slice);
    let coverage = measurement.coverage();
    let suggested = suggest_oracle(&system, &wanted, coverage, Masking::Strict, tests, 3);
    assert_eq!(suggested.len(), 1);
    assert_eq!(system.vars[suggested[0].var].name, "v1");
    let gains: Vec<&str> = suggested[0].gains.iter().map(|&o| wanted[o].id.as_str()).collect();
    assert_eq!(gains, ["v1:omcdc:1T", "v1:omcdc:2T"]);
}

#[test]
fn each_suggestion_counts_for_what_those_before_it_leave() {
    let system = lustre(
        "node top(a, b: bool) returns (out: bool);
         var x, y, z: bool;
         let
           x = a; y = x; z = b; out = false and y and z;
         tel",
    );
    let wanted = wanted(&system, "omcdc");
    let measurement = Measurement::new(&system, &wanted, Masking::Strict, &Oracle::Outputs);
    let suite = [steps("TT"), steps("FF")];
    let tests = suite.iter().map(Vec::as_slice);
    let suggested =
        suggest_oracle(&system, &wanted, measurement.coverage(), Masking::Strict, tests, 9);
    let shown: Vec<String> = suggested
        .iter()
        .map(|s| format!("{} {}", system.vars[s.var].name, s.gains.len()))
        .collect();
    assert_eq!(shown, ["y 4", "z 2"]);
}

#[test]
fn a_masked_tag_is_reported_with_the_place_where_it_ended() {
    let system = split();
    let EffectFate::Masked { step: 1, losses } = fate(&system, "v1:omcdc:1T", "TFF") else {
        panic!("in3 is false");
    };
    let [TagLoss::Masked { operator, operand }] = losses[..] else {
        panic!("one place: {losses:?}");
    };
    let text = |expr| provoke_criteria::text::of_expr(&system, expr, 80);
    assert_eq!((text(operator).as_str(), text(operand).as_str()), ("v1 and in3", "v1"));
}

#[test]
fn a_variable_that_nothing_uses_is_where_a_tag_ends() {
    let system =
        lustre("node top(a: bool) returns (out: bool); var x: bool; let x = not a; out = a; tel");
    let x = system.var_named("x").unwrap();
    let expected = EffectFate::Masked { step: 1, losses: vec![TagLoss::Unused(x)] };
    assert_eq!(fate(&system, "x:omcdc:1T", "T"), expected);
    assert_eq!(fate(&system, "x:omcdc:1T", "F"), EffectFate::NeverReached);
}

#[test]
fn a_matrix_says_for_each_test_all_that_it_covers() {
    let system = split();
    let wanted = wanted(&system, "omcdc");
    let suite = ["TFT", "TFT FTT"].map(steps);
    let tests = suite.iter().map(Vec::as_slice);
    let rows = matrix(&system, &wanted, Masking::Strict, &Oracle::Outputs, tests).tests;
    let ids = |row: &RoaringBitmap| {
        row.iter().map(|at| wanted[at as usize].id.clone()).collect::<Vec<_>>()
    };
    let first = ["v1:omcdc:1T", "out:omcdc:1T", "out:omcdc:2T"];
    assert_eq!(ids(&rows[0]), first);
    assert_eq!(ids(&rows[1]), ["v1:omcdc:1T", "v1:omcdc:2T", "out:omcdc:1T", "out:omcdc:2T"]);
}

#[test]
fn each_criterion_tags_what_its_row_of_the_table_names() {
    // in1 is masked in the decision, the decision is not; the equation is always observed.
    let system = lustre(
        "node top(in1, in2: bool) returns (out: int);
         let out = if in1 and in2 then 1 else 2; tel",
    );
    let left = |criterion| uncovered(&system, criterion, &Oracle::Outputs, &["TF"]);
    assert_eq!(left("odecision"), ["out:odecision:1T"]);
    assert_eq!(left("obranch"), ["out:obranch:1T"]);
    assert_eq!(left("ocondition"), ["out:ocondition:1F", "out:ocondition:2T"]);
    assert_eq!(left("omcdc"), ["out:omcdc:1T", "out:omcdc:1F", "out:omcdc:2T"]);
}

#[test]
fn an_empty_suite_and_an_empty_test_cover_nothing() {
    let system = split();
    assert_eq!(uncovered(&system, "mcdc", &Oracle::Outputs, &[]).len(), 8);
    assert_eq!(uncovered(&system, "mcdc", &Oracle::Outputs, &[""]).len(), 8);
}

#[test]
fn a_test_ends_where_a_computation_has_no_value() {
    let system = lustre(
        "node top(a: bool) returns (out: bool); var n: int;
         let n = 1 div (if a then 1 else 0); out = a and n = 1; tel",
    );
    let wanted = wanted(&system, "condition");
    let mut measurement = Measurement::new(&system, &wanted, Masking::Strict, &Oracle::Outputs);
    let run = measurement.run_test(&steps("T F T"));
    assert_eq!((run.steps, run.error.map(|error| error.step)), (1, Some(2)));
    assert_eq!(measurement.coverage().covered(), 3);
}

#[test]
fn of_several_ways_the_shortest_that_starts_last_is_shown() {
    let system = lustre(
        "node top(a, show: bool) returns (out: bool);
         var kept, more: bool;
         let
           kept = a xor (false -> pre kept);
           more = not kept;
           out = if show then (if a then kept else not more) else false;
         tel",
    );
    // The tag of `a` at step 1 is still going round when step 3 exercises `a` again.
    assert_eq!(path(&system, "kept:omcdc:1T", "TF FF TT"), "kept@3 → out@3");
    assert_eq!(
        path(&system, "kept:omcdc:1T", "TF FF FF FT"),
        "kept@1 → kept@2 → kept@3 → kept@4 → more@4 → out@4"
    );
}

#[test]
fn a_way_through_thousands_of_steps_is_found() {
    let system = lustre(
        "node top(a, show: bool) returns (out: bool);
         var kept: bool;
         let kept = a -> pre kept; out = show and kept; tel",
    );
    let test = format!("TF {}TT", "FF ".repeat(5000));
    let shown = path(&system, "kept:omcdc:1T", &test);
    assert!(shown.starts_with("kept@1 → kept@2 →") && shown.ends_with("kept@5002 → out@5002"));
}
