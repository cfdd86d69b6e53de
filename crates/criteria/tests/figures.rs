//! The equations printed in seed 004, figures 5, 7 and 9, and in the thesis, 3.2.1.
//!
//! Compared word by word. Where a figure's parentheses do not match (one line of figure 5,
//! the end of figure 9), the text here is the figure with the missing one put in.

mod common;

use common::lustre;
use expect_test::{Expect, expect};
use provoke_criteria::equations::TrackingEquation;
use provoke_criteria::{Masking, Oracle, TrackingEquations};
use provoke_model::System;

fn shown(system: &System, lines: impl IntoIterator<Item = TrackingEquation>) -> String {
    lines.into_iter().map(|line| line.show(system) + "\n").collect()
}

fn check(system: &System, lines: impl IntoIterator<Item = TrackingEquation>, expected: Expect) {
    expected.assert_eq(&shown(system, lines));
}

#[test]
fn figure_5_immediate_non_masking_paths() {
    let system = lustre(
        "node top(in1, in2, in3: bool) returns (out: bool);
         var v1, v2, v3: bool;
         let
           v1 = in1 and in2;
           v2 = if (in3) then v3 else v1;
           v3 = not in2;
           out = v1 or v2;
         tel",
    );
    let tracking = TrackingEquations::new(&system, Masking::Original, &Oracle::Outputs);
    let lines = tracking.used_by().into_iter().chain(tracking.observed());
    check(
        &system,
        lines,
        expect![[r#"
            in1_COMB_USED_BY_v1 = in2;
            in2_COMB_USED_BY_v1 = in1;
            in3_COMB_USED_BY_v2 = true;
            v3_COMB_USED_BY_v2 = in3;
            v1_COMB_USED_BY_v2 = (not in3);
            in2_COMB_USED_BY_v3 = true;
            v1_COMB_USED_BY_out = (not v2);
            v2_COMB_USED_BY_out = (not v1);
            out_COMB_OBSERVED = true;
            in1_COMB_OBSERVED = (in1_COMB_USED_BY_v1 and v1_COMB_OBSERVED);
            in2_COMB_OBSERVED = ((in2_COMB_USED_BY_v1 and v1_COMB_OBSERVED) or (in2_COMB_USED_BY_v3 and v3_COMB_OBSERVED));
            in3_COMB_OBSERVED = (in3_COMB_USED_BY_v2 and v2_COMB_OBSERVED);
            v3_COMB_OBSERVED = (v3_COMB_USED_BY_v2 and v2_COMB_OBSERVED);
            v1_COMB_OBSERVED = ((v1_COMB_USED_BY_v2 and v2_COMB_OBSERVED) or (v1_COMB_USED_BY_out and out_COMB_OBSERVED));
            v2_COMB_OBSERVED = (v2_COMB_USED_BY_out and out_COMB_OBSERVED);
        "#]],
    );
}

#[test]
fn figure_7_delayed_non_masking_paths() {
    let system = lustre(
        "node top(in1: int; in2: bool) returns (delay2: bool);
         var delay1: int; v1: bool;
         let
           delay1 = (0 -> pre(in1));
           v1 = (if (delay1 > 0) then true else in2);
           delay2 = (false -> pre(v1));
         tel",
    );
    let tracking = TrackingEquations::new(&system, Masking::Original, &Oracle::Outputs);
    let lines = tracking.used_by().into_iter().chain(tracking.used_by_delay());
    check(
        &system,
        lines,
        expect![[r#"
            delay1_COMB_USED_BY_v1 = true;
            in2_COMB_USED_BY_v1 = (not (delay1 > 0));
            in1_SEQ_USED_BY_delay1 = true;
            v1_SEQ_USED_BY_delay2 = true;
            delay1_SEQ_USED_BY_delay2 = (delay1_COMB_USED_BY_v1 and v1_SEQ_USED_BY_delay2);
            in2_SEQ_USED_BY_delay2 = (in2_COMB_USED_BY_v1 and v1_SEQ_USED_BY_delay2);
        "#]],
    );
}

/// The code of figure 8 is lost in our copy of the paper; this is the smallest code whose
/// delays feed each other as figure 9 says: v1 into v2, v3 into itself, v2 into v1.
fn figure_8() -> System {
    lustre(
        "node top(in1: bool) returns (out: bool);
         var v1, v2, v3: bool;
         let
           v1 = false -> pre v2;
           v3 = false -> pre v3;
           v2 = false -> pre v1;
           out = v1 and v2 and v3 and in1;
         tel",
    )
}

#[test]
fn figure_9_token_equations() {
    let tracking = TrackingEquations::new(&figure_8(), Masking::Original, &Oracle::Outputs);
    let figure = "token_next = (if ((pre token) =
          TOKEN_INIT_STATE) then token_first
          else (if ((pre token) =
              TOKEN_ERROR_STATE) then
              TOKEN_ERROR_STATE
          else (if ((pre token) =
              TOKEN_OUTPUT_STATE) then
              TOKEN_OUTPUT_STATE
          else (if ((pre token) = TOKEN_D1) then
            (if v1_COMB_OBSERVED then
                TOKEN_OUTPUT_STATE
            else (if ((token_nondet = TOKEN_D3)
                and v1_SEQ_USED_BY_v2)
            then TOKEN_D3 else TOKEN_ERROR_STATE))
          else (if ((pre token) = TOKEN_D2) then
            (if v3_COMB_OBSERVED then
                TOKEN_OUTPUT_STATE
            else (if ((token_nondet = TOKEN_D2)
                and v3_SEQ_USED_BY_v3)
            then TOKEN_D2 else TOKEN_ERROR_STATE))
          else (if ((pre token) = TOKEN_D3) then
            (if v2_COMB_OBSERVED then
                TOKEN_OUTPUT_STATE
            else (if ((token_nondet = TOKEN_D1)
                and v2_SEQ_USED_BY_v1)
            then TOKEN_D1 else TOKEN_ERROR_STATE))
          else TOKEN_ERROR_STATE))))));";
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(&tracking.token()), words(figure));
}

#[test]
fn the_thesis_s_affect_relations_are_the_strict_reading() {
    let system = lustre(
        "node top(in1, in2, in3: bool) returns (out: bool);
         var v1, v2, v3, v4: bool;
         let
           v1 = (false -> (pre in1));
           v2 = (in2 and v1);
           v3 = (false -> (pre v2));
           v4 = (if in3 then v2 else v3);
           out = (false -> (pre v4));
         tel",
    );
    let tracking = TrackingEquations::new(&system, Masking::Strict, &Oracle::Outputs);
    let lines = tracking.used_by().into_iter().chain(tracking.used_by_delay());
    check(
        &system,
        lines,
        expect![[r#"
            in2_COMB_USED_BY_v2 = v1;
            v1_COMB_USED_BY_v2 = in2;
            in3_COMB_USED_BY_v4 = (v2 <> v3);
            v2_COMB_USED_BY_v4 = in3;
            v3_COMB_USED_BY_v4 = (not in3);
            in1_SEQ_USED_BY_v1 = true;
            v2_SEQ_USED_BY_v3 = true;
            v4_SEQ_USED_BY_out = true;
            in2_SEQ_USED_BY_v3 = (in2_COMB_USED_BY_v2 and v2_SEQ_USED_BY_v3);
            v1_SEQ_USED_BY_v3 = (v1_COMB_USED_BY_v2 and v2_SEQ_USED_BY_v3);
            in3_SEQ_USED_BY_out = (in3_COMB_USED_BY_v4 and v4_SEQ_USED_BY_out);
            v2_SEQ_USED_BY_out = (v2_COMB_USED_BY_v4 and v4_SEQ_USED_BY_out);
            v3_SEQ_USED_BY_out = (v3_COMB_USED_BY_v4 and v4_SEQ_USED_BY_out);
            in2_SEQ_USED_BY_out = (in2_COMB_USED_BY_v2 and v2_SEQ_USED_BY_out);
            v1_SEQ_USED_BY_out = (v1_COMB_USED_BY_v2 and v2_SEQ_USED_BY_out);
        "#]],
    );
}

#[test]
fn a_delay_inside_an_equation_is_a_place_of_its_own() {
    let system = lustre(
        "node top(a, b: bool) returns (out: bool);
         let out = a and (false -> pre b) and (true -> pre (a or b)); tel",
    );
    let tracking = TrackingEquations::new(&system, Masking::ShortCircuit, &Oracle::Outputs);
    let lines = tracking.used_by().into_iter().chain(tracking.used_by_delay());
    check(
        &system,
        lines,
        expect![[r#"
            a_COMB_USED_BY_out = (((not a) or (false -> (pre b))) and ((not (a and (false -> (pre b)))) or (true -> (pre (a or b)))));
            pre_b_IN_out_COMB_USED_BY_out = ((false -> true) and (a and ((not (a and (false -> (pre b)))) or (true -> (pre (a or b))))));
            pre_1_IN_out_COMB_USED_BY_out = ((false -> true) and (a and (false -> (pre b))));
            b_SEQ_USED_BY_pre_b_IN_out = true;
            a_SEQ_USED_BY_pre_1_IN_out = (a or (not b));
            b_SEQ_USED_BY_pre_1_IN_out = (not a);
        "#]],
    );
}
