//! What the formats mean, also where other tools wrote the file.

mod common;

use common::{example, int, real, system_of};
use provoke_model::{EnumType, Suite, System, Type, Value};
use provoke_suite::{Format, ReadSuite, Typing, read};

fn by_model(name: &str, text: &str) -> ReadSuite {
    let system = system_of(&example());
    read(name, text.as_bytes(), None, Typing::System(&system)).unwrap()
}

fn inferred(name: &str, text: &str) -> Suite {
    let read = read(name, text.as_bytes(), None, Typing::Infer).unwrap();
    assert_eq!(read.ignored, [""; 0]);
    read.suite
}

fn names(signals: &[provoke_model::Signal]) -> Vec<&str> {
    signals.iter().map(|signal| signal.name.as_str()).collect()
}

fn test_names(suite: &Suite) -> Vec<(&str, usize)> {
    suite.tests.iter().map(|test| (test.name.as_str(), test.steps.len())).collect()
}

fn inputs(suite: &Suite, test: usize) -> Vec<Vec<Value>> {
    suite.tests[test].steps.iter().map(|step| step.inputs.clone()).collect()
}

fn outputs(suite: &Suite, test: usize) -> Vec<Vec<Value>> {
    suite.tests[test].steps.iter().map(|step| step.outputs.clone()).collect()
}

#[test]
fn columns_are_inputs_expected_values_or_ignored_by_what_they_name() {
    let read = by_model("t.csv", "state, note ,go,pump.rate\nON,a b,1,0.25\n,,,\n");
    assert_eq!(read.ignored, ["note"]);
    assert_eq!(read.suite.model, "Root");
    assert_eq!(names(&read.suite.inputs), ["go"]);
    assert_eq!(names(&read.suite.outputs), ["state", "pump.rate"]);
    assert_eq!(test_names(&read.suite), [("t", 2)]);
    assert_eq!(inputs(&read.suite, 0), [[true.into()], [Value::Unknown]]);
    assert_eq!(outputs(&read.suite, 0)[0], [Value::Enum(1), real("1/4")]);
}

#[test]
fn without_a_model_types_come_from_the_cells() {
    let suite = inferred("t.csv", "b,i,r,e\ntrue,1,1,stop\nfalse,-7,1/3,go\n");
    let stop = EnumType { name: "e".into(), constants: vec!["stop".into(), "go".into()] };
    assert_eq!(suite.enums.iter().collect::<Vec<_>>(), [&stop]);
    let types: Vec<Type> = suite.inputs.iter().map(|input| input.ty).collect();
    assert_eq!(types, [Type::Bool, Type::Int, Type::Real, common::mode()]);
    assert_eq!(inputs(&suite, 0)[1], [false.into(), int("-7"), real("1/3"), Value::Enum(1)]);
    assert!(suite.outputs.is_empty());
}

#[test]
fn blank_lines_separate_tests_and_the_header_may_be_repeated() {
    for end in ["\n", "\r\n"] {
        let lines = ["x,y", "1,2", "3,4", "", "x,y", "5,6", "", " ", "7,8", "9,10", ""];
        let suite = inferred("runs.csv", &lines.join(end));
        assert_eq!(test_names(&suite), [("runs-1", 2), ("runs-2", 1), ("runs-3", 2)]);
        assert_eq!(inputs(&suite, 2), [[int("7"), int("8")], [int("9"), int("10")]]);
    }
}

#[test]
fn a_first_column_called_test_names_the_tests() {
    let suite = inferred("t.csv", "test,x\na,1\na,2\nb c,3\n");
    assert_eq!(test_names(&suite), [("a", 2), ("b c", 1)]);
    assert_eq!(names(&suite.inputs), ["x"]);
}

#[test]
fn semicolons_tabs_byte_order_marks_and_latin1_are_understood() {
    let suite = inferred("t.csv", "\u{feff}x;y\r\n1;true\r\n");
    assert_eq!(inputs(&suite, 0), [[int("1"), true.into()]]);
    let suite = inferred("t.csv", "x\ty\n1\t0.5\n");
    assert_eq!(inputs(&suite, 0), [[int("1"), real("1/2")]]);
    let read = read("t.csv", b"test,x\ncaf\xe9,1\n", None, Typing::Infer).unwrap();
    assert_eq!(read.suite.tests[0].name, "café");
}

