//! Tests and proofs in the numbers of generated C, and what that C does with them.

mod support;

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use support::{json, provoke, scratch};

const COUNTER: &str = "node counter(up: bool) returns (neg: bool);
var n: int;
let
  n = 2147483640 -> if up then pre n + 1 else pre n;
  neg = n < 0;
  --%PROPERTY not neg;
tel
";

const TENTHS: &str = "node tenths(go: bool) returns (hit: bool);
var t: real;
let
  t = 0.0 -> if go then pre t + 0.1 else pre t;
  hit = (t = 0.3);
tel
";

const QUOTIENT: &str = "node quotient(x, y: int) returns (low: bool);
let
  low = (if x > 0 then x div y else 0) * 0 > 0;
  --%PROPERTY not low;
tel
";

/// A file with a model, in a folder of its own.
fn written(name: &str, text: &str) -> (String, String) {
    let folder = scratch(name);
    let path = folder.join("model.lus");
    std::fs::write(&path, text).expect("a folder of our own");
    (path.display().to_string(), folder.join("out").display().to_string())
}

/// The verdict and the numbers of an obligation.
fn verdict<'j>(result: &'j Value, id: &str) -> (&'j str, &'j str) {
    let all = result["verdicts"].as_array().expect("verdicts");
    let one = all.iter().find(|verdict| verdict["id"] == id).expect("the obligation");
    (one["verdict"].as_str().unwrap(), one["numbers"].as_str().unwrap_or("none"))
}

/// Compiles the C of a model with its suite; says whether all tests pass.
fn passes(model: &str, suite: &str, name: &str, numbers: &[&str]) -> bool {
    let folder = Path::new(suite).parent().expect("a folder").join("c");
    let out = folder.display().to_string();
    let mut words = vec!["codegen", model, "--suite", suite, "-o", &out];
    words.extend(numbers);
    assert_eq!(provoke(&words).code, 0);
    let mut gcc = Command::new("gcc");
    gcc.current_dir(&folder).args(["-std=c99", "-O2", "-ffp-contract=off", "-Wall", "-Werror"]);
    gcc.args([format!("{name}.c"), format!("{name}_test.c"), "-o".into(), "program".into()]);
    assert!(gcc.output().expect("gcc runs").status.success());
    Command::new(folder.join("program")).output().expect("it starts").status.success()
}

#[test]
fn a_counter_that_wraps_is_infeasible_exactly_and_covered_in_c() {
    let (model, out) = written("numbers-counter", COUNTER);
    let asked = ["generate", &model, "-c", "mcdc", "--effort", "1"];
    let exact = json(&asked, 0);
    assert_eq!(verdict(&exact, "neg:mcdc:1T"), ("infeasible", "ideal"));
    let c = ["--numbers", "c", "--int", "32", "-o", &out];
    let machine = json(&[&asked[..], &c].concat(), 0);
    assert_eq!(verdict(&machine, "neg:mcdc:1T"), ("covered", "machine"));
    let suite = format!("{out}/suite.json");
    assert!(passes(&model, &suite, "counter", &["--int", "32"]));
    // Other numbers are refused, unless the user knows better.
    let other = ["codegen", &model, "--int", "64", "--suite", &suite, "-o", &out];
    let refused = provoke(&other);
    assert_eq!(refused.code, 3);
    assert!(refused.stderr.contains("the suite was made for integers of 32 bits and double"));
    assert!(!passes(&model, &suite, "counter", &["--int", "64", "--allow-other-numbers"]));
    // What the folder claims is measured again in the same numbers.
    assert_eq!(provoke(&["explain", "neg:mcdc:1T", &out]).code, 0);
    let measured = ["measure", &model, &suite, "-c", "mcdc", "--numbers", "c", "--int", "32"];
    assert_eq!(json(&measured, 0)["percent"], 100.0);
    let exactly = provoke(&measured[..5]);
    assert_eq!(exactly.code, 3);
    assert!(exactly.stderr.contains("add `--numbers c --int 32 --real double`"), "{exactly:?}");
    assert_eq!(provoke(&["audit", &out]).code, 3);
}

#[test]
fn rounding_decides_whether_tenths_add_up() {
    let (model, out) = written("numbers-tenths", TENTHS);
    let asked = ["generate", &model, "-c", "mcdc", "--effort", "1"];
    assert_eq!(verdict(&json(&asked, 0), "hit:mcdc:1T"), ("covered", "ideal"));
    let float = ["--numbers", "c", "--real", "float", "-o", &out];
    let float = json(&[&asked[..], &float].concat(), 0);
    assert_eq!(verdict(&float, "hit:mcdc:1T"), ("covered", "machine"));
    assert!(passes(&model, &format!("{out}/suite.json"), "tenths", &["--real", "float"]));
    let double = json(&[&asked[..], &["--numbers", "c"]].concat(), 5);
    assert_eq!(verdict(&double, "hit:mcdc:1T"), ("unknown", "none"));
}

