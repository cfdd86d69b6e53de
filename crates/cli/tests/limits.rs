//! What is written down when something ends early: the disk, the program itself, or time.

#![cfg(unix)]

mod support;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use provoke_testkit::wide::Shape;
use support::{json, provoke, provoke_with, scratch, solver_is_there};

/// A lock with many digits: what the first ones leave behind is shown when the last one is right.
/// Simulation finds the end by going on from states, in which tags of the beginning wait.
const LOCK: &str = "
node lock(key: int; a, b, c, d: bool) returns (opened, open_a, open_b: bool);
var phase: int; first_a, first_b: bool;
let
  phase = 0 -> if key mod 4 = 1 and pre phase < 40 then pre phase + 1
               else if pre phase = 40 then 0 else pre phase;
  first_a = false -> if pre phase = 0 then ((a or b) and (c or d)) else pre first_a;
  first_b = false -> if pre phase = 1 then ((a and b) or (c and d)) else pre first_b;
  opened = phase = 40;
  open_a = phase = 40 and first_a;
  open_b = phase = 40 and first_b and (a or d);
tel
";

/// The obligations that each test of the suite in a folder claims.
fn claims(out: &Path) -> BTreeMap<String, Vec<String>> {
    let text = std::fs::read_to_string(out.join("suite.json")).unwrap();
    let suite: serde_json::Value = serde_json::from_str(&text).unwrap();
    let word = |word: &serde_json::Value| word.as_str().unwrap().to_string();
    let tests = suite["tests"].as_array().unwrap().iter();
    let covers =
        |test: &serde_json::Value| test["covers"].as_array().unwrap().iter().map(word).collect();
    tests.map(|test| (word(&test["name"]), covers(test))).collect()
}

/// Generates, and holds what is written against what the written suite does.
fn generate_and_measure(model: &str, out: &Path, options: &[&str]) {
    let written = out.to_str().unwrap();
    let criterion = "condition,mcdc,omcdc";
    let arguments = ["generate", model, "-c", criterion, "--effort", "1", "-o", written];
    let ran = provoke(&[&arguments[..], options, &["--format", "json"]].concat());
    assert!([0, 5].contains(&ran.code), "{model} {options:?}: {}", ran.stderr);
    let generated: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let suite = generated["suite"].as_str().unwrap();
    let measured = json(&["measure", model, suite, "-c", criterion], 0);
    let mut uncovered: Vec<&str> = Vec::new();
    let claims = claims(out);
    for verdict in generated["verdicts"].as_array().unwrap() {
        let id = verdict["id"].as_str().unwrap();
        match verdict["verdict"].as_str().unwrap() {
            "covered" => {
                let test = verdict["test"].as_str().unwrap();
                assert!(
                    claims[test].iter().any(|claimed| claimed == id),
                    "{test} does not claim {id}"
                );
            }
            _ => uncovered.push(id),
        }
    }
    let measured: Vec<&str> =
        measured["uncovered"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    assert_eq!(uncovered, measured, "{model} {options:?}");
}

#[test]
fn what_is_unknown_is_covered_by_no_test_of_the_suite() {
    let folder = scratch("unknown-is-not-covered");
    let lock = folder.join("lock.lus");
    std::fs::write(&lock, LOCK).unwrap();
    for seed in ["1", "2", "3"] {
        let out = folder.join(format!("lock-{seed}"));
        let options = ["--method", "random", "--seed", seed];
        generate_and_measure(lock.to_str().unwrap(), &out, &options);
    }
    if !solver_is_there() {
        return;
    }
    for model in ["delay_chain", "masking_split"] {
        for method in ["random", "regular", "incremental", "hybrid"] {
            let out = folder.join(format!("{model}-{method}"));
            generate_and_measure(&format!("models/{model}.lus"), &out, &["--method", method]);
        }
    }
    let out = folder.join("wiper");
    generate_and_measure("models/wiper.lus", &out, &["--reduce", "none"]);
}

/// A model with an obligation that neither simulation nor a look at a few steps settles.
const STUCK: &str = "
node stuck(x, y, z: int) returns (found: bool);
let
  found = x * x * x + y * y * y + z * z * z = 42 and x > 1000;
tel
";

/// A fault in the program: exit code 70, one message with what to report.
fn assert_reported(ran: &support::Ran) {
    assert_eq!(ran.code, 70, "{}", ran.stderr);
    let errors = ran.stderr.lines().filter(|line| line.starts_with("error: ")).count();
    assert_eq!(errors, 1, "{}", ran.stderr);
    for part in ["internal error: asked for by", ".rs:", "Please report", "0.1.0", "generate"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    assert!(!ran.stderr.contains("RUST_BACKTRACE"), "{}", ran.stderr);
}

#[test]
fn a_panic_becomes_a_message_and_an_exit_code_of_its_own() {
    let ran = provoke_with(
        &[("PROVOKE_PANIC_AT", "command")],
        &["generate", "models/voter.lus", "--method", "random"],
    );
    assert_reported(&ran);
}

#[test]
fn a_panic_in_a_thread_or_a_worker_leaves_the_store_intact() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("panics");
    let model = folder.join("stuck.lus");
    std::fs::write(&model, STUCK).unwrap();
    for (place, engine) in [("thread", None), ("worker", Some("local"))] {
        let out = folder.join(place);
        let arguments = ["generate", model.to_str().unwrap(), "--effort", "1", "-o"];
        let mut arguments = [&arguments[..], &[out.to_str().unwrap()]].concat();
        if let Some(engine) = engine {
            arguments.extend(["--workers", engine]);
        }
        let ran = provoke_with(&[("PROVOKE_PANIC_AT", place)], &arguments);
        assert_reported(&ran);
        let again = provoke(&arguments);
        assert!([0, 5].contains(&again.code), "{place}: {}", again.stderr);
        assert!(out.join("verdicts.json").exists(), "{place}");
    }
}

/// Runs with a limit on the size of files, in blocks of 512 bytes, as a full disk would do.
fn provoke_with_small_files(blocks: usize, arguments: &[&str]) -> (i32, String) {
    let program = env!("CARGO_BIN_EXE_provoke");
    let script = format!("ulimit -f {blocks} && exec \"$0\" \"$@\"");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script, program]).args(arguments);
    let output = shell.current_dir(provoke_testkit::repository()).output().unwrap();
    let code = output.status.code().expect("not killed by a signal");
    (code, String::from_utf8(output.stderr).unwrap())
}

