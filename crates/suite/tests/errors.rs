//! What is wrong with a file is said in one sentence, with the place.

mod common;

use common::{example, infer, system_of};
use provoke_suite::{Format, MAX_BYTES, ReadError, Typing, read};

fn refusal(name: &str, text: &str) -> ReadError {
    read(name, text.as_bytes(), None, Typing::Infer).unwrap_err()
}

fn refusal_by_model(name: &str, text: &str) -> ReadError {
    let system = system_of(&example());
    read(name, text.as_bytes(), None, Typing::System(&system)).unwrap_err()
}

#[track_caller]
fn check(name: &str, text: &str, expected: &str) {
    assert_eq!(refusal(name, text).to_string(), expected);
}

#[track_caller]
fn check_by_model(name: &str, text: &str, expected: &str) {
    assert_eq!(refusal_by_model(name, text).to_string(), expected);
}

#[test]
fn cells_of_the_wrong_type_are_shown_with_row_and_column() {
    let csv = |cells: &str| format!("go,pump.level~1,flow!x#2[3],mode\n,,,\n\n{cells}\n");
    let cases = [
        ("yes,,,", "row 4, column `go`: `yes` is not a bool"),
        (",abc,,", "row 4, column `pump.level~1`: `abc` is not an int"),
        (",1.5,,", "row 4, column `pump.level~1`: `1.5` is not an int"),
        (",,1/0,", "row 4, column `flow!x#2[3]`: `1/0` is not a real"),
        (",,,Off", "row 4, column `mode`: `Off` is not a constant of `Mode`"),
    ];
    for (cells, expected) in cases {
        let error = refusal_by_model("t.csv", &csv(cells));
        assert_eq!(error.to_string(), format!("test `t-2`, {expected}"));
        assert!(error.hint.is_some());
    }
    let error = refusal_by_model("t.csv", &csv(",,,Off"));
    assert_eq!(error.hint.unwrap(), "did you mean `OFF`?");
}

#[test]
fn tables_must_be_tables() {
    check("t.csv", "", "the file is empty");
    check("t.csv", "x,y\n1\n", "row 2: 1 cells, but the header has 2");
    check("t.csv", "x,y,x\n", "row 1: `x` occurs twice, as column 1 and column 3");
    check("t.csv", "x,,y\n", "row 1: column 2 has no name");
    check("t.csv", "test,x\na,1\nb,1\na,1\n", "row 4: two tests are called `a`");
    check("t.csv", "x\n1\ngo\n", "row 3, column `x`: `go` does not go with the cells above it");
    check("t.csv", "x,y\n1,a b\n", "row 2, column `y`: `a b` is no value of any type");
}

