//! Stochastic oracles as a user runs them.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use support::{json, provoke};

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("oracles").join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

const MODEL: &str = "models/timed/temperature.xml";

/// The suite of the examples, completed.
fn suite(name: &str) -> String {
    let folder = scratch(name);
    let shown = folder.display().to_string();
    let tests = "models/timed/temperature.tests";
    let ran = provoke(&["timed", "stochastic", MODEL, tests, "--runs", "2000", "-o", &shown]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    folder.join("suite.json").display().to_string()
}

/// The number of a mutant with this text.
fn mutant(text: &str) -> String {
    let listed = json(&["timed", "mutate", MODEL, "--list"], 0);
    let list = listed["list"].as_array().expect("a list");
    let found = list.iter().find(|mutant| mutant["text"].as_str() == Some(text));
    found.unwrap_or_else(|| panic!("no `{text}`"))["id"].to_string()
}

#[test]
fn the_valid_system_passes_and_numbers_are_shown() {
    let suite = suite("valid");
    let result = json(&["timed", "run", &suite, "--on", MODEL], 0);
    assert_eq!(result["schema"], "provoke/timed-run/1");
    assert_eq!((&result["passed"], &result["failed"]), (&4.into(), &0.into()), "{result}");
    // The end of the third test takes two sequences, each in runs of its own.
    assert_eq!(
        (&result["verdicts"][2]["uio"], &result["verdicts"][3]["uio"]),
        (&1.into(), &2.into())
    );
    let certain = &result["verdicts"][0];
    assert_eq!((&certain["runs"], &certain["unreliable"]), (&100.into(), &false.into()));
    assert_eq!(certain["output"]["expected"], serde_json::json!([1.0, 1.0]));
    let fair = &result["verdicts"][1];
    assert_eq!((&fair["unreliable"], &fair["output"]["suspected"]), (&false.into(), &false.into()));
    assert_eq!(result["plan"]["hypotheses"], 8, "{result}");
    assert_eq!(result["plan"]["suite_error"], 0.0025);
    assert_eq!(fair["output"]["expected"], serde_json::json!([0.5, 0.5]));
    let same = json(&["timed", "run", &suite, "--on", MODEL], 0);
    assert_eq!(result, same, "the same seed gives the same verdicts");
}

#[test]
fn a_transition_fault_is_missed_by_the_test_and_found_with_the_sequence() {
    let suite = suite("transition");
    let fault = mutant("TE: Present -> PresentQualified leads to Present");
    // The test alone, without its sequence.
    let text = std::fs::read_to_string(&suite).expect("a suite");
    let mut plain: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let tests = plain["tests"].as_array_mut().expect("tests");
    tests.truncate(1);
    tests[0].as_object_mut().expect("a test").remove("uio");
    let alone = scratch("transition").join("alone.json");
    std::fs::write(&alone, plain.to_string()).expect("a file");
    let alone = alone.display().to_string();
    let missed = json(&["timed", "run", &alone, "--on", MODEL, "--mutant", &fault], 0);
    assert_eq!(missed["passed"], 1, "{missed}");
    let found = json(&["timed", "run", &suite, "--on", MODEL, "--mutant", &fault], 1);
    let first = &found["verdicts"][0];
    assert_eq!(first["verdict"], "illegal", "{found}");
    assert!(first["reason"].as_str().expect("a reason").contains("qc == 2"), "{first}");
}

#[test]
fn a_range_that_is_shorter_is_found_by_its_frequency() {
    let suite = suite("shorter");
    let fault = mutant("TE: Present -> PresentQualified: [3400, 5100] becomes [3400, 4250]");
    for oracle in ["two-stage", "sequential", "published"] {
        let arguments =
            ["timed", "run", &suite, "--on", MODEL, "--mutant", &fault, "--oracle", oracle];
        let found = json(&arguments, 1);
        let words: Vec<&str> = found["verdicts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|v| v["verdict"].as_str().unwrap())
            .collect();
        assert_eq!(words, ["pass", "fail", "pass", "pass"], "{oracle}: {found}");
    }
}

#[test]
fn options_of_another_rule_and_its_old_name_are_told() {
    let suite = suite("rules");
    let run =
        |more: &[&str]| provoke(&[&["timed", "run", &suite, "--on", MODEL][..], more].concat());
    let most = run(&["--most", "50"]);
    assert_eq!(most.code, 2, "{}", most.stderr);
    assert!(most.stderr.contains("--most is for sequential and published"), "{}", most.stderr);
    let margin = run(&["--oracle", "published", "--margin", "0.1"]);
    assert_eq!(margin.code, 2, "{}", margin.stderr);
    let old = run(&["--oracle", "overlap"]);
    assert_eq!(old.code, 2);
    assert!(old.stderr.contains("is called published"), "{}", old.stderr);
}

#[test]
fn right_systems_pass_with_twenty_seeds() {
    let suite = suite("seeds");
    for seed in 1..=20 {
        let seed = seed.to_string();
        let result = json(&["timed", "run", &suite, "--on", MODEL, "--seed", &seed], 0);
        assert_eq!(result["failed"], 0, "seed {seed}: {result}");
    }
}

#[test]
fn tests_are_generated_and_find_the_faults_of_their_model() {
    let folder = scratch("generated");
    let tests = folder.join("tests.json").display().to_string();
    let ran = provoke(&["timed", "generate", MODEL, "-o", &tests]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let out = folder.display().to_string();
    let ran = provoke(&["timed", "stochastic", MODEL, &tests, "--runs", "500", "-o", &out]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let suite = folder.join("suite.json").display().to_string();
    let kinds = ["--operators", "restrict,widen,shift"];
    let arguments = [&["timed", "mutate", MODEL, &suite][..], &kinds].concat();
    let result = json(&arguments, 0);
    assert_eq!(result["mutants"], 12);
    assert_eq!(result["survived"], 0, "{result}");
    let one_job = json(&[&arguments[..], &["--jobs", "1"]].concat(), 0);
    assert_eq!(result, one_job);
}

#[test]
fn wrong_tests_are_told_with_what_is_right() {
    let path = scratch("wrong").join("wrong.tests");
    let shown = path.display().to_string();
    for (text, part) in [
        ("test a\n<tempOutOfRnge>", "did you mean `tempOutOfRange`?"),
        ("test a\n<wait 5> / (qd == 1)", "did you mean `qc`?"),
        ("test a -> TE.Presnt\n<wait 5>", "did you mean `TE.Present`?"),
        ("test a\n<wait", ":2: a step without `>`"),
    ] {
        std::fs::write(&path, text).expect("a file");
        let out = scratch("wrong").display().to_string();
        let ran = provoke(&["timed", "stochastic", MODEL, &shown, "-o", &out]);
        assert_eq!(ran.code, 3, "{}", ran.stderr);
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    std::fs::write(&path, "test a\n<wait 5>").expect("a file");
    let ran = provoke(&["timed", "run", &shown, "--on", MODEL, "--model", MODEL]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("provoke timed stochastic"), "{}", ran.stderr);
    let other = ["timed", "run", &suite("other"), "--on", "models/timed/lamp.xml"];
    let ran = provoke(&other);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("other channels or variables than the model"), "{}", ran.stderr);
}

/// Systems that do what their names say, with the verdict and a part of its reason.
const SYSTEMS: [(&str, &str, &str); 8] = [
    ("good", "pass", ""),
    ("late", "illegal", "isQualified == false, qc == 0"),
    ("never", "illegal", "isQualified == false, qc == 0"),
    ("early", "illegal", "isQualified == true, qc == 1"),
    ("twice", "illegal", "qc == 2"),
    ("far", "illegal", "qc == 777"),
    ("unknown", "error", "a value that isQualified cannot have"),
    ("dies", "error", "ended"),
];

/// A folder with the program `system` and a suite whose looks are far from the edges of the range, so
/// that a busy machine does not matter.
fn line_suite(name: &str) -> (PathBuf, String) {
    let folder = scratch(name);
    let source = provoke_testkit::repository().join("crates/cli/tests/timed_target.c");
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=gnu99", "-O1"]).arg(source).arg("-o").arg(folder.join("system"));
    assert!(gcc.output().expect("gcc runs").status.success());
    let tests = folder.join("line.tests");
    std::fs::write(
        &tests,
        "observe isQualified, qc\ntest slow\n<tempOutOfRange>\n\
         <wait for 1500> / (isQualified == false, qc == 0)\n\
         <wait for 18500> / (isQualified == true, qc == 1)\n",
    )
    .expect("a file");
    let (shown, out) = (tests.display().to_string(), folder.display().to_string());
    let ran = provoke(&["timed", "stochastic", MODEL, &shown, "--runs", "500", "-o", &out]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let suite = folder.join("suite.json").display().to_string();
    (folder, suite)
}

/// Runs all systems behind a connection, in real time and side by side; `connection` says how one is
/// reached.
fn all_systems(name: &str, connection: impl Fn(&str) -> String) {
    let (folder, suite) = line_suite(name);
    let ran = |mode: &str, text: String| {
        let target = folder.join(format!("{mode}.toml"));
        let text = format!("step_ms = 0.04\n[connection]\n{text}link = {{ late_ms = 2000 }}\n");
        std::fs::write(&target, text).expect("a file");
        let on = target.display().to_string();
        let few = ["--oracle", "published", "--most", "2", "--format", "json"];
        let arguments = [&["timed", "run", &suite, "--on", &on][..], &few].concat();
        let ran = provoke(&arguments);
        let result: serde_json::Value = serde_json::from_str(&ran.stdout)
            .unwrap_or_else(|error| panic!("{mode}: {error}: {}", ran.stderr));
        (ran.code, result["verdicts"][0].clone())
    };
    let ran = &ran;
    std::thread::scope(|scope| {
        let all: Vec<_> = SYSTEMS
            .iter()
            .map(|system| {
                let text = connection(system.0);
                (system, scope.spawn(move || ran(system.0, text)))
            })
            .collect();
        for ((mode, verdict, reason), thread) in all {
            let (code, result) = thread.join().expect("a run");
            assert_eq!(result["verdict"], *verdict, "{mode}: {result}");
            let found = result["reason"].as_str().unwrap_or_default();
            assert!(found.contains(reason), "{mode}: {result}");
            let wanted = match *verdict {
                "pass" => 0,
                "error" => 5,
                _ => 1,
            };
            assert_eq!(code, wanted, "{mode}");
        }
    });
}

#[test]
fn processes_and_terminals_get_a_verdict_or_an_error_with_its_reason() {
    for kind in ["process", "pty"] {
        all_systems(kind, |mode| {
            format!("kind = \"{kind}\"\ncommand = [\"./system\", \"{mode}\", \"0.04\"]\n")
        });
    }
}

#[test]
fn systems_behind_sockets_get_a_verdict_or_an_error_with_its_reason() {
    all_systems("tcp", |mode| {
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a socket");
        let port = free.local_addr().expect("an address").port();
        format!(
            "kind = \"tcp\"\naddress = \"127.0.0.1:{port}\"\n\
             command = [\"./system\", \"{mode}\", \"0.04\", \"tcp\", \"{port}\"]\n"
        )
    });
}

#[test]
fn systems_behind_serial_lines_get_a_verdict_or_an_error_with_its_reason() {
    all_systems("serial", |mode| {
        let port = scratch("serial").join(format!("{mode}.port"));
        let _ = std::fs::remove_file(&port);
        let port = port.display();
        format!(
            "kind = \"serial\"\nport = \"{port}\"\nbaud = 115200\n\
             command = [\"./system\", \"{mode}\", \"0.04\", \"serial\", \"{port}\"]\n"
        )
    });
}

#[test]
fn the_study_writes_its_tables_and_pictures_and_goes_on_where_it_was() {
    let folder = scratch("study");
    std::fs::remove_dir_all(&folder).expect("a folder");
    let shown = folder.display().to_string();
    let arguments = ["study", "stochastic", "--quick", "--models", MODEL, "-o", &shown];
    let mut result = json(&arguments, 0);
    assert_eq!((&result["study"], &result["resumed"]), (&"stochastic".into(), &0.into()));
    for file in ["stochastic.md", "rq1.csv", "rq2.csv", "rq4.csv", "power.svg", "accuracy.svg"] {
        assert!(folder.join(file).exists(), "{file}");
    }
    let cases = json(&arguments, 0)["resumed"].as_u64().expect("a number");
    assert!(cases > 100, "nothing was done again: {cases}");
    // The last case was not done: its record is cut off.
    let segment = folder.join("segments/cases.seg");
    let bytes = std::fs::read(&segment).expect("records");
    let last = bytes.iter().rposition(|byte| *byte == 0x1e).expect("a record");
    std::fs::write(&segment, &bytes[..last + 40]).expect("a file");
    let mut again = json(&arguments, 0);
    assert_eq!(again["resumed"], cases - 1);
    for result in [&mut result, &mut again] {
        result["resumed"].take();
        result["seconds"].take();
    }
    assert_eq!(result, again);
}
