//! What is written is read back equal.

mod common;

use common::{any_suite, example, infer, system_of, without_covers, write_all, write_one};
use proptest::prelude::*;
use provoke_model::{Arithmetic, IntWidth, RealWidth, Suite, Value};
use provoke_suite::{Format, ReadSuite, Typing, read};

fn read_by_model(name: &str, bytes: &[u8], format: Format, suite: &Suite) -> ReadSuite {
    let system = system_of(suite);
    read(name, bytes, Some(format), Typing::System(&system)).unwrap()
}

/// Formats that keep everything need no model to be read back.
fn check_complete(suite: &Suite, format: Format) {
    let bytes = write_one(suite, format);
    let expected = ReadSuite { suite: suite.clone(), ignored: vec![] };
    assert_eq!(infer(&bytes, format).unwrap(), expected);
    assert_eq!(read_by_model("file", &bytes, format, suite), expected);
    assert_eq!(write_one(suite, format), bytes, "the same suite is the same bytes");
}

/// A table keeps names and values.
fn check_csv(suite: &Suite) {
    let read = read_by_model("file", &write_one(suite, Format::Csv), Format::Csv, suite);
    assert_eq!(read, ReadSuite { suite: without_covers(suite), ignored: vec![] });
}

fn check_csv_per_test(suite: &Suite) {
    let outputs = write_all(suite, Format::CsvPerTest);
    assert_eq!(outputs.len(), suite.tests.len());
    for (test, output) in suite.tests.iter().zip(outputs) {
        let read = read_by_model("x/t.csv", &output.bytes, Format::CsvPerTest, suite).suite;
        assert_eq!((&read.inputs, &read.outputs), (&suite.inputs, &suite.outputs));
        assert_eq!(read.tests.len(), 1);
        assert_eq!(read.tests[0].name, "t");
        assert_eq!(read.tests[0].steps, test.steps);
        // Without steps there is no row that could name them.
        if !test.steps.is_empty() {
            assert_eq!(read.tests[0].requirements, test.requirements);
        }
    }
}

fn check_scade_per_test(suite: &Suite) {
    for (test, output) in suite.tests.iter().zip(write_all(suite, Format::ScadePerTest)) {
        let read = infer(&output.bytes, Format::ScadePerTest).unwrap().suite;
        assert_eq!(read.tests, std::slice::from_ref(test));
    }
}

/// Kind 2 takes the inputs that are known.
fn check_kind2(suite: &Suite) {
    for (test, output) in suite.tests.iter().zip(write_all(suite, Format::Kind2)) {
        let read = read_by_model("t.json", &output.bytes, Format::Kind2, suite).suite;
        assert_eq!(read.tests[0].steps.len(), test.steps.len());
        for (index, input) in suite.inputs.iter().enumerate() {
            let position = read.inputs.iter().position(|other| other == input);
            for (before, after) in test.steps.iter().zip(&read.tests[0].steps) {
                let value = position.map_or(&Value::Unknown, |position| &after.inputs[position]);
                assert_eq!(value, &before.inputs[index]);
            }
        }
    }
}

#[test]
fn the_example_survives_every_format() {
    for format in [Format::Json, Format::Xlsx, Format::Scade] {
        check_complete(&example(), format);
    }
    check_csv(&example());
    check_csv_per_test(&example());
    check_scade_per_test(&example());
    check_kind2(&example());
}

#[test]
fn an_empty_suite_survives_every_format_that_keeps_everything() {
    for format in [Format::Json, Format::Xlsx, Format::Scade] {
        check_complete(&Suite::default(), format);
    }
}

#[test]
fn many_long_test_names_that_look_alike_stay_apart_in_a_workbook() {
    let mut suite = example();
    let test = suite.tests.pop().unwrap();
    let names = ["suite", "History", "", "'", "a/b", "a:b", "A?B"].map(str::to_string);
    let long = (0..30).map(|number| format!("{}{number}", "long ".repeat(10)));
    for name in names.into_iter().chain(long) {
        suite.tests.push(provoke_model::TestCase { name, ..test.clone() });
    }
    check_complete(&suite, Format::Xlsx);
}

proptest! {
    #[test]
    fn random_suites_survive_json(suite in any_suite(0)) {
        check_complete(&suite, Format::Json);
    }

    #[test]
    fn random_suites_survive_scade_scenarios(suite in any_suite(0)) {
        check_complete(&suite, Format::Scade);
        check_scade_per_test(&suite);
    }

    #[test]
    fn random_suites_survive_csv(suite in any_suite(1)) {
        check_csv(&suite);
    }

    #[test]
    fn random_suites_survive_csv_per_test(suite in any_suite(0)) {
        check_csv_per_test(&suite);
    }

    #[test]
    fn random_suites_survive_kind2_as_far_as_their_known_inputs_go(suite in any_suite(0)) {
        check_kind2(&suite);
    }

    #[test]
    fn random_suites_can_be_shown_as_waves(suite in any_suite(0)) {
        prop_assert_eq!(write_all(&suite, Format::Vcd).len(), suite.tests.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_suites_survive_workbooks(suite in any_suite(0)) {
        check_complete(&suite, Format::Xlsx);
    }
}

#[test]
fn steps_that_come_again_and_again_are_written_once() {
    let mut suite = example();
    let lap = suite.tests[0].steps.clone();
    assert!(lap.len() > 1, "the example has a few steps");
    let again = std::iter::repeat_n(lap.clone(), 5_000).flatten();
    suite.tests[0].steps = again.chain(lap[..1].to_vec()).collect();
    let bytes = write_one(&suite, Format::Json);
    assert!(bytes.len() < 10_000, "{} bytes", bytes.len());
    assert_eq!(infer(&bytes, Format::Json).unwrap().suite, suite);
}

#[test]
fn json_keeps_the_numbers_that_a_suite_was_made_for() {
    for (int, real) in
        [(IntWidth::Bits32, RealWidth::Double), (IntWidth::Bits64, RealWidth::Single)]
    {
        let suite = Suite { numbers: Some(Arithmetic { int, real }), ..example() };
        let bytes = write_one(&suite, Format::Json);
        let read = read("s.json", &bytes, Some(Format::Json), Typing::Infer).unwrap();
        assert_eq!(read.suite.numbers, suite.numbers);
    }
    let text = br#"{"numbers": {"int": "16", "real": "double"}, "tests": []}"#;
    let error = read("s.json", text, Some(Format::Json), Typing::Infer).unwrap_err();
    assert_eq!(error.to_string(), "numbers `16` and `double` are not known");
}