#[test]
fn json_errors_have_a_place() {
    check("s.json", "{\n  \"tests\": [}", "line 2, column 13: expected value");
    check("s.json", "{}", "the file has neither `tests` nor `steps`");
    check("s.json", r#"{"tests": [], "steps": []}"#, "the file has both `tests` and `steps`");
    let message = "the schema `provoke/suite/9` is not known";
    check("s.json", r#"{"schema": "provoke/suite/9", "tests": []}"#, message);
    let message =
        "line 1, column 26: unknown field `x`, expected one of `in`, `out`, `repeat`, `steps`";
    check("s.json", r#"{"tests": [{"steps": [{"x": {"y": 1}}]}]}"#, message);
    let message = "line 1, column 34: `x` occurs twice";
    check("s.json", r#"{"steps": [{"in": {"x": 1, "x": 2}}]}"#, message);
    let message = "signal `x`: the type `string` is not known";
    check("s.json", r#"{"inputs": [{"name": "x", "type": "string"}], "tests": []}"#, message);
    let message = "test `s`, step 0, signal `x`: an array or object is no value";
    check("s.json", r#"{"steps": [{"in": {"x": [1]}}]}"#, message);
    let message = "test `s`, step 1: `x` is both an input and an output";
    check("s.json", r#"{"steps": [{"in": {"x": 1}}, {"out": {"x": 1}}]}"#, message);
    let text = r#"{"inputs": [{"name": "x", "type": "int"}], "steps": [{"in": {"y": 1}}]}"#;
    check("s.json", text, "test `s`, step 0: `y` is not declared");
    let text = r#"{"inputs": [{"name": "x", "type": "int"}], "steps": [{"in": {"x": true}}]}"#;
    check("s.json", text, "test `s`, step 0, signal `x`: `true` is not an int");
    let text = r#"{"tests": [{"name": "a", "steps": []}, {"name": "a", "steps": []}]}"#;
    check("s.json", text, "two tests are called `a`");
}

#[test]
fn a_suite_must_be_for_the_model() {
    let text = r#"{"model": "Other", "tests": []}"#;
    check_by_model("s.json", text, "the suite is for the model `Other`, not for `Root`");
    let text = r#"{"inputs": [{"name": "go", "type": "int"}], "tests": []}"#;
    check_by_model("s.json", text, "`go` is an int in the suite, but a bool in the model `Root`");
    let text = r#"{"outputs": [{"name": "go", "type": "bool"}], "tests": []}"#;
    let message = "`go` is an output of the suite, but an input of the model `Root`";
    check_by_model("s.json", text, message);
    let message = "`state` is an input of the suite, but an output of the model `Root`";
    check_by_model("s.sss", "SSM::set state ON\nSSM::cycle\n", message);
}

#[test]
fn scenarios_must_be_scenarios() {
    let command = "the command `puts` cannot be read here";
    check("s.sss", "SSM::cycle\nputs hello\n", &format!("line 2: {command}"));
    check("s.sss", "SSM::cycle x\n", "line 1: `x` is no number of cycles");
    check("s.sss", "SSM::set x 1\nSSM::check x 1\n", "line 2: `x` is both set and checked");
    check("s.sss", "SSM::set A/x 1\nSSM::set B/x 1\n", "line 2: two paths end in `x`");
    check("s.sss", "SSM::check x 1 soon\n", "line 1: `soon` is no option of SSM::check");
    check("s.sss", "# provoke {\n", "line 1: EOF while parsing an object");
    let text = "SSM::set go 1\nSSM::set mode ON\nSSM::cycle 2\nSSM::set mode UP\nSSM::cycle\n";
    let message = "line 4, signal `mode`: `UP` is not a constant of `Mode`";
    check_by_model("s.sss", text, message);
}

#[test]
fn jkind_results_must_be_results() {
    check(
        "r.xml",
        "<a>",
        "line 1, column 1: not well-formed XML: the root node was opened but never closed",
    );
    check("r.xml", "<html/>", "the root is `html`, not `Results`");
    let cex = |value: &str| {
        format!(
            "<Results><Property name='p'><Counterexample><Signal name='x' type='int'>{value}</Signal></Counterexample></Property></Results>"
        )
    };
    let text = cex("<Value time='0'>a</Value>");
    check("r.xml", &text, "test `p`, step 0, signal `x`: `a` is not an int");
    let text = cex("<Value>1</Value>");
    check("r.xml", &text, "test `p`, signal `x`: `` is no time of a value");
}

#[test]
fn workbooks_must_be_workbooks() {
    let error = infer(b"PK\x03\x04 not really", Format::Xlsx).unwrap_err();
    assert!(error.to_string().starts_with("not a readable XLSX workbook: "), "{error}");
    let book = |cells: &[(u32, u16, &str)]| {
        let mut book = rust_xlsxwriter::Workbook::new();
        let sheet = book.add_worksheet();
        for (row, column, text) in cells {
            sheet.write_string(*row, *column, *text).unwrap();
        }
        infer(&book.save_to_buffer().unwrap(), Format::Xlsx).unwrap_err().to_string()
    };
    let message = "test `Sheet1`, row 2: `7` stands in a column without a name";
    assert_eq!(book(&[(0, 0, "x"), (1, 1, "7")]), message);
    let message = "test `Sheet1`, row 1: two columns are called `x`";
    assert_eq!(book(&[(0, 0, "x"), (0, 1, "x")]), message);
    let message = "row 3, column `x`: `go` does not go with the cells above it";
    assert_eq!(book(&[(0, 0, "x"), (1, 0, "1"), (2, 0, "go")]), message);
    let message = "row 2: `blah` is no kind of entry";
    let change = |text: &str| {
        let mut book = rust_xlsxwriter::Workbook::new();
        let sheet = book.add_worksheet().set_name("suite").unwrap();
        sheet.write_string(0, 0, "provoke/suite/1").unwrap();
        sheet.write_string(1, 0, text).unwrap();
        infer(&book.save_to_buffer().unwrap(), Format::Xlsx).unwrap_err().to_string()
    };
    assert_eq!(change("blah"), message);
    assert_eq!(change("covers"), "row 2: `covers` comes before any test");
}

#[test]
fn files_in_no_or_unreadable_formats_are_refused() {
    let error = refusal("data.bin", "\0\0");
    assert_eq!(error.to_string(), "the file is in no format known for suites");
    assert!(error.hint.unwrap().contains("json, csv"));
    check("w.vcd", "$end", "VCD files are written, not read");
}

#[test]
fn files_that_are_too_large_are_refused() {
    let bytes = vec![b' '; MAX_BYTES + 1];
    let error = read("t.csv", &bytes, None, Typing::Infer).unwrap_err();
    assert_eq!(error.to_string(), "the file is larger than 64 MB");
}

#[test]
fn small_files_that_mean_large_suites_are_refused() {
    let values = "tests × steps × signals is more than 20000000";
    check("s.sss", "SSM::cycle 99999999999\n", &format!("line 1: {values}"));
    check(
        "s.sss",
        "SSM::set x 1\nSSM::set y 1\nSSM::cycle 20000000\n",
        &format!("line 3: {values}"),
    );
    let cex = "<Results><Property name='p'><K>99999999</K><Counterexample/></Property></Results>";
    check("r.xml", cex, &format!("test `p`: {values}"));
    let deep = format!("[{{\"x\": {}1{}}}]", "[".repeat(10_000), "]".repeat(10_000));
    let error = refusal("k.json", &deep).to_string();
    assert!(error.ends_with("records and arrays are nested more than 32 deep"), "{error}");
}

#[test]
fn numbers_that_are_short_to_write_but_long_to_hold_are_refused() {
    let text = format!("r\n{}", "1e9999\n".repeat(100_000));
    let error = refusal("t.csv", &text);
    assert_eq!(error.message, "the long numbers up to here take more than 32 MB");
}

#[test]
fn a_workbook_that_unpacks_to_gigabytes_is_refused() {
    use std::io::Write;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("_rels/.rels", zip::write::SimpleFileOptions::default()).unwrap();
    let megabyte = vec![b' '; 1 << 20];
    for _ in 0..130 {
        zip.write_all(&megabyte).unwrap();
    }
    let bytes = zip.finish().unwrap().into_inner();
    assert!(bytes.len() < 1 << 20);
    let error = infer(&bytes, Format::Xlsx).unwrap_err();
    assert_eq!(error.to_string(), "the workbook unpacks to more than 128 MB");
}

#[test]
fn repetitions_are_simple_and_finite() {
    let suite = |step: &str| format!("{{\"tests\": [{{\"name\": \"t\", \"steps\": [{step}]}}]}}");
    let one = r#"{"in": {"x": 1}}"#;
    let belong = "test `t`, step 0: `repeat` and `steps` belong together";
    check("t.json", &suite(r#"{"repeat": 3}"#), belong);
    check("t.json", &suite(&format!("{{\"steps\": [{one}]}}")), belong);
    let nested = format!(r#"{{"repeat": 2, "steps": [{{"repeat": 2, "steps": [{one}]}}]}}"#);
    let alone = "test `t`, step 0: what repeats steps has no values of its own and repeats \
                 nothing else";
    check("t.json", &suite(&nested), alone);
    let huge =
        |steps: &str| suite(&format!(r#"{{"repeat": 18446744073709551615, "steps": [{steps}]}}"#));
    assert!(refusal("t.json", &huge(one)).to_string().contains("more than 20000000"));
    let nothing = infer(huge("").as_bytes(), Format::Json).unwrap();
    assert!(nothing.suite.tests[0].steps.is_empty());
}
