//! What a user sees of generated C: it compiles, it replays suites, it finds faults.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use support::{check, json, provoke, provoke_with, scratch};

/// Compiles and runs a test program of `provoke codegen`; returns its exit code and what it says.
fn replayed(folder: &Path, name: &str) -> (i32, String) {
    let program = folder.join("program");
    let mut gcc = Command::new("gcc");
    gcc.current_dir(folder).args(["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1"]);
    gcc.args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
    gcc.args([format!("{name}.c"), format!("{name}_test.c"), "-o".into()]).arg(&program);
    let compiled = gcc.output().expect("gcc runs");
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{said}");
    let ran = Command::new(program).output().expect("it starts");
    (ran.status.code().expect("it ends"), String::from_utf8(ran.stdout).expect("text"))
}

#[test]
fn generated_suites_pass_on_the_generated_code() {
    let models = provoke_testkit::repository().join("models");
    suites_pass(&provoke_testkit::files(&models, "lus"));
}

#[test]
#[ignore = "takes minutes; run by make agreement"]
fn generated_suites_pass_on_the_code_of_the_benchmarks() {
    let folder = provoke_testkit::shared("models/lustre/single_node");
    suites_pass(&folder.map(|folder| provoke_testkit::files(&folder, "lus")).unwrap_or_default());
}

fn suites_pass(models: &[PathBuf]) {
    let folder = scratch("code-passes");
    for model in models {
        let name = model.file_stem().unwrap().to_str().unwrap();
        let model = model.to_str().unwrap();
        let out = folder.join(name);
        let out = out.to_str().unwrap();
        let suite = ["generate", model, "--method", "random", "--effort", "1", "-o", out];
        assert!([0, 5].contains(&provoke(&suite).code), "{name}");
        let suite = format!("{out}/suite.json");
        let written = json(&["codegen", model, "--int", "auto", "--suite", &suite, "-o", out], 0);
        let c_name = written["name"].as_str().unwrap();
        assert_eq!(written["int"], "auto");
        let (code, said) = replayed(Path::new(out), c_name);
        assert_eq!((code, said.starts_with("PASS")), (0, true), "{name}: {said}");
    }
}

#[test]
fn a_fault_in_the_code_is_named_with_test_step_and_signal() {
    let folder = scratch("code-fails");
    let out = folder.to_str().unwrap();
    let suite = folder.join("tests.csv");
    std::fs::write(&suite, "a,b\n1,1\n1,0\n").unwrap();
    let model = folder.join("both.lus");
    std::fs::write(&model, "node both(a, b : bool) returns (y : bool; n : int);\nlet\n  y = a and b;\n  n = 0 -> pre n + 1;\ntel;\n").unwrap();
    let model = model.to_str().unwrap();
    let arguments = ["codegen", model, "--suite", suite.to_str().unwrap(), "-o", out];
    assert_eq!(provoke(&arguments).code, 0);
    assert_eq!(replayed(&folder, "both"), (0, "PASS 1 tests, 2 steps\n".to_string()));
    let source = std::fs::read_to_string(folder.join("both.c")).unwrap();
    let faulty = source.replace("in->a && in->b", "in->a || in->b");
    assert_ne!(faulty, source);
    std::fs::write(folder.join("both.c"), faulty).unwrap();
    let (code, said) = replayed(&folder, "both");
    assert_eq!(code, 1);
    assert!(
        said.starts_with("FAIL test") && said.contains("step 2: y is true, expected false"),
        "{said}"
    );
}

#[test]
fn an_overflow_is_a_difference_and_never_passes() {
    let folder = scratch("code-overflows");
    let out = folder.to_str().unwrap();
    let model = folder.join("square.lus");
    std::fs::write(&model, "node square(x : int) returns (y : int; big : bool);\nlet\n  y = x * x;\n  big = y > 1000;\ntel;\n").unwrap();
    let suite = folder.join("tests.csv");
    std::fs::write(&suite, "x\n7\n100000\n").unwrap();
    let (model, suite) = (model.to_str().unwrap(), suite.to_str().unwrap());
    assert_eq!(provoke(&["codegen", model, "--suite", suite, "-o", out]).code, 0);
    assert_eq!(replayed(&folder, "square").0, 0);
    assert_eq!(provoke(&["codegen", model, "--int", "32", "--suite", suite, "-o", out]).code, 0);
    let (code, said) = replayed(&folder, "square");
    assert_eq!(code, 1);
    assert!(
        said.contains("step 2: y is 1410065408, expected a number that does not fit"),
        "{said}"
    );
}

#[test]
fn integers_that_are_proven_to_fit_have_32_bits_and_the_others_64() {
    let folder = scratch("code-auto");
    let out = folder.to_str().unwrap();
    let model = folder.join("both.lus");
    let text = "node both(x : int; few : subrange [0, 9] of int) returns (y, n : int);\nlet\n  y = x * x;\n  n = 0 -> if pre n < 100 then pre n + few else x mod 7;\ntel;\n";
    std::fs::write(&model, text).unwrap();
    let suite = folder.join("tests.csv");
    std::fs::write(&suite, "x,few\n3000000000,9\n-5,2\n").unwrap();
    let (model, suite) = (model.to_str().unwrap(), suite.to_str().unwrap());
    let written = ["codegen", model, "--int", "auto", "--suite", suite, "-o", out];
    assert_eq!(provoke(&written).code, 0);
    let header = std::fs::read_to_string(folder.join("both.h")).unwrap();
    for field in ["int64_t x;", "int32_t few; /* 0 to 9 */", "int64_t y;", "int32_t n;"] {
        assert!(header.contains(field), "{field}: {header}");
    }
    assert_eq!(replayed(&folder, "both"), (0, "PASS 1 tests, 2 steps\n".to_string()));
}

#[test]
fn the_code_is_shown_and_numbers_that_do_not_fit_are_refused() {
    let folder = scratch("code-snapshot");
    let out = folder.to_str().unwrap();
    assert_eq!(provoke(&["codegen", "models/wiper.lus", "--int", "32", "-o", out]).code, 0);
    for (file, snapshot) in [("wiper.c", "codegen-wiper-c.txt"), ("wiper.h", "codegen-wiper-h.txt")]
    {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let snapshot = format!("crates/cli/tests/snapshots/{snapshot}");
        provoke_testkit::check_snapshot(&provoke_testkit::repository().join(snapshot), &text);
    }
    check(
        "codegen-too-large",
        &["codegen", "testdata/large_constant.lus", "--int", "32", "-o", "nowhere"],
        3,
    );
}

#[test]
fn coverage_of_the_code_without_clang_names_what_is_missing() {
    let folder = scratch("code-no-clang");
    let suite = folder.join("tests.csv");
    std::fs::write(&suite, "lever,knob,wash,parked\n0,1,0,1\n").unwrap();
    let (suite, out) = (suite.to_str().unwrap(), folder.to_str().unwrap());
    let asked = ["codegen", "models/wiper.lus", "--suite", suite, "--coverage", "-o", out];
    let told = provoke_with(&[("PATH", "/nowhere")], &asked);
    assert_eq!(told.code, 4, "{}", told.stderr);
    assert!(told.stderr.contains("apt-get install clang-19"), "{}", told.stderr);
}