#[test]
fn a_theorem_of_durations_is_true_of_exact_numbers_only() {
    let Some(folder) = provoke_testkit::shared("models/lustre/multi_node") else { return };
    let model = folder.join("durationThm_1_e2_3.lus").display().to_string();
    let exact = json(&["prove", &model, "--effort", "2"], 0);
    assert_eq!(verdict(&exact, "OK"), ("holds", "ideal"));
    let c = ["prove", &model, "--effort", "2", "--numbers", "c", "--int", "32"];
    assert_eq!(verdict(&json(&c, 1), "OK"), ("violated", "machine"));
}

#[test]
fn a_proof_says_that_it_ends_where_something_divides_by_zero() {
    let (model, _) = written("numbers-quotient", QUOTIENT);
    let c = ["prove", &model, "--numbers", "c", "--int", "32", "--effort", "1"];
    let found = json(&c, 0);
    assert_eq!(verdict(&found, "not low"), ("holds", "machine-finite"));
    let reason = found["verdicts"][0]["numbers_reason"].as_str().expect("a reason");
    assert_eq!(
        reason,
        "`x div y` (line 3) may divide by zero, where runs end here and the code goes on"
    );
    let text = provoke(&c).stdout;
    assert!(text.contains("in the numbers of C: integers of 32 bits, double"), "{text}");
    assert!(text.contains("1 proof holds for finite runs only: `x div y`"), "{text}");
}

#[test]
fn numbers_that_do_not_fit_are_shown_where_they_are_written() {
    let text = "node n(x: int) returns (y: bool); let y = x > 4000000000; tel";
    let (model, _) = written("numbers-large", text);
    let refused = provoke(&["generate", &model, "--numbers", "c", "--int", "32"]);
    assert_eq!(refused.code, 3);
    assert!(refused.stderr.contains("4000000000 does not fit 32 bits"), "{}", refused.stderr);
    assert!(refused.stderr.contains("use integers of 64 bits"), "{}", refused.stderr);
    let wide = ["generate", &model, "--numbers", "c", "--int", "auto", "--effort", "1"];
    assert_eq!(provoke(&wide).code, 0);
}

/// A counter whose value is seen, so that a suite without wrap-around shows, too.
const SEEN: &str = "node counter(up: bool) returns (n: int; neg: bool);
let
  n = 2147483640 -> if up then pre n + 1 else pre n;
  neg = n < 0;
tel
";

/// The suite of a model for the numbers of C with so many bits.
fn generated(model: &str, out: &str, bits: &str) -> String {
    let folder = format!("{out}{bits}");
    let asked = ["generate", model, "-c", "mcdc", "--effort", "1", "--numbers", "c"];
    // With 64 bits the counter is not decided.
    let code = provoke(&[&asked[..], &["--int", bits, "-o", &folder]].concat()).code;
    assert!(matches!(code, 0 | 5), "{code}");
    format!("{folder}/suite.json")
}

/// What a suite says of its integers.
fn bits_of(suite: &str) -> String {
    let text = std::fs::read_to_string(suite).expect("a suite");
    let suite: Value = serde_json::from_str(&text).expect("JSON");
    suite["numbers"]["int"].as_str().unwrap_or("exact").to_string()
}

#[test]
fn a_target_with_a_model_runs_suites_for_its_own_numbers_only() {
    let (model, out) = written("numbers-target", SEEN);
    let (narrow, wide) = (generated(&model, &out, "32"), generated(&model, &out, "64"));
    let code = ["codegen", &model, "--int", "32", "--target", "linux", "-o", &out];
    assert_eq!(provoke(&code).code, 0);
    assert!(Command::new("make").args(["-C", &out]).output().expect("make runs").status.success());
    let target = format!("{out}/target.toml");
    let run = |suite: &str| provoke(&["run", suite, "--on", &target, "--mode", "direct"]);
    let passed = run(&narrow);
    assert_eq!(passed.code, 0, "{passed:?}");
    let refused = run(&wide);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(refused.stderr.contains("the suite was made for integers of 64 bits"), "{refused:?}");
}

