//! Target files: what is read, what is refused, what signals mean.

mod common;

use common::{platform, session, suite, system, tally, target};
use expect_test::{Expect, expect};
use provoke_base::SourceFile;
use provoke_exec::target::Connection;
use provoke_exec::{Board, Mode, ModelController, Platform, TargetFile};
use provoke_model::Value;

const MODEL: &str = "node tank(level : int; open, spare : bool) returns (pump : bool; rate : real);
let
  pump = level < 20 and not open;
  rate = if pump then real(20 - level) / 2.0 else 0.0;
tel;";

fn refused(text: &str, expected: Expect) {
    let file = SourceFile::new("TARGET.toml", text);
    let model = system(MODEL);
    let found = match TargetFile::parse(&file) {
        Err(found) => found,
        Ok(target) => {
            let suite = suite(&model, 1, 1, 1);
            Board::new(&target, &suite, &file).expect_err("nothing is wrong")
        }
    };
    expected.assert_eq(&found[0].render(&file, false));
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let start = "step_ms = 500\n[connection]\nkind = \"simulated\"\n";
    refused(
        "step_ms = 0\n[connection]\nkind = \"simulated\"\n",
        expect![[r#"
        error[target-value]: `step_ms` is a number of milliseconds above 0
         --> TARGET.toml:1:1
          |
        1 | step_ms = 0
          | ^^^^^^^
    "#]],
    );
    refused(
        &format!("{start}[[input]]\nmodel = \"levle\"\n"),
        expect![[r#"
        error[unknown-name]: the suite has no input `levle`
         --> TARGET.toml:5:10
          |
        5 | model = "levle"
          |          ^^^^^
          |
          = help: did you mean `level`?
    "#]],
    );
    refused(
        &format!("{start}[[input]]\nmodel = \"open\"\nscale = 2\n"),
        expect![[r#"
        error[target-value]: `open` is no number and cannot be scaled
         --> TARGET.toml:5:10
          |
        5 | model = "open"
          |          ^^^^
    "#]],
    );
    refused(
        "step_ms = 500\n[connection]\nkind = \"carrier pigeon\"\n",
        expect![[r#"
        error[target-file]: unknown variant `carrier pigeon`, expected one of `simulated`, `library`, `process`, `pty`, `tcp`, `serial`
         --> TARGET.toml:3:8
          |
        3 | kind = "carrier pigeon"
          |        ^^^^^^^^^^^^^^^^
          |
          = help: docs/book/targets.md describes target files
    "#]],
    );
    refused(
        &format!("{start}[[output]]\nmodel = \"rate\"\ntolerence = 1\n"),
        expect![[r#"
        error[target-file]: unknown field `tolerence`, expected one of `model`, `platform`, `unit`, `scale`, `offset`, `tolerance`, `delay_ms`, `sd_ms`, `slow_sd_ms`, `correlation`, `samples_ms`, `copies`
         --> TARGET.toml:6:1
          |
        6 | tolerence = 1
          | ^^^^^^^^^
          |
          = help: docs/book/targets.md describes target files
    "#]],
    );
    refused(
        &format!("{start}[[output]]\nmodel = \"rate\"\nplatform = \"the rate\"\n"),
        expect![[r#"
            error[target-value]: `the rate` cannot be sent: names have no spaces, `=` or `*`
             --> TARGET.toml:6:13
              |
            6 | platform = "the rate"
              |             ^^^^^^^^
        "#]],
    );
}

#[test]
fn numbers_are_scaled_and_compared_with_their_tolerance() {
    let model = system(MODEL);
    let mut suite = suite(&model, 5, 6, 2);
    let text = "step_ms = 100\n[connection]\nkind = \"simulated\"\n\
        [[input]]\nmodel = \"level\"\nplatform = \"LEVEL\"\nscale = 0.1\noffset = 4\nunit = \"V\"\n\
        [[output]]\nmodel = \"rate\"\nplatform = \"RATE\"\nscale = \"1/3\"\ntolerance = 0.01\n";
    let (file, target) = target(text);
    let board = Board::new(&target, &suite, &file).unwrap();
    let Connection::Simulated(lines) = &target.connection else { unreachable!() };
    let mut platform = Platform::new(ModelController::new(&model), &board, lines);
    let level = board.monitored_values(&[Value::from(15), true.into(), false.into()], 1).unwrap();
    assert_eq!(level[0].show(provoke_model::Type::Real, &suite.enums), "11/2");
    let results = session(Mode::Scheduled, Some(&model), &suite, &board, &mut platform);
    assert_eq!(tally(&results), [30, 0, 0, 0]);
    // Off by less than the tolerance, which is in the target's unit, then by more.
    for (by, failures) in [("1/50", 0), ("1/10", 30)] {
        for step in suite.tests.iter_mut().flat_map(|test| &mut test.steps) {
            if let Value::Real(rate) = &mut step.outputs[1] {
                *rate = rate.add(&provoke_base::Rational::parse(by).unwrap());
            }
        }
        let results = session(Mode::Scheduled, None, &suite, &board, &mut platform);
        assert_eq!(tally(&results)[1], failures, "{by}");
    }
}

#[test]
fn a_signal_may_feed_several_inputs_and_an_input_have_several_signals() {
    let model = system("node n(a, b : bool) returns (y : bool); let y = a and b; tel;");
    let mut suite = suite(&model, 1, 4, 0);
    let rows = [[false, false], [true, true], [true, false], [false, false]];
    for (step, row) in suite.tests[0].steps.iter_mut().zip(rows) {
        step.inputs = row.map(Value::Bool).to_vec();
    }
    provoke_sim::expect(&mut suite, &model, &model.outputs).unwrap();
    let text = "step_ms = 100\n[connection]\nkind = \"simulated\"\n\
        [[input]]\nmodel = \"a\"\nplatform = \"BUTTON\"\n[[input]]\nmodel = \"b\"\nplatform = \"BUTTON\"\n\
        [[output]]\nmodel = \"y\"\nplatform = \"LAMP\"\n[[output]]\nmodel = \"y\"\nplatform = \"BUZZER\"\n";
    let (file, target) = target(text);
    let board = Board::new(&target, &suite, &file).unwrap();
    assert_eq!((board.monitored.len(), board.controlled.len()), (1, 2));
    let Connection::Simulated(lines) = &target.connection else { unreachable!() };
    let mut platform = Platform::new(ModelController::new(&model), &board, lines);
    let results = session(Mode::Scheduled, Some(&model), &suite, &board, &mut platform);
    assert_eq!(tally(&results), [0, 0, 0, 4], "a and b come from one button");
    assert!(results[0].judged[0].reason.contains("needs two values of BUTTON at step 3"));
    suite.tests[0].steps.truncate(2);
    let results = session(Mode::Scheduled, Some(&model), &suite, &board, &mut platform);
    assert_eq!(tally(&results), [2, 0, 0, 0]);
}

#[test]
fn a_suite_that_contradicts_the_model_is_not_judged_by_it() {
    let model = system(MODEL);
    let mut suite = suite(&model, 1, 3, 1);
    suite.tests[0].steps[1].outputs[0] =
        Value::Bool(suite.tests[0].steps[1].outputs[0] != Value::Bool(true));
    let (board, mut platform) = platform(ModelController::new(&model), &suite, "", 1);
    let results = session(Mode::Adaptive, Some(&model), &suite, &board, &mut platform);
    assert_eq!(tally(&results), [0, 0, 0, 3]);
    assert!(results[0].judged[0].reason.contains("at step 2 what the model does not do"));
}