/// The names of all files in a folder, with what is in them.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.is_file());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    files.map(|path| (name(&path), std::fs::read(&path).unwrap())).collect()
}

#[test]
fn a_full_disk_leaves_all_files_as_they_were_and_the_next_run_goes_on() {
    let out = scratch("full-disk").join("out");
    let written = out.to_str().unwrap();
    let arguments = ["generate", "models/voter.lus", "--method", "random", "--effort", "1"];
    let arguments = [&arguments[..], &["--reduce", "none", "-o", written]].concat();
    // Nothing was there: nothing is there.
    let (code, told) = provoke_with_small_files(8, &arguments);
    assert_eq!(code, 3, "{told}");
    assert!(told.contains("cannot write") && told.contains("make room"), "{told}");
    let left = contents(&out);
    assert!(left.keys().all(|name| name == "store.json"), "{:?}", left.keys());
    // Some files would fit: none of those that belong together is replaced.
    assert_eq!(provoke(&arguments).code, 5);
    let before = contents(&out);
    for name in ["suite.json", "verdicts.json", "settings.json", "model.lus"] {
        assert!(before.contains_key(name), "{name}");
    }
    let sizes = before.values().map(Vec::len);
    let most = sizes.max().unwrap().div_ceil(512);
    let (code, told) = provoke_with_small_files(most - 1, &arguments);
    assert_eq!(code, 3, "{told}");
    assert_eq!(contents(&out), before);
    assert_eq!(provoke(&arguments).code, 5);
}

#[test]
fn a_file_that_does_not_fit_is_not_begun() {
    let folder = scratch("does-not-fit");
    let file = |name: &str| folder.join(name).to_str().unwrap().to_string();
    let model = "models/ward_pump.lus";
    let (code, suite, traces) = (file("c"), file("suite.json"), file("trace.csv"));
    let random = ["--method", "random", "--effort", "1"];
    let (report, stryker) = (file("report.html"), file("stryker.json"));
    let out = file("out");
    let generated = provoke(&[&["generate", model, "-o", &out], &random[..]].concat());
    assert_eq!(generated.code, 5, "{}", generated.stderr);
    let found = format!("{out}/suite.json");
    let commands: [&[&str]; 6] = [
        &["codegen", model, "-o", &code],
        &["simulate", model, "--steps", "100", "-o", &traces],
        &["convert", &found, "-o", &suite],
        &["reduce", model, &found, "-o", &suite],
        &["report", &out, "-o", &report],
        &["mutate", model, &found, "--sample", "50", "--stryker", &stryker],
    ];
    for arguments in commands {
        let (ended, told) = provoke_with_small_files(4, arguments);
        assert_eq!(ended, 3, "{arguments:?}: {told}");
        assert!(told.contains("cannot write") && told.contains("make room"), "{told}");
    }
    let left: Vec<String> = contents(&folder).into_keys().collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(contents(Path::new(&code)).values().all(|bytes| bytes.len() <= 2048));
}

/// A model with a decision of so many conditions, in a file.
fn wide_model(folder: &Path, shape: Shape, size: usize) -> String {
    let path = folder.join(format!("{shape:?}-{size}.lus"));
    std::fs::write(&path, shape.model(size)).unwrap();
    path.to_str().unwrap().to_string()
}

#[test]
fn a_budget_ends_the_work_on_a_wide_decision() {
    let folder = scratch("budget");
    let model = wide_model(&folder, Shape::Thresholds, 5_000);
    let start = std::time::Instant::now();
    let ran = provoke(&["generate", &model, "-c", "mcdc", "--budget", "2s"]);
    // Other programs may run beside the tests; without looks at the clock it takes far longer.
    assert!(start.elapsed().as_secs_f64() < 12.0, "took {:?}", start.elapsed());
    assert!([0, 4, 5].contains(&ran.code), "{}", ran.stderr);
}

