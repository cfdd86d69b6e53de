//! What a user sees of each command.

mod support;

use support::{check, provoke, provoke_with_input, scratch};

#[test]
fn check_shows_the_interface() {
    check("check-wiper", &["check", "models/wiper.lus"], 0);
}

#[test]
fn check_shows_warnings_and_still_succeeds() {
    check("check-unguarded", &["check", "testdata/ok/unguarded-pre.lus"], 0);
}

#[test]
fn check_explains_errors() {
    check("check-several", &["check", "testdata/err/several-names.lus"], 3);
}

#[test]
fn check_speaks_json() {
    check(
        "check-json",
        &["check", "testdata/err/cycle-of-three-variables.lus", "--format", "json"],
        3,
    );
    check("check-json-ok", &["check", "models/delay_chain.lus", "--format", "json"], 0);
}

#[test]
fn the_main_node_can_be_chosen() {
    check("check-main", &["check", "models/infusion_pump.lus", "--main", "alarn"], 3);
    assert_eq!(provoke(&["check", "models/traffic_light.lus", "--main", "duration"]).code, 0);
}

#[test]
fn a_model_comes_from_standard_input_too() {
    let text = b"node m(x: bool) returns (y: bool); let y = not x; tel";
    let ran = provoke_with_input(&["check", "-"], text);
    assert_eq!((ran.code, ran.stdout.contains("<standard input>: ok")), (0, true));
}

#[test]
fn files_that_cannot_be_read_are_named() {
    check("check-absent", &["check", "no/such/model.lus"], 3);
    check("check-folder", &["check", "models"], 3);
}

#[test]
fn simulate_shows_a_table() {
    let folder = scratch("simulate_shows_a_table");
    let inputs = folder.join("inputs.csv");
    std::fs::write(&inputs, "in1,in2,in3\ntrue,false,false\nfalse,true,false\nfalse,,false\n\n")
        .unwrap();
    let path = inputs.to_str().unwrap();
    let ran =
        provoke(&["simulate", "models/delay_chain.lus", "-i", path, "--show", "v2,v3,v4,out"]);
    let table = "     step  1  2  3\nin   in1   T  .  .\nin   in2   .  T  ?\nin   in3   .  .  .\n\
                 out  v2    .  T  .\nout  v3    .  .  T\nout  v4    .  .  T\nout  out   .  .  .\n\n";
    assert_eq!(ran.stdout, table, "{}", ran.stderr);
}

#[test]
fn random_simulation_repeats_with_its_seed() {
    let run =
        |seed| provoke(&["simulate", "models/microwave.lus", "--steps", "30", "--seed", seed]);
    assert_eq!(run("4").stdout, run("4").stdout);
    assert_ne!(run("4").stdout, run("5").stdout);
}

#[test]
fn a_written_trace_is_read_back_and_compares_equal() {
    let folder = scratch("a_written_trace");
    for extension in ["csv", "json", "xlsx", "sss"] {
        let path = folder.join("trace").with_extension(extension);
        let path = path.to_str().unwrap();
        let model = "models/infusion_pump.lus";
        let wrote = provoke(&["simulate", model, "--steps", "50", "--show", "all", "-o", path]);
        assert_eq!(wrote.code, 0, "{}", wrote.stderr);
        let compared = provoke(&["simulate", model, "-i", path, "--expect", path]);
        assert_eq!(compared.code, 0, "{extension}: {}{}", compared.stdout, compared.stderr);
        assert!(compared.stdout.starts_with("50 steps, "), "{}", compared.stdout);
        assert!(compared.stdout.contains(" 0 differences"), "{}", compared.stdout);
    }
}

#[test]
fn differences_are_listed_and_exit_with_one() {
    let folder = scratch("differences");
    let path = folder.join("wrong.csv");
    std::fs::write(
        &path,
        "in1,in2,in3,v1,out,other\ntrue,true,true,false,false,1\ntrue,true,true,false,,2\n",
    )
    .unwrap();
    let path = path.to_str().unwrap();
    let ran = provoke(&["simulate", "models/delay_chain.lus", "-i", path, "--expect", path]);
    assert_eq!(ran.code, 1);
    let expected = "wrong, step 2: v1 is true, expected false\n2 steps, 3 values compared, 0 undefined, 1 differences\n";
    assert_eq!(ran.stdout, expected);
    assert!(ran.stderr.contains("ignored what names no variable: other"), "{}", ran.stderr);
}

