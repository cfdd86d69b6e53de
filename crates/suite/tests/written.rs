//! What the formats look like.

mod common;

use common::{example, text, write_all, write_one};
use expect_test::{Expect, expect};
use provoke_model::{Suite, Type};
use provoke_suite::{Format, Output, write};

fn check(format: Format, expected: Expect) {
    expected.assert_eq(text(&write_one(&example(), format)));
}

fn suffixes(outputs: &[Output]) -> Vec<&str> {
    outputs.iter().map(|output| output.suffix.as_str()).collect()
}

#[test]
fn json_has_one_line_per_step() {
    check(
        Format::Json,
        expect![[r#"
            {
              "schema": "provoke/suite/1",
              "model": "Root",
              "enums": [
                {"name": "Mode", "constants": ["OFF", "ON", "FAILED"]},
                {"name": "Unused", "constants": ["ONLY"]}
              ],
              "inputs": [
                {"name": "go", "type": "bool"},
                {"name": "pump.level~1", "type": "int"},
                {"name": "flow!x#2[3]", "type": "real"},
                {"name": "mode", "type": "enum {OFF, ON, FAILED}", "enum": "Mode"}
              ],
              "outputs": [
                {"name": "pump.rate", "type": "real"},
                {"name": "state", "type": "enum {OFF, ON, FAILED}", "enum": "Mode"}
              ],
              "tests": [
                {"name": "brake, \"late\"", "covers": ["mcdc:3:T", "mcdc:4:F"], "requirements": ["REQ-12", "SYS/7"], "steps": [
                  {"in": {"go": true, "pump.level~1": 7, "flow!x#2[3]": "-1/3", "mode": "ON"}, "out": {"pump.rate": null, "state": "FAILED"}},
                  {"in": {"go": null, "pump.level~1": "-123456789012345678901234567890", "flow!x#2[3]": "1/4", "mode": null}, "out": {"pump.rate": 2, "state": null}},
                  {"in": {"go": false, "pump.level~1": null, "flow!x#2[3]": null, "mode": "OFF"}, "out": {"pump.rate": "1/1000000000000000000000000000000", "state": "OFF"}}
                ]},
                {"name": "t2", "covers": [], "steps": [
                  {"in": {"go": null, "pump.level~1": null, "flow!x#2[3]": null, "mode": null}, "out": {"pump.rate": null, "state": null}}
                ]}
              ]
            }
        "#]],
    );
}

#[test]
fn csv_names_the_test_in_the_first_column() {
    check(
        Format::Csv,
        expect![[r#"
            test,requirements,go,pump.level~1,flow!x#2[3],mode,pump.rate,state
            "brake, ""late""",REQ-12 SYS/7,true,7,-1/3,ON,,FAILED
            "brake, ""late""",,,-123456789012345678901234567890,1/4,,2,
            "brake, ""late""",,false,,,OFF,1/1000000000000000000000000000000,OFF
            t2,,,,,,,
        "#]],
    );
}

#[test]
fn scade_scenarios_keep_in_comments_what_they_cannot_say() {
    check(
        Format::Scade,
        expect![[r##"
            # provoke {"schema":"provoke/suite/1","model":"Root","enums":[{"name":"Mode","constants":["OFF","ON","FAILED"]},{"name":"Unused","constants":["ONLY"]}],"inputs":[{"name":"go","type":"bool"},{"name":"pump.level~1","type":"int"},{"name":"flow!x#2[3]","type":"real"},{"name":"mode","type":"enum {OFF, ON, FAILED}","enum":"Mode"}],"outputs":[{"name":"pump.rate","type":"real"},{"name":"state","type":"enum {OFF, ON, FAILED}","enum":"Mode"}]}
            # Each test starts from the initial state: run them apart.

            # test brake, "late"
            # covers mcdc:3:T
            # covers mcdc:4:F
            # requirement REQ-12
            # requirement SYS/7
            SSM::set Root/go true
            SSM::set {Root/pump.level~1} 7
            # exact {Root/flow!x#2[3]} -1/3
            SSM::set {Root/flow!x#2[3]} -3.333333333333333e-1
            SSM::set Root/mode ON
            SSM::check Root/state FAILED
            SSM::cycle 1
            # any Root/go
            SSM::set {Root/pump.level~1} -123456789012345678901234567890
            SSM::set {Root/flow!x#2[3]} 0.25
            # any Root/mode
            SSM::check Root/pump.rate 2.0
            SSM::cycle 1
            SSM::set Root/go false
            # any {Root/pump.level~1}
            # any {Root/flow!x#2[3]}
            SSM::set Root/mode OFF
            SSM::check Root/pump.rate 0.000000000000000000000000000001
            SSM::check Root/state OFF
            SSM::cycle 1

            # test t2
            # any Root/go
            # any {Root/pump.level~1}
            # any {Root/flow!x#2[3]}
            # any Root/mode
            SSM::cycle 1
        "##]],
    );
}

#[test]
fn kind2_gets_the_known_inputs_of_each_test() {
    let outputs = write_all(&example(), Format::Kind2);
    assert_eq!(suffixes(&outputs), ["-brake___late_.json", "-t2.json"]);
    expect![[r#"
        [
          {"go":true,"pump":{"level~1":"7"},"flow!x#2[3]":"-1/3","mode":"ON"},
          {"pump":{"level~1":"-123456789012345678901234567890"},"flow!x#2[3]":"1/4"},
          {"go":false,"mode":"OFF"}
        ]
    "#]]
    .assert_eq(text(&outputs[0].bytes));
}

#[test]
fn records_and_arrays_are_nested_for_kind2_unless_names_contradict() {
    let names = ["p.x", "p.v[0]", "p.v[1]", "q[1]", "r", "r.s", "s..t"];
    let mut suite = Suite { tests: example().tests[1..].to_vec(), ..Suite::default() };
    suite.inputs = names.map(|name| common::signal(name, Type::Int)).to_vec();
    suite.tests[0].steps[0].inputs = (1..=7).map(|value: i64| value.into()).collect();
    suite.tests[0].steps[0].outputs.clear();
    let mut partly = suite.tests[0].steps[0].clone();
    partly.inputs[1..].fill(provoke_model::Value::Unknown);
    partly.inputs[2] = 3.into();
    suite.tests[0].steps.push(partly);
    expect![[r#"
        [
          {"p":{"x":"1","v":["2","3"]},"q[1]":"4","r":"5","r.s":"6","s..t":"7"},
          {"p":{"x":"1","v":[null,"3"]}}
        ]
    "#]]
    .assert_eq(text(&write_one(&suite, Format::Kind2)));
}

#[test]
fn waves_have_scopes_types_and_unknowns() {
    let outputs = write_all(&example(), Format::Vcd);
    assert_eq!(suffixes(&outputs), ["-brake___late_.vcd", "-t2.vcd"]);
    expect![[r#"
        $version Provoke $end
        $comment test brake,_"late" $end
        $timescale 1 ns $end
        $scope module Root $end
        $var wire 1 ! go $end
        $var real 64 # flow!x#2[3] $end
        $var string 1 $ mode $end
        $var string 1 & state $end
        $scope module pump $end
        $var integer 128 " level~1 $end
        $var real 64 % rate $end
        $upscope $end
        $upscope $end
        $enddefinitions $end
        #0
        1!
        b111 "
        r-3.333333333333333e-1 #
        sON $
        rNaN %
        sFAILED &
        #1
        x!
        b11111111111111111111111111111110011100010001011011110000000010010011110010001100000111110001000110110001110000001111010100101110 "
        r2.5e-1 #
        sx $
        r2e0 %
        sx &
        #2
        0!
        bx "
        rNaN #
        sOFF $
        r1e-30 %
        sOFF &
        #3
    "#]].assert_eq(text(&outputs[0].bytes));
}

#[test]
fn a_suite_of_one_test_is_one_file_without_the_tests_name() {
    let mut suite = example();
    suite.tests.truncate(1);
    for format in Format::ALL.into_iter().filter(|format| format.is_written()) {
        let outputs = write(&suite, format).unwrap();
        assert_eq!(suffixes(&outputs), [format!(".{}", format.extension())]);
    }
}

fn refusal(suite: &Suite, format: Format) -> String {
    write(suite, format).unwrap_err().to_string()
}

#[test]
fn what_is_no_suite_is_not_written() {
    let mut suite = example();
    suite.tests[1].name = suite.tests[0].name.clone();
    assert_eq!(refusal(&suite, Format::Json), "two tests are called `brake, \"late\"`");
    let mut suite = example();
    suite.outputs[0].name = "go".into();
    assert_eq!(refusal(&suite, Format::Json), "two signals are called `go`");
    let mut suite = example();
    suite.tests[1].steps[0].inputs.pop();
    let message = "test `t2`, step 0: 3 values for 4 signals";
    assert_eq!(refusal(&suite, Format::Json), message);
    let mut suite = example();
    suite.tests[1].steps[0].inputs[0] = 5.into();
    let message = "test `t2`, step 0: the value of `go` is not of its type";
    assert_eq!(refusal(&suite, Format::Json), message);
    let mut suite = example();
    suite.tests[1].steps[0].inputs[3] = provoke_model::Value::Enum(3);
    let message = "test `t2`, step 0: the value of `mode` is not of its type";
    assert_eq!(refusal(&suite, Format::Json), message);
}

#[test]
fn what_a_format_cannot_hold_is_said() {
    let mut suite = example();
    suite.tests[1].steps.clear();
    let message = "the test `t2` has no steps, so it has no row in a table";
    assert_eq!(refusal(&suite, Format::Csv), message);
    suite.tests[1].name = "a\nb".into();
    let message = "`a\u{fffd}b` cannot be a name in a SCADE scenario";
    assert_eq!(refusal(&suite, Format::Scade), message);
    assert_eq!(refusal(&suite, Format::Xlsx), "`a\u{fffd}b` cannot be a name in a workbook");
    assert_eq!(refusal(&suite, Format::JkindXml), "JKind XML is read, not written");
}