#[test]
fn a_signal_ends_the_work_on_a_wide_decision_and_keeps_what_was_found() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("signal");
    let model = wide_model(&folder, Shape::Thresholds, 5_000);
    let out = folder.join("out");
    let arguments = ["generate", &model, "-c", "mcdc", "--effort", "1000", "-o"];
    let mut command = support::command(&[&arguments[..], &[out.to_str().unwrap()]].concat());
    let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(3));
    let start = std::time::Instant::now();
    Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(start.elapsed().as_secs_f64() < 12.0, "took {:?}", start.elapsed());
    assert!(out.join("verdicts.json").exists());
}

#[test]
fn too_much_memory_ends_the_work_and_keeps_what_was_found() {
    let folder = scratch("memory");
    let model = wide_model(&folder, Shape::And, 1_200);
    let out = folder.join("out");
    let arguments = ["generate", &model, "-c", "mcdc", "--method", "random", "-o"];
    let arguments = [&arguments[..], &[out.to_str().unwrap()]].concat();
    let little = [("PROVOKE_MEMORY", "1")];
    let ran = provoke_with(&little, &arguments);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    assert!(ran.stderr.contains("stopped at 1 MB of memory"), "{}", ran.stderr);
    assert_eq!(provoke_with(&[("PROVOKE_MEMORY", "4000")], &arguments).code, 0);
    let suite = out.join("suite.json");
    let ran = provoke_with(&little, &["mutate", &model, suite.to_str().unwrap()]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    assert!(ran.stdout.contains("stopped before all tests were run"), "{}", ran.stdout);
}

#[test]
fn the_mutants_of_a_wide_decision_are_written_in_about_as_much_room_as_it_is_wide() {
    let folder = scratch("wide-mutants");
    let bytes = |size: usize| {
        let model = wide_model(&folder, Shape::And, size);
        provoke(&["mutate", &model, "--list", "--format", "json"]).stdout.len()
    };
    let (narrow, wide) = (bytes(500), bytes(1_000));
    assert!(wide * 10 < narrow * 24, "{narrow} bytes, then {wide}");
}

/// Things that nest, so deep.
fn nested(depth: usize) -> [(&'static str, String); 5] {
    let model = |body: String| {
        format!("node deep(a: bool; x: int) returns (y: bool);\nlet y = {body}; tel\n")
    };
    let around =
        |begin: &str, end: &str| model(format!("{}a{}", begin.repeat(depth), end.repeat(depth)));
    let call = |n: usize| {
        let inner = if n == 0 { "a".to_string() } else { format!("c{}(a)", n - 1) };
        format!("node c{n}(a: bool) returns (y: bool); let y = not {inner}; tel\n")
    };
    let calls: String = (0..depth).map(call).collect();
    let top = model(format!("c{}(a)", depth - 1));
    [
        ("parentheses", around("(", ")")),
        ("unary", around("not ", "")),
        ("if", around("if x > 0 then not a else ", "")),
        ("pre", around("(false -> pre ", ")")),
        ("calls", format!("{calls}{top}")),
    ]
}

#[test]
fn what_nests_deep_is_read_or_refused_in_words() {
    let folder = scratch("deep");
    // Above the limit of the reader, and below it.
    for depth in [30_000, 3_000] {
        for (kind, text) in nested(depth) {
            if kind == "calls" && depth > 3_000 {
                continue;
            }
            let path = folder.join(format!("{kind}-{depth}.lus"));
            std::fs::write(&path, text).unwrap();
            let model = path.to_str().unwrap();
            let main = ["--main", "deep"];
            let c = folder.join(format!("{kind}-{depth}-c"));
            for command in [
                vec!["check", model],
                vec!["simulate", model, "--steps", "3"],
                vec!["transform", model],
                vec!["codegen", model, "-o", c.to_str().unwrap()],
            ] {
                let ran = provoke(&[&command[..], &main].concat());
                let told = &ran.stderr[..ran.stderr.len().min(300)];
                assert!([0, 3].contains(&ran.code), "{kind}, {depth}: {command:?}: {told}");
                assert!(ran.code == 0 || told.contains("nested"), "{kind}, {depth}: {told}");
            }
        }
    }
}

/// Squared in each step: after sixteen steps no run goes on.
const SQUARES: &str = "
node squares(x: bool) returns (o: int; claim: bool);
let
  o = 1 + ((-1) -> pre o) * (3 -> pre o);
  claim = o * o >= 0 and o <> 12;
  --%PROPERTY claim;
tel
";

#[test]
fn numbers_that_grow_without_bounds_end_a_search() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("squares");
    let model = folder.join("squares.lus");
    std::fs::write(&model, SQUARES).unwrap();
    let start = std::time::Instant::now();
    let arguments = ["prove", model.to_str().unwrap(), "--prover", "bmc", "--effort", "1"];
    let ran = provoke(&arguments);
    assert_eq!(ran.code, 5, "{} {}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("unknown"), "{}", ran.stdout);
    // A solver that computes these numbers is busy for minutes.
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}
