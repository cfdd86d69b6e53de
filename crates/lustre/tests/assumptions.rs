//! Assumptions that are given beside a file.

use expect_test::{Expect, expect};
use provoke_base::SourceFile;
use provoke_lustre::{load, load_assuming};

const TANK: &str = "type Valve = enum { OPEN, SHUT };
node tank(level: int; valve: Valve) returns (alarm: bool);
var low: bool;
let
  low = level < 10;
  alarm = low and valve = SHUT;
tel
";

fn wrong(assumption: &str, expected: &Expect) {
    let file = SourceFile::new("tank.lus", TANK);
    let assumed = load_assuming(&file, None, &["level > 0".to_string(), assumption.to_string()]);
    assert!(assumed.system.is_none(), "{assumption} was accepted");
    assert!(assumed.diagnostics.is_empty() && assumed.about_assumptions[0].is_empty());
    let text = SourceFile::new("--assume", assumption);
    let each = assumed.about_assumptions[1].iter().map(|found| found.render(&text, false));
    expected.assert_eq(&each.collect::<String>());
}

#[test]
fn an_assumption_is_an_assertion_of_the_main_node() {
    let assumption = "0 <= level and (low => valve = SHUT)";
    let file = SourceFile::new("tank.lus", TANK);
    let beside = load_assuming(&file, None, &[assumption.to_string()]).system.unwrap();
    let asserted = TANK.replace("tel", &format!("  assert {assumption};\ntel"));
    let inside = load(&SourceFile::new("tank.lus", asserted), None).system.unwrap();
    assert_eq!(beside.assumptions.len(), 1);
    let kinds = |system: &provoke_model::System| -> Vec<_> {
        system.exprs.iter().map(|expr| (expr.kind.clone(), expr.ty)).collect()
    };
    assert_eq!(kinds(&beside), kinds(&inside));
    assert_eq!(beside.assumptions[0].expr, inside.assumptions[0].expr);
}

#[test]
fn a_place_in_the_system_is_a_place_in_the_returned_text() {
    let file = SourceFile::new("tank.lus", TANK);
    let assumed = load_assuming(&file, None, &["level > 0".into(), "level < 99".into()]);
    let system = assumed.system.unwrap();
    let texts: Vec<_> = system.assumptions.iter().map(|a| assumed.file.slice(a.span)).collect();
    assert_eq!(texts, ["level > 0", "level < 99"]);
}

#[test]
fn mistakes_are_shown_in_the_assumption() {
    wrong(
        "lvel < 3",
        &expect![[r#"
        error[unknown-name]: unknown name `lvel`
         --> --assume:1:1
          |
        1 | lvel < 3
          | ^^^^ not declared in this node
          |
          = help: did you mean `level`?
    "#]],
    );
    wrong(
        "level + 1",
        &expect![[r#"
        error[type-mismatch]: an assertion must be `bool`, found `int`
         --> --assume:1:1
          |
        1 | level + 1
          | ^^^^^^^^^ this is `int`
    "#]],
    );
    wrong(
        "level <",
        &expect![[r#"
            error[syntax]: expected an expression, found the end
             --> --assume:1:8
              |
            1 | level <
              |        ^ expected an expression
        "#]],
    );
    wrong(
        "level < 3; true",
        &expect![[r#"
        error[syntax]: expected an operator or the end of the expression, found `;`
         --> --assume:1:10
          |
        1 | level < 3; true
          |          ^ expected an operator or the end of the expression
    "#]],
    );
    wrong(
        "",
        &expect![[r#"
            error[syntax]: expected an expression, found the end
             --> --assume:1:1
              |
            1 |
              | ^ expected an expression
        "#]],
    );
    wrong(
        "level < true",
        &expect![[r#"
        error[type-mismatch]: `<` needs two ints or two reals, found `int` and `bool`
         --> --assume:1:1
          |
        1 | level < true
          | -----^^^----
          | |       |
          | |       this is `bool`
          | this is `int`
    "#]],
    );
}

#[test]
fn a_broken_model_is_explained_as_ever() {
    let file = SourceFile::new("tank.lus", TANK.replace("level < 10", "lvel < 10"));
    let assumed = load_assuming(&file, None, &["level > 0".to_string()]);
    assert_eq!(assumed.diagnostics, load(&file, None).diagnostics);
}