#[test]
fn quoted_cells_may_hold_separators_and_line_breaks() {
    let suite = inferred("t.csv", "test,x\n\"a,\n\nb\",1\n\"a,\n\nb\",2\n");
    assert_eq!(test_names(&suite), [("a,\n\nb", 2)]);
}

#[test]
fn a_single_column_may_hold_unknown_values() {
    let suite = inferred("t.csv", "x\n1\n\"\"\n3\n");
    assert_eq!(inputs(&suite, 0), [[int("1")], [Value::Unknown], [int("3")]]);
}

#[test]
fn the_reference_traces_are_read() {
    let text = "m,s,OK,dist\nfalse,false,true,0\ntrue,true,true,-3/2\n";
    let suite = inferred("car_1.csv", text);
    assert_eq!(test_names(&suite), [("car_1", 2)]);
    assert_eq!(inputs(&suite, 0)[1][3], real("-3/2"));
}

#[test]
fn json_without_declarations_is_typed_by_the_model() {
    let text = r#"{"tests": [
        {"steps": [{"in": {"go": true, "pump.level~1": 12345678901234567890123}}]},
        {"name": "b", "steps": [{"out": {"pump.rate": 0.1, "other": 3}}, {}]}]}"#;
    let read = by_model("s.json", text);
    assert_eq!(read.ignored, ["other"]);
    assert_eq!(test_names(&read.suite), [("s-1", 1), ("b", 2)]);
    assert_eq!(inputs(&read.suite, 0), [[true.into(), int("12345678901234567890123")]]);
    assert_eq!(outputs(&read.suite, 1), [[real("1/10")], [Value::Unknown]]);
}

