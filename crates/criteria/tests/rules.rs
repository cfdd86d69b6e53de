//! The table of masking rules, row by row, and the readings of it.

mod common;

use common::{lustre, steps};
use provoke_criteria::{
    Counting, Criterion, ExactChange, ExactMeasurement, Masking, Measurement, Oracle, obligations,
};
use provoke_model::Value;

/// Which of the conditions `in1`, `in2`, `in3` of `out = EXPR` are observed in one step, as
/// letters at their places.
fn observed_in(body: &str, masking: Masking, test: &str) -> String {
    let system = lustre(&format!(
        "node top(in1, in2, in3: bool) returns (out: bool); let out = {body}; tel"
    ));
    let wanted = obligations(&system, Criterion::named("omcdc").unwrap(), Counting::Precise);
    let mut measurement = Measurement::new(&system, &wanted, masking, &Oracle::Outputs);
    let covered = measurement.run_test(&steps(test)).covered;
    let seen = |name: &str| covered.iter().any(|&position| wanted[position].text == name);
    [("in1", '1'), ("in2", '2'), ("in3", '3')]
        .map(|(name, letter)| if seen(name) { letter } else { '.' })
        .iter()
        .collect()
}

/// Checks a row under the strict reading: inputs, then who is observed.
#[track_caller]
fn check(body: &str, rows: &[(&str, &str)]) {
    for (test, expected) in rows {
        assert_eq!(observed_in(body, Masking::Strict, test), *expected, "{body} with {test}");
    }
}

#[test]
fn an_operand_of_and_is_unmasked_when_the_other_is_true() {
    check("in1 and in2", &[("TTF", "12."), ("TFF", ".2."), ("FTF", "1.."), ("FFF", "...")]);
}

#[test]
fn an_operand_of_or_is_unmasked_when_the_other_is_false() {
    check("in1 or in2", &[("TTF", "..."), ("TFF", "1.."), ("FTF", ".2."), ("FFF", "12.")]);
}

#[test]
fn an_implication_shows_its_premise_when_the_conclusion_is_false_and_its_conclusion_when_the_premise_is_true()
 {
    check("in1 => in2", &[("TTF", ".2."), ("TFF", "12."), ("FTF", "..."), ("FFF", "1..")]);
}

#[test]
fn operands_of_xor_equality_and_inequality_are_never_masked() {
    for body in ["in1 xor in2", "in1 = in2", "in1 <> in2"] {
        check(body, &[("TTF", "12."), ("TFF", "12."), ("FTF", "12."), ("FFF", "12.")]);
    }
}

#[test]
fn negation_masks_nothing() {
    check("not in1", &[("TFF", "1.."), ("FFF", "1..")]);
}

#[test]
fn relations_arithmetic_and_casts_mask_nothing() {
    let relation = "(if in1 then 1 else 2) < (if in2 then 3 else 4)";
    check(relation, &[("TTF", "12."), ("FFF", "12.")]);
    let arithmetic = "-(if in1 then 1 else 2) * (if in2 then 0 else 4) > 0";
    check(arithmetic, &[("TTF", "12."), ("FFF", "12.")]);
    let cast = "floor(real(if in1 then 1 else 2)) > 0";
    check(cast, &[("TFF", "1..")]);
}

#[test]
fn an_if_condition_is_unmasked_when_the_branches_differ() {
    check("if in1 then in2 else in3", &[("TTT", ".2."), ("TTF", "12."), ("FFT", "1.3")]);
}

#[test]
fn a_branch_of_an_if_is_unmasked_when_it_is_chosen() {
    check("if in1 then in2 else in3", &[("TFF", ".2."), ("FFF", "..3")]);
}

#[test]
fn an_arrow_shows_its_left_side_at_the_first_step_and_its_right_side_later() {
    check("in1 -> in2", &[("TTF", "1.."), ("FFF", "1..")]);
    check("in1 -> in2", &[("TFF FTF", "12.")]);
}

#[test]
fn a_delay_shows_its_operand_one_step_later() {
    check("false -> pre in1", &[("TFF", "..."), ("TFF FFF", "1..")]);
    check("false -> pre (false -> pre in1)", &[("TFF FFF", "..."), ("TFF FFF FFF", "1..")]);
}

#[test]
fn the_original_reading_never_masks_an_if_condition() {
    let body = "if in1 then in2 else in3";
    assert_eq!(observed_in(body, Masking::Original, "TTT"), "12.");
    assert_eq!(observed_in(body, Masking::Original, "FFF"), "1.3");
    assert_eq!(observed_in("in1 and in2", Masking::Original, "FFF"), "...");
}

