//! The examples do what they say.

use std::path::PathBuf;
use std::process::Command;

use expect_test::{Expect, expect};
use provoke_testkit::repository;

/// What an example prints; cargo builds it before the tests.
fn output(name: &str, arguments: &[&str]) -> String {
    let tests = std::env::current_exe().expect("this program");
    let folder: PathBuf = tests.parent().and_then(|deps| deps.parent()).expect("a folder").into();
    let ran = Command::new(folder.join("examples").join(name))
        .args(arguments)
        .current_dir(repository())
        .output()
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(ran.status.success(), "{name}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).expect("text")
}

/// The first lines are as expected.
fn begins(text: &str, lines: usize, expected: &Expect) {
    let first: String = text.lines().take(lines).map(|line| format!("{line}\n")).collect();
    expected.assert_eq(&first);
}

/// Those that ask a solver need one.
fn solver_is_there() -> bool {
    let found = provoke_solve::z3::find();
    found.map_err(|missing| provoke_testkit::skip(&missing.to_string())).is_ok()
}

#[test]
fn reduce_keeps_what_is_covered() {
    begins(
        &output("reduce", &["models/elevator.lus"]),
        3,
        &expect![[r#"
            175 obligations are covered before and after
            12 tests, 282 steps before
            6 tests, 160 steps after
        "#]],
    );
}

#[test]
fn generate_and_measure_agree() {
    if !solver_is_there() {
        return;
    }
    let generated = output("generate", &["models/wiper.lus"]);
    begins(
        &generated,
        3,
        &expect![[r#"
            81 of 108 obligations are covered, 0 cannot be, 0 are unknown
            test,lever,knob,wash,parked,motor,pump,stalled
            t1,3,1,false,false,2,false,false
        "#]],
    );
    let suite = std::env::temp_dir().join(format!("provoke-examples-{}.csv", std::process::id()));
    let table: String = generated.lines().skip(1).map(|line| format!("{line}\n")).collect();
    std::fs::write(&suite, table).expect("written");
    let measured = output("measure", &["models/wiper.lus", suite.to_str().expect("text")]);
    std::fs::remove_file(&suite).expect("removed");
    begins(
        &measured,
        4,
        &expect![[r#"
            omcdc wiper: 34 of 58
            mcdc wiper: 46 of 58
            omcdc dry_strokes: 9 of 10
            omcdc steps_true: 18 of 20
        "#]],
    );
}

#[test]
fn prove_shows_what_holds_and_what_breaks() {
    if !solver_is_there() {
        return;
    }
    begins(
        &output("prove", &["models/traffic_light.lus"]),
        9,
        &expect![[r#"
        safe holds
        one_aspect holds
        served holds
    "#]],
    );
    begins(
        &output("prove", &["testdata/golden/dead_end.lus"]),
        9,
        &expect![[r#"
        never hit violated
          step 1: arm = true, fire = true
        armed by hand holds
    "#]],
    );
}

#[test]
fn mutate_tells_how_many_faults_are_found() {
    if solver_is_there() {
        begins(
            &output("mutate", &["models/voter.lus"]),
            1,
            &expect![[r#"
                749 mutants: 519 killed, 212 equivalent, 18 survive
            "#]],
        );
    }
}

#[test]
fn cancel_keeps_what_was_found() {
    if solver_is_there() {
        begins(
            &output("cancel", &["models/ward_pump.lus"]),
            9,
            &expect![[r#"
            interrupted: true
            progress was told: true
            tests were found: true
        "#]],
        );
    }
}
