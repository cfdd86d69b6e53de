//! Design errors: which there are, when each occurs, and what a run shows of them.

use expect_test::{Expect, expect};
use provoke_base::SourceFile;
use provoke_criteria::design::{ArraySizes, DesignReplay, NumberLimits, design_errors, watch};
use provoke_criteria::text::of_expr;
use provoke_model::{RealWidth, System, Value};

const SMALL: NumberLimits = NumberLimits { int_bits: 8, real: RealWidth::Double };

fn read(text: &str) -> (System, ArraySizes) {
    let file = SourceFile::new("main.lus", text);
    let sizes = provoke_lustre::array_accesses(&file);
    let system = provoke_lustre::load(&file, None).system.expect("a correct model");
    (system, sizes.into_iter().map(|access| (access.span, access.size)).collect())
}

/// The design errors of a model, each with the condition under which it occurs.
fn check(text: &str, expected: Expect) {
    let (system, sizes) = read(text);
    let errors = design_errors(&system, &SMALL, &sizes);
    let watched = watch(&system, &errors, &SMALL, &sizes).system;
    let mut lines = String::new();
    for (position, error) in errors.iter().enumerate() {
        let var = watched.var_named(&format!("error#{}", position + 1)).expect("a variable");
        let equation = watched.equations.iter().find(|equation| equation.var == var);
        let when = of_expr(&watched, equation.expect("an equation").expr, 400);
        lines += &format!("{}\n  {when}\n", error.id);
    }
    expected.assert_eq(&lines);
}

#[test]
fn an_operation_goes_wrong_where_it_is_computed() {
    check(
        "node main(a, d: int) returns (x: int);
let
  x = if d > 0 then a div d else 7;
tel
",
        expect![[r#"
            div0:a div d
              (d > 0) and (d = 0)
            overflow:a div d
              ((d > 0) and (not (d = 0))) and ((a = -128) and (d = -1))
        "#]],
    );
}

#[test]
fn what_is_computed_from_a_wrong_value_is_no_error_of_its_own() {
    check(
        "node main(a: int) returns (x: int);
var y: int;
let
  y = a + 1;
  x = y + 2;
tel
",
        expect![[r#"
            overflow:a + 1
              ((a + 1) < -128) or ((a + 1) > 127)
            overflow:y + 2
              (not y?) and (((y + 2) < -128) or ((y + 2) > 127))
        "#]],
    );
}

#[test]
fn one_access_to_an_array_is_one_obligation() {
    check(
        "node main(i: int) returns (x: int);
var t: int^3;
let
  t = [4, 5, 6];
  x = t[i];
tel
",
        expect![[r#"
            index:i
              ((i < 0) or (i > 2)) or (((not ((i < 0) or (i > 2))) and (not (i = 0))) and ((i < 0) or (i > 2)))
        "#]],
    );
}

#[test]
fn numbers_with_a_sign_are_one_number_and_assertions_only_divide() {
    check(
        "node main(a: int) returns (x: int);
let
  assert a + 1 > 0;
  assert 10 div a > 0;
  x = if a > 3 then -128 else 200;
tel
",
        expect![[r#"
            overflow:200
              (not (a > 3)) and ((200 < -128) or (200 > 127))
            div0:10 div a
              a = 0
        "#]],
    );
}

#[test]
fn a_replay_names_the_step_and_ends_with_the_first_error() {
    let (system, sizes) = read(
        "node main(a: int) returns (n: int);
let
  n = a -> pre n + a;
tel
",
    );
    let errors = design_errors(&system, &SMALL, &sizes);
    let mut replay = DesignReplay::new(&system, &errors, &SMALL, &sizes);
    let run = |values: &[i64]| -> Vec<Vec<Value>> {
        values.iter().map(|value| vec![Value::from(*value)]).collect()
    };
    assert_eq!(errors[0].id, "overflow:(pre n) + a");
    assert_eq!(replay.run(&run(&[100, 27, 1, 1])), [(3, 0)]);
    assert_eq!(replay.run(&run(&[100, 27, -1])), []);
    assert_eq!(replay.run(&run(&[100, 128])), [], "128 is no input of 8 bits");
}