#[test]
fn the_short_circuit_reading_keeps_the_tags_of_a_left_operand_that_decides() {
    let rows = [
        ("in1 and in2", [("TTF", "12."), ("TFF", ".2."), ("FTF", "1.."), ("FFF", "1..")]),
        ("in1 or in2", [("TTF", "1.."), ("TFF", "1.."), ("FTF", ".2."), ("FFF", "12.")]),
        ("in1 => in2", [("TTF", ".2."), ("TFF", "12."), ("FTF", "1.."), ("FFF", "1..")]),
    ];
    for (body, tests) in rows {
        for (test, expected) in tests {
            let found = observed_in(body, Masking::ShortCircuit, test);
            assert_eq!(found, expected, "{body} with {test}");
        }
    }
    let body = "if in1 then in2 else in3";
    assert_eq!(observed_in(body, Masking::ShortCircuit, "TTT"), ".2.");
}

#[test]
fn what_is_not_certain_is_masked() {
    check("in1 and in2", &[("T-F", "..."), ("F-F", "..."), ("-TF", "...")]);
    check("if in1 then in2 else in3", &[("TT-", ".2."), ("-TF", "...")]);
    // A branch that has no value differs from nothing.
    check("if in1 then 1 div (if in2 then 0 else 1) = 1 else in3", &[("FTT", "..3")]);
}

#[test]
fn mcdc_asks_for_independence_inside_the_decision_only() {
    let system = lustre(
        "node top(in1, in2, in3: bool) returns (out: bool);
         let out = (if in1 and in2 then in3 else false) and in1; tel",
    );
    let wanted = obligations(&system, Criterion::named("mcdc").unwrap(), Counting::Precise);
    let mut measurement = Measurement::new(&system, &wanted, Masking::Strict, &Oracle::Outputs);
    measurement.run_test(&steps("FTF"));
    let covered = measurement.coverage();
    let covered: Vec<&str> = (0..wanted.len())
        .filter(|&position| covered.is_covered(position))
        .map(|position| wanted[position].id.as_str())
        .collect();
    // The first in1 and in3 decide alone; in2 and the last in1 are masked by a false in1.
    assert_eq!(covered, ["out:mcdc:1F", "out:mcdc:3F"]);
}

#[test]
fn words_name_the_readings() {
    for masking in Masking::ALL {
        assert_eq!(Masking::named(masking.word()), Some(masking));
    }
}

#[test]
fn what_a_test_does_outside_the_assumptions_counts_for_nothing() {
    let text = "node n(x: int; s: subrange [0, 2] of int) returns (y, z: bool);
        let assert x < 6; y = x > 3; z = s > 1; tel";
    let system = lustre(text);
    let row = |x: i64, s: i64| -> Vec<Value> { vec![x.into(), s.into()] };
    let all = obligations(&system, Criterion::named("decision").unwrap(), Counting::Precise);
    let ids = |steps: &[Vec<Value>]| -> Vec<String> {
        let mut tags = Measurement::new(&system, &all, Masking::Strict, &Oracle::Outputs);
        let mut exact = ExactMeasurement::new(
            &system,
            &all,
            ExactChange::Step,
            Masking::Strict,
            &Oracle::Outputs,
        );
        let covered = tags.run_test(steps).covered;
        assert_eq!(covered.len(), exact.run_test(steps).covered.len(), "{steps:?}");
        let mut ids: Vec<String> = covered.iter().map(|at| all[*at].id.to_string()).collect();
        ids.sort_unstable();
        ids
    };
    assert_eq!(ids(&[row(7, 0), row(5, 2)]), Vec::<String>::new());
    assert_eq!(ids(&[row(5, 0), row(6, 2), row(1, 2)]), ["y:decision:1T", "z:decision:1F"]);
    assert_eq!(ids(&[row(5, 0), row(1, 3)]), ["y:decision:1T", "z:decision:1F"]);
}

#[test]
fn nothing_counts_once_an_undefined_value_may_have_divided_by_zero() {
    let covered = |body: &str| {
        let system = lustre(&format!(
            "node n(x: int) returns (y: int; z: bool); let z = x > 0; y = {body}; tel"
        ));
        let all = obligations(&system, Criterion::named("decision").unwrap(), Counting::Precise);
        let mut measurement = Measurement::new(&system, &all, Masking::Strict, &Oracle::Outputs);
        let steps: Vec<Vec<Value>> = vec![vec![1.into()], vec![0.into()]];
        let covered = measurement.run_test(&steps).covered;
        covered.iter().filter(|at| all[**at].id.starts_with("z:")).count()
    };
    assert_eq!(covered("0 -> 10 div pre (x + 1)"), 2);
    assert_eq!(covered("if true or pre x = 0 then 1 else 10 div pre x"), 2);
    assert_eq!(covered("10 div pre (x + 1)"), 0);
    assert_eq!(covered("if pre x = 0 then 1 else 10 div pre x"), 0);
    assert_eq!(covered("if pre x = 0 then 1 else 10 div (x - 1)"), 0);
    // In the second step, too, what the first has remembered is not known.
    assert_eq!(covered("1 -> 10 div pre (1 + pre x)"), 1);
}