#[test]
fn a_suite_is_extended_and_rewritten_in_its_own_numbers_only() {
    let (model, out) = written("numbers-rewritten", SEEN);
    let suite = generated(&model, &out, "32");
    let new = format!("{out}/new");
    let (c32, c64) = (["--numbers", "c", "--int", "32"], ["--numbers", "c", "--int", "64"]);
    let extend =
        ["generate", &model, "-c", "mcdc", "--effort", "1", "--extend", &suite, "-o", &new];
    let kill = ["mutate", &model, &suite, "--kill", "--effort", "1", "-o", &new];
    let measure = ["measure", &model, &suite, "-c", "mcdc", "-o", &new];
    for command in [&extend[..], &kill, &measure] {
        for numbers in [&[][..], &c64] {
            let refused = provoke(&[command, numbers].concat());
            assert_eq!(refused.code, 3, "{command:?} {refused:?}");
            let hint = "add `--numbers c --int 32 --real double`";
            assert!(refused.stderr.contains(hint), "{refused:?}");
        }
        let _ = std::fs::remove_dir_all(&new);
        let same = provoke(&[command, &c32].concat());
        assert!(matches!(same.code, 0 | 5), "{command:?} {same:?}");
        assert_eq!(bits_of(&format!("{new}/suite.json")), "32", "{command:?}");
        std::fs::remove_dir_all(&new).expect("it was written");
    }
    // The smaller suite is computed with the numbers of the larger one.
    let small = format!("{out}-small.json");
    assert_eq!(json(&["reduce", &model, &suite, "-c", "mcdc", "-o", &small], 0)["covered"], 4);
    assert_eq!(bits_of(&small), "32");
}

#[test]
fn what_a_suite_leaves_open_is_filled_in_with_its_own_numbers() {
    let (model, out) = written("numbers-filled", SEEN);
    let suite = generated(&model, &out, "32");
    let again = format!("{out}-again.json");
    let convert = ["convert", &suite, "-o", &again, "--model", &model, "--expected", "output"];
    assert_eq!(provoke(&convert).code, 0);
    let read = |path: &str| std::fs::read_to_string(path).expect("a suite");
    assert!(read(&again).contains("-2147483648"));
    assert_eq!(bits_of(&again), "32");
    // A suite without expectations gets those of the code that it was made for.
    let mut open: Value = serde_json::from_str(&read(&suite)).expect("JSON");
    open["outputs"] = Value::Array(Vec::new());
    for test in open["tests"].as_array_mut().expect("tests") {
        for step in test["steps"].as_array_mut().expect("steps") {
            step["out"] = Value::Object(serde_json::Map::new());
        }
    }
    std::fs::write(&again, open.to_string()).expect("a folder of our own");
    assert!(passes(&model, &again, "counter", &["--int", "32"]));
}

#[test]
fn tests_that_expect_exact_numbers_differ_and_are_no_internal_error() {
    let (model, out) = written("numbers-differ", SEEN);
    let table = format!("{out}.csv");
    let rows = "true,2147483640\n".to_string() + &"true,\n".repeat(8) + "true,2147483649\n";
    std::fs::write(&table, format!("up,n\n{rows}")).expect("a folder of our own");
    let extend = ["generate", &model, "-c", "mcdc", "--effort", "1", "--extend", &table];
    let found = json(&[&extend[..], &["--numbers", "c", "--int", "32"]].concat(), 1);
    assert_eq!(found["differences"][0]["computed"], "-2147483647");
    // Tests that a mutant needs are for the numbers that they were computed with.
    let kill = ["mutate", &model, &table, "--kill", "--effort", "1", "-o", &out];
    provoke(&[&kill[..], &["--numbers", "c", "--int", "32"]].concat());
    assert_eq!(bits_of(&format!("{out}/suite.json")), "32");
}

#[test]
fn zero_times_infinity_is_not_known_and_nothing_is_claimed_of_it() {
    let text = "node grow(c: bool) returns (p: bool);
var x: real; n: int;
let
  x = 1e200 -> pre x * 1e200;
  n = 0 -> if pre n < 5 then pre n + 1 else 5;
  p = n = 3 and 0.0 * x = 0.0;
  --%PROPERTY not p;
tel
";
    let (model, out) = written("numbers-infinity", text);
    let c = ["--numbers", "c", "--effort", "1"];
    let found = json(&[&["prove", &model][..], &c].concat(), 5);
    assert_eq!(verdict(&found, "not p"), ("unknown", "none"));
    let found = json(&[&["generate", &model, "-c", "mcdc", "-o", &out][..], &c].concat(), 5);
    assert_eq!(verdict(&found, "p:mcdc:1T"), ("unknown", "none"));
    assert!(passes(&model, &format!("{out}/suite.json"), "grow", &[]));
    // With a finite factor it is zero, in C as in exact numbers.
    let text = "node far(a: real) returns (p: bool); let p = 0.0 * (a * 1e300) = 0.0; tel";
    let (model, out) = written("numbers-far", text);
    let found = json(&[&["generate", &model, "-c", "mcdc", "-o", &out][..], &c].concat(), 0);
    assert_eq!(verdict(&found, "p:mcdc:1T"), ("covered", "machine"));
    assert_eq!(verdict(&found, "p:mcdc:1F"), ("infeasible", "machine-finite"));
    assert!(passes(&model, &format!("{out}/suite.json"), "far", &[]));
}