#[test]
fn json_may_hold_the_steps_of_one_test() {
    let read =
        by_model("one.json", r#"{"steps": [{"in": {"mode": "ON"}}, {"in": {"mode": null}}]}"#);
    assert_eq!(test_names(&read.suite), [("one", 2)]);
    assert_eq!(inputs(&read.suite, 0), [[Value::Enum(1)], [Value::Unknown]]);
    let suite = inferred("one.json", r#"{"steps": [{"in": {"x": 1}, "out": {"y": "a"}}]}"#);
    assert_eq!((names(&suite.inputs), names(&suite.outputs)), (vec!["x"], vec!["y"]));
}

#[test]
fn kind2_records_and_arrays_become_names() {
    let text = r#"[{"a": "7", "p": {"x": 1, "v": [true, null]}}, {"a": 8, "b": "1/3"}]"#;
    let suite = inferred("k.json", text);
    assert_eq!(names(&suite.inputs), ["a", "p.x", "p.v[0]", "b"]);
    let unknown = || Value::Unknown;
    let first = [int("7"), int("1"), true.into(), unknown()];
    assert_eq!(inputs(&suite, 0), [first, [int("8"), unknown(), unknown(), real("1/3")]]);
}

#[test]
fn scade_inputs_are_held_and_checks_last_as_long_as_they_say() {
    let text = "\
# test the brake: a comment in a scenario of SCADE means nothing to us
SSM::alias lvl P::Root/level
SSM::alias_value full 100
SSM::set lvl full
SSM::set {P::Root/mode} P::ON
SSM::check P::Root/y true sustain=2
SSM::check P::Root/z 1.5 real=0.1
SSM::cycle 3
SSM::set lvl \\
  5
SSM::check P::Root/z ?
SSM::check P::Root/y false sustain=forever
SSM::cycle
SSM::uncheck P::Root/y
SSM::cycle
";
    let suite = inferred("s.sss", text);
    assert_eq!(
        (names(&suite.inputs), names(&suite.outputs)),
        (vec!["level", "mode"], vec!["y", "z"])
    );
    assert_eq!(test_names(&suite), [("s", 5)]);
    let levels: Vec<Value> = inputs(&suite, 0).iter().map(|step| step[0].clone()).collect();
    assert_eq!(levels, ["100", "100", "100", "5", "5"].map(int));
    let no = || Value::Unknown;
    let expected = [
        [true.into(), real("3/2")],
        [true.into(), no()],
        [no(), no()],
        [false.into(), no()],
        [no(), no()],
    ];
    assert_eq!(outputs(&suite, 0), expected);
}

#[test]
fn scade_scenarios_are_typed_by_the_model() {
    let read = by_model("s.sss", "SSM::set Root/go 1\nSSM::set aux 7\nSSM::cycle\n");
    assert_eq!(read.ignored, ["aux"]);
    assert_eq!(inputs(&read.suite, 0), [[true.into()]]);
}

#[test]
fn jkind_counterexamples_are_tests_and_missing_values_are_open() {
    let text = r#"<?xml version="1.0"?>
<Results xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <Progress source="bmc">1</Progress>
  <Property name="safe">
    <Runtime unit="sec">0.1</Runtime><Answer source="bmc">falsifiable</Answer><K>3</K>
    <Counterexample>
      <Signal name="b" type="bool"><Value time="0">1</Value><Value time="1">0</Value></Signal>
      <Signal name="i" type="int"><Value time="0">-5</Value></Signal>
      <Signal name="r" type="real"><Value time="1">1/3</Value></Signal>
      <Signal name="c" type="Colour"><Value time="0">RED</Value></Signal>
      <Signal name="s" type="subrange [0, 9] of int"><Value time="0"><Interval low="2" high="3"/></Value></Signal>
    </Counterexample>
  </Property>
  <Property name="unsure"><Answer>unknown</Answer><K>1</K>
    <Counterexample><Signal name="b" type="bool"><Value time="0">1</Value></Signal></Counterexample>
  </Property>
  <Property name="valid"><Answer>valid</Answer><K>1</K></Property>
</Results>"#;
    let suite = inferred("r.xml", text);
    assert_eq!(test_names(&suite), [("safe", 3)]);
    let no = || Value::Unknown;
    let expected = [
        [true.into(), int("-5"), no(), Value::Enum(0), int("2")],
        [false.into(), no(), real("1/3"), no(), no()],
        [no(), no(), no(), no(), no()],
    ];
    assert_eq!(inputs(&suite, 0), expected);
    assert_eq!(suite.enums.iter().next().unwrap().name, "Colour");
}

#[test]
fn jkind_signals_are_typed_by_the_model() {
    let text = r#"<Results><Property name="p"><Counterexample>
        <Signal name="go" type="bool"><Value time="0">1</Value></Signal>
        <Signal name="state" type="Mode"><Value time="0">FAILED</Value></Signal>
        <Signal name="pump~0.x" type="int"><Value time="0">1</Value></Signal>
        </Counterexample></Property></Results>"#;
    let read = by_model("r.xml", text);
    assert_eq!(read.ignored, ["pump~0.x"]);
    assert_eq!(
        (inputs(&read.suite, 0), outputs(&read.suite, 0)),
        (vec![vec![true.into()]], vec![vec![Value::Enum(2)]])
    );
}

/// A workbook as another tool makes it.
fn foreign_workbook(fill: impl Fn(&mut rust_xlsxwriter::Workbook)) -> Vec<u8> {
    let mut book = rust_xlsxwriter::Workbook::new();
    fill(&mut book);
    book.save_to_buffer().unwrap()
}

#[test]
fn sheets_of_other_tools_are_tests() {
    let bytes = foreign_workbook(|book| {
        let sheet = book.add_worksheet().set_name("ramp").unwrap();
        sheet.write_row(1, 0, ["time", "go", "pump.rate", "mode"]).unwrap();
        sheet.write_number(2, 0, 0.0).unwrap();
        sheet.write_boolean(2, 1, true).unwrap();
        sheet.write_number(2, 2, 0.1).unwrap();
        sheet.write_number(3, 0, 0.5).unwrap();
        sheet.write_number(3, 1, 0.0).unwrap();
        sheet.write_string(3, 3, "FAILED").unwrap();
        sheet.write_string(5, 3, "ON").unwrap();
        book.add_worksheet().set_name("empty").unwrap();
        let sheet = book.add_worksheet().set_name("suite").unwrap();
        sheet.write_row(0, 0, ["go", "pump.level~1"]).unwrap();
        sheet.write_string(1, 1, "99999999999999999999").unwrap();
    });
    let system: System = system_of(&example());
    let read = read("b.xlsx", &bytes, None, Typing::System(&system)).unwrap();
    assert_eq!(read.ignored, [""; 0]);
    assert_eq!(test_names(&read.suite), [("ramp", 4), ("suite", 1)]);
    assert_eq!(names(&read.suite.inputs), ["go", "mode", "pump.level~1"]);
    let no = || Value::Unknown;
    let expected = [
        [true.into(), no(), no()],
        [false.into(), Value::Enum(2), no()],
        [no(), no(), no()],
        [no(), Value::Enum(1), no()],
    ];
    assert_eq!(inputs(&read.suite, 0), expected);
    assert_eq!(outputs(&read.suite, 0)[0], [real("1/10")]);
    assert_eq!(inputs(&read.suite, 1)[0][2], int("99999999999999999999"));
}

#[test]
fn a_format_that_is_given_is_not_guessed() {
    let read = read("data.txt", b"x\n1\n", Some(Format::CsvPerTest), Typing::Infer).unwrap();
    assert_eq!(test_names(&read.suite), [("data", 1)]);
}

fn required(suite: &Suite) -> Vec<Vec<&str>> {
    suite.tests.iter().map(|t| t.requirements.iter().map(String::as_str).collect()).collect()
}

#[test]
fn a_column_called_requirements_says_what_tests_are_for() {
    let suite = inferred(
        "t.csv",
        "test,x,requirements\na,1,REQ-1\na,2,\"REQ-2, REQ-1\"\nb,3,\nc,4,REQ-3;REQ-4 REQ-5\n",
    );
    assert_eq!(names(&suite.inputs), ["x"]);
    assert_eq!(required(&suite), [vec!["REQ-1", "REQ-2"], vec![], vec!["REQ-3", "REQ-4", "REQ-5"]]);
    let alone = inferred("t.csv", "requirements,x\nREQ-1,1\n,2\n\n,3\n");
    assert_eq!(required(&alone), [vec!["REQ-1"], vec![]]);
}

#[test]
fn a_variable_called_requirements_is_one_unless_two_columns_are_called_so() {
    let mut suite = example();
    suite.inputs[1].name = "requirements".into();
    let system = system_of(&suite);
    let read =
        |text: &str| read("t.csv", text.as_bytes(), None, Typing::System(&system)).unwrap().suite;
    let variable = read("go,requirements\ntrue,7\n");
    assert_eq!(
        (required(&variable), names(&variable.inputs)),
        (vec![vec![]], vec!["go", "requirements"])
    );
    let both = read("requirements,go,requirements\nREQ-1,true,7\n");
    assert_eq!(
        (required(&both), inputs(&both, 0)),
        (vec![vec!["REQ-1"]], vec![vec![true.into(), int("7")]])
    );
}

#[test]
fn a_sheet_of_somebody_else_may_have_a_column_of_requirements() {
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet().set_name("slow").unwrap();
    for (column, name) in ["time", "x", "requirements"].into_iter().enumerate() {
        sheet.write_string(0, column as u16, name).unwrap();
    }
    sheet.write_number(1, 1, 5.0).unwrap();
    sheet.write_string(1, 2, "REQ-9 REQ-8").unwrap();
    let bytes = book.save_to_buffer().unwrap();
    let suite = read("t.xlsx", &bytes, None, Typing::Infer).unwrap().suite;
    assert_eq!(
        (required(&suite), inputs(&suite, 0)),
        (vec![vec!["REQ-9", "REQ-8"]], vec![vec![int("5")]])
    );
}

#[test]
fn what_is_no_requirement_id_is_refused_with_its_test() {
    let wrong = |ids: &str| {
        let text =
            format!("{{\"tests\": [{{\"name\": \"a\", \"requirements\": {ids}, \"steps\": []}}]}}");
        let error = read("t.json", text.as_bytes(), None, Typing::Infer).unwrap_err();
        error.to_string()
    };
    assert_eq!(wrong("[\"REQ 1\"]"), "test `a`: `REQ 1` is no id of a requirement");
    assert_eq!(wrong("[\"\"]"), "test `a`: `` is no id of a requirement");
    let many: Vec<String> = (0..1001).map(|number| format!("\"R{number}\"")).collect();
    assert_eq!(
        wrong(&format!("[{}]", many.join(","))),
        "test `a`: the test has more than 1000 requirements"
    );
}