#[test]
fn a_fault_names_expression_and_step() {
    let folder = scratch("a_fault");
    let model = folder.join("m.lus");
    std::fs::write(&model, "node m(x: int) returns (y: int);\nlet\n  y = 10 div x;\ntel\n")
        .unwrap();
    let inputs = folder.join("i.csv");
    std::fs::write(&inputs, "x\n2\n0\n").unwrap();
    let arguments = ["simulate", model.to_str().unwrap(), "-i", inputs.to_str().unwrap()];
    let ran = provoke(&arguments);
    assert_eq!(ran.code, 3);
    for part in ["division by zero at step 2", ":3:7", "10 div x", "^^^^^^^^ has no value"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    let json = provoke(&[&arguments[..], &["--format", "json"]].concat());
    assert!(json.stdout.contains("\"message\": \"division by zero\""), "{}", json.stdout);
}

#[test]
fn broken_assumptions_are_reported() {
    let text = b"node m(x: int) returns (y: int); let assert x > 0; y = x; tel";
    let folder = scratch("assumptions");
    let inputs = folder.join("i.csv");
    std::fs::write(&inputs, "x\n1\n0\n").unwrap();
    let ran = provoke_with_input(&["simulate", "-", "-i", inputs.to_str().unwrap()], text);
    let message = "warning: step 2: outside the model's assumption `x > 0` (line 1)\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (0, message));
}

#[test]
fn wrong_inputs_are_explained() {
    let folder = scratch("wrong_inputs");
    let cases = [
        ("x.csv", "in1,in2\nmaybe,true\n"),
        ("x.csv", "in1,in1\ntrue,true\n"),
        ("x.csv", "in1,in2\ntrue\n"),
        ("x.json", "{\"tests\": 7}"),
        ("x.unknown", "???"),
    ];
    for (name, content) in cases {
        let path = folder.join(name);
        std::fs::write(&path, content).unwrap();
        let ran = provoke(&["simulate", "models/delay_chain.lus", "-i", path.to_str().unwrap()]);
        assert_eq!(ran.code, 3, "{content}");
        assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains(name), "{}", ran.stderr);
    }
}

#[test]
fn transform_writes_a_model_that_checks() {
    let folder = scratch("transform");
    for inline in [&["--inline", "full"][..], &["--inline", "none"], &[]] {
        let path = folder.join("flat.lus");
        let path = path.to_str().unwrap();
        let arguments = [&["transform", "models/voter.lus", "-o", path], inline].concat();
        assert_eq!(provoke(&arguments).code, 0);
        let checked = provoke(&["check", path]);
        assert_eq!((checked.code, checked.stderr.as_str()), (0, ""));
    }
    check("transform-split", &["transform", "models/masking_inlined.lus", "--inline", "none"], 0);
}

#[test]
fn convert_changes_the_format() {
    let folder = scratch("convert");
    let csv = folder.join("t.csv");
    std::fs::write(&csv, "start,clear,power\ntrue,false,3\n,true,10\n").unwrap();
    let json = folder.join("t.json");
    let (csv, json) = (csv.to_str().unwrap(), json.to_str().unwrap());
    let ran = provoke(&["convert", csv, "--model", "models/microwave.lus", "-o", json]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(std::fs::read_to_string(json).unwrap().contains("\"provoke/suite/1\""));
    let back = provoke(&["convert", json, "--to", "csv", "-o", "-"]);
    assert_eq!(back.code, 0, "{}", back.stderr);
    assert!(back.stdout.contains("start,clear,power"), "{}", back.stdout);
}

#[test]
fn help_is_shown_where_there_is_no_project() {
    let folder = scratch("no-project");
    let ran =
        std::process::Command::new(env!("CARGO_BIN_EXE_provoke")).current_dir(&folder).output();
    let ran = ran.unwrap();
    assert_eq!(ran.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&ran.stderr).contains("Usage: provoke"));
}

#[test]
fn shells_and_man_know_every_command() {
    let folder = scratch("man");
    let ran = provoke(&["man", "-o", folder.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let page = std::fs::read_to_string(folder.join("provoke-report.1")).unwrap();
    assert!(page.contains("requirements"), "{page}");
    let script = provoke(&["completions", "bash"]).stdout;
    for command in ["report", "explain", "generate"] {
        assert!(
            script.contains(&format!("provoke__subcmd__{command}"))
                || script.contains(&format!("provoke,{command}")),
            "{command}"
        );
    }
}

#[test]
fn doctor_lists_what_it_looked_for() {
    let ran = provoke(&["doctor"]);
    assert!([0, 4].contains(&ran.code) && ran.stdout.contains("gcc"), "{}", ran.stdout);
    assert!(ran.stdout.contains("cvc5"), "{}", ran.stdout);
}

#[test]
fn usage_errors_exit_with_two() {
    assert_eq!(provoke(&["chekc"]).code, 2);
    assert_eq!(provoke(&["check"]).code, 2);
    assert_eq!(provoke(&["simulate", "m.lus", "--steps", "0"]).code, 2);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_provoke"))
        .args(["simulate", "models/microwave.lus", "--steps", "20000"])
        .current_dir(provoke_testkit::repository())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("the program ends").code(), Some(0));
}

#[test]
fn design_errors_are_listed_with_their_places() {
    let text = b"node ratio(a, d: int) returns (x: int);\nlet\n  x = a div d;\ntel\n";
    let ran = provoke_with_input(&["obligations", "-", "-c", "errors"], text);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    expect_test::expect![[r#"
        design error      place  in
        div0:a div d      3:7
        overflow:a div d  3:7
        2 obligations (errors)
    "#]]
    .assert_eq(&ran.stdout);
}
