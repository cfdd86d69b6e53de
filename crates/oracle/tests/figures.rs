//! The examples of the paper: its tests, its sequences, its probabilities.

use expect_test::expect;
use provoke_base::SourceFile;
use provoke_oracle::probability::ChanceEffort;
use provoke_oracle::probability::exact_probability;
use provoke_oracle::{Completer, CompletionSettings, TimedSuite, TimedTest, json, text};
use provoke_uppaal::Network;

fn model(name: &str) -> Network {
    let path = provoke_testkit::repository().join("models/timed").join(name);
    let bytes = std::fs::read(path).expect("an example");
    provoke_uppaal::load(&SourceFile::from_bytes(name, bytes)).network.expect("a network")
}

fn effort(runs: u64) -> ChanceEffort {
    ChanceEffort { runs, width: 1.0, alpha: 1e-6, seed: 7, jobs: 1 }
}

fn completed(model: &Network, tests: &str, runs: u64) -> TimedSuite {
    let mut suite = text::parse(tests).expect("tests");
    let settings = CompletionSettings { length: 10, effort: effort(runs) };
    let completer = Completer::new(model, &suite.observe, settings).expect("known names");
    suite.tests =
        suite.tests.iter().map(|test| completer.complete(test).expect("a test")).collect();
    suite
}

fn steps_of(test: &TimedTest) -> String {
    let mut shown = String::new();
    for uio in &test.uios {
        shown += &format!("{} excludes {}\n", uio.kind.word(), uio.excludes.join(", "));
        text::print_steps(&mut shown, &uio.steps);
    }
    shown
}

const FIGURE_3: &str = "\
observe isQualified, qc
test on_time -> TE.PresentQualified
<tempOutOfRange> / (isQualified == false, qc == 0)
<wait for 5100 ms> / (isQualified == true, qc == 1)
";

#[test]
fn the_test_of_figure_3_gets_the_sequence_of_figure_4() {
    let suite = completed(&model("temperature.xml"), FIGURE_3, 2000);
    let test = &suite.tests[0];
    expect![[r#"
        single excludes TE.Absent, TE.Present, TE.AbsentQualified
        <wait for 5100> / (isQualified == true, qc == 1)
        <tempInRange> / (isQualified == true, qc == 1)
        <wait for 5100> / (isQualified == false, qc == 1)
    "#]]
    .assert_eq(&steps_of(test));
    assert_eq!(test.probability.unwrap().exact, Some(1.0));
    assert_eq!(test.uios[0].joint.unwrap().exact, Some(1.0));
    assert_eq!(test.uios[0].joint.unwrap().successes, 2000);
}

#[test]
fn the_test_of_figure_5_is_passed_by_half_of_the_runs() {
    let tests = "\
observe isQualified, qc
test short -> TE.AbsentQualified
<tempOutOfRange> / (isQualified == false, qc == 0)
<wait for 4250 ms> / (isQualified == true, qc == 1)
<tempInRange> / (isQualified == true, qc == 1)
uio
<wait for 5100 ms> / (isQualified == false, qc == 1)
";
    let suite = completed(&model("temperature.xml"), tests, 4000);
    let test = &suite.tests[0];
    for probability in [test.probability.unwrap(), test.uios[0].joint.unwrap()] {
        assert_eq!(probability.exact, Some(0.5));
        assert!(probability.interval.contains(0.5), "{probability:?}");
    }
}

#[test]
fn the_test_of_figure_11_is_passed_by_half_of_the_runs_if_its_phase_is_random() {
    let tests = "\
observe isQualified, qc
test short -> ER.DetectedQualified
<phase 1700>
<tempOutOfRange> / (isQualified == false, qc == 0)
<wait for 4250 ms> / (isQualified == true, qc == 1)
<tempInRange> / (isQualified == true, qc == 1)
";
    let suite = completed(&model("temperature_loop.xml"), tests, 4000);
    let test = &suite.tests[0];
    let probability = test.probability.unwrap();
    assert_eq!(probability.exact, Some(0.5));
    assert!(probability.interval.contains(0.5), "{probability:?}");
    // Three polls behind the end, an error is disqualified.
    assert_eq!(test.remark, None);
    assert!(!test.uios.is_empty());
    assert!(test.uios[0].joint.unwrap().successes > 0);
}

#[test]
fn exact_probabilities_follow_the_range() {
    // P(qualified by T) = (T - 3400) / 1700 within the range.
    let network = model("temperature.xml");
    let interface = provoke_oracle::Interface::new(&network);
    for (wait, expected) in [(3400, 0.0), (3825, 0.25), (4250, 0.5), (4675, 0.75), (5100, 1.0)] {
        let tests =
            format!("test t\n<tempOutOfRange>\n<wait for {wait}> / (isQualified == true)\n");
        let acts = interface.acts(&text::parse(&tests).unwrap().tests[0].steps).unwrap();
        assert_eq!(exact_probability(&network, &acts), Ok(expected), "{wait}");
    }
}

#[test]
fn tests_survive_both_forms() {
    let suite = completed(&model("temperature.xml"), FIGURE_3, 100);
    assert_eq!(json::read(&json::print(&suite)).unwrap(), suite);
    let plain = text::parse(FIGURE_3).unwrap();
    assert_eq!(json::read(&text::print(&plain)).unwrap(), plain);
    for (wrong, message) in [
        ("test a\n<wait for ever>", "`ever` is no whole number of units"),
        ("<x>", "a step before the first test; write `test NAME` above it"),
        ("test a\n<x> / (y = 1)", "`y = 1`; expected NAME == VALUE"),
        (
            "test a\n<wait for 999999999>",
            "test `a`: a wait of 999999999; it is from 0 to 134217728",
        ),
        ("test a\n<x>\n<phase 5>", "test `a`: a random phase can only come first"),
    ] {
        assert_eq!(text::parse(wrong).unwrap_err().message, message);
    }
}
