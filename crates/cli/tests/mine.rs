//! What a user sees of mining programs.

mod support;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use support::{command, json, provoke, scratch};

fn example(name: &str) -> String {
    provoke_testkit::repository().join("models/c").join(name).display().to_string()
}

/// A folder with a small program and its target file.
fn counter(name: &str, limit: u32) -> (PathBuf, String) {
    let folder = scratch(name);
    let source = format!(
        "#include <stdbool.h>\nbool up;\nint count;\nbool ring;\n\
         void step(void) {{ count = up ? (count < 5 ? count + 1 : 5) : 0; ring = count >= {limit}; }}\n"
    );
    std::fs::write(folder.join("counter.c"), source).unwrap();
    let target = folder.join("counter.toml").display().to_string();
    let made = provoke(&[
        "mine",
        "--init",
        &folder.join("counter.c").display().to_string(),
        "-o",
        &target,
    ]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    (folder, target)
}

const QUICK: [&str; 4] = ["--method", "exhaustive", "--no-coverage", "--no-sanitize"];

#[test]
fn a_proposal_is_mined_proven_replayed_and_compared() {
    let (folder, target) = counter("mine-old", 3);
    let text = std::fs::read_to_string(&target).unwrap();
    assert!(text.contains("[[input]]\nname = \"up\"\ntype = \"bool\""), "{text}");
    assert!(text.contains("[[output]]\nname = \"ring\"\ntype = \"bool\""), "{text}");
    let out = folder.join("out").display().to_string();
    let result = json(&[&["mine", &target, "-o", &out], &QUICK[..]].concat(), 0);
    assert_eq!((&result["closed"], &result["states"]), (&true.into(), &6.into()), "{result}");
    assert_eq!(result["machines"][1]["states"], 6);
    assert_eq!(result["isolation"], "library");
    let suite = format!("{out}/suite.json");
    let on = format!("{out}/target.toml");
    let run = json(&["run", &suite, "--on", &on, "--mode", "direct"], 0);
    assert_eq!(run["interactions"], run["passed"], "{run}");
    let lustre = format!("{out}/exact.lus");
    assert_eq!(provoke(&["check", &lustre]).code, 0);
    // The next version rings later: the old suite fails on it, and the difference is named.
    let (folder, target) = counter("mine-new", 4);
    let new = folder.join("out").display().to_string();
    let built = provoke(&["mine", &target, "--build", "-o", &new]);
    assert_eq!(built.code, 0, "{}", built.stderr);
    let run = json(&["run", &suite, "--on", &format!("{new}/target.toml"), "--mode", "direct"], 1);
    assert!(run["failed"].as_u64().unwrap() > 0, "{run}");
    let compared = json(&[&["mine", &target, "--against", &out], &QUICK[..]].concat(), 1);
    assert_eq!(compared["differences"]["count"], 1, "{compared}");
    assert!(
        compared["differences"]["listed"][0].as_str().unwrap().contains("new count=3 ring=false")
    );
}

#[test]
fn a_target_file_may_be_named_without_a_folder() {
    let (folder, _) = counter("mine-bare", 3);
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_provoke"))
        .current_dir(&folder)
        .args(["mine", "counter.toml", "-o", "out"])
        .args(QUICK)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert!(folder.join("out/exact.txt").exists());
}

#[test]
fn a_crash_is_told_and_its_test_replayed_without_harm() {
    let folder = scratch("mine-crash");
    std::fs::write(folder.join("c.c"), "int x, y; void step(void) { y = 100 / (x - 3); }\n")
        .unwrap();
    let target = folder.join("c.toml").display().to_string();
    let text = "[program]\nsources = [\"c.c\"]\n[entry]\nfunction = \"step\"\n[[input]]\nname = \"x\"\ntype = \"int\"\n\
                range = [0, 9]\n[[output]]\nname = \"y\"\ntype = \"int\"\n";
    std::fs::write(&target, text).unwrap();
    let out = folder.join("out").display().to_string();
    let ran = provoke(&["mine", &target, "--no-coverage", "--no-sanitize", "-o", &out]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("crash1: signal 8 (division by zero or the like) (after 1 steps)"),
        "{}",
        ran.stdout
    );
    let (findings, on) = (format!("{out}/findings.json"), format!("{out}/target.toml"));
    let run = provoke(&["run", &findings, "--on", &on, "--mode", "direct"]);
    assert_ne!(run.code, 0, "{}", run.stdout);
    assert!((run.stdout + &run.stderr).contains("signal 8"));
}

/// A program cannot answer for whoever explores it.
#[test]
fn what_a_program_prints_is_no_answer() {
    let (folder, target) = counter("mine-prints", 3);
    let source = std::fs::read_to_string(folder.join("counter.c")).unwrap();
    let print = "if (write(1, \"{\\\"done\\\":null}\\nhalf\", 18)) {} ";
    let source = source.replace("void step(void) { ", &format!("void step(void) {{ {print}"));
    std::fs::write(folder.join("counter.c"), format!("#include <unistd.h>\n{source}")).unwrap();
    let result = json(&[&["mine", target.as_str()], &QUICK[..]].concat(), 0);
    assert_eq!(result["states"], 6, "{result}");
}

#[test]
fn a_model_in_lustre_is_a_program_too() {
    let folder = scratch("mine-lustre");
    let model = provoke_testkit::repository().join("models/traffic_light.lus");
    let target = folder.join("light.toml").display().to_string();
    std::fs::write(&target, format!("[program]\nmodel = \"{}\"\n", model.display())).unwrap();
    let out = folder.join("out").display().to_string();
    let words = ["mine", &target, "--effort", "1", "--no-coverage", "--no-sanitize", "-o", &out];
    let result = json(&words, 0);
    assert!(result["states"].as_u64().unwrap() > 20, "{result}");
    assert_eq!(result["machines"][0]["states"], 10, "{result}");
    // The tests that are kept show all of these states but, maybe, the first.
    let suite = std::fs::read_to_string(folder.join("out/suite.json")).unwrap();
    let suite: serde_json::Value = serde_json::from_str(&suite).unwrap();
    let tests = suite["tests"].as_array().unwrap().iter();
    let steps = tests.flat_map(|test| test["steps"].as_array().unwrap());
    let shown: BTreeSet<String> = steps.map(|step| step["out"].to_string()).collect();
    assert!(shown.len() >= 9, "{shown:?}");
}

#[test]
fn wrong_files_are_explained() {
    let folder = scratch("mine-wrong");
    let target = folder.join("t.toml").display().to_string();
    std::fs::write(&target, "[program]\nsources = [\"a.c\"]\n[entry]\nkind = \"walk\"\n").unwrap();
    let ran = provoke(&["mine", &target]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("walk") && ran.stderr.contains("mining.md"), "{}", ran.stderr);
    let ran = provoke(&["mine", &example("absent.toml")]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let text = "[program]\nsources = [\"a.c\"]\n[entry]\nfunction = \"step\"\n[[input]]\nname = \"x\"\n[[output]]\nname = \"x\"\ntype = \"int\"\n";
    std::fs::write(&target, text).unwrap();
    let ran = provoke(&["mine", &target]);
    assert_eq!(ran.code, 3);
    assert!(
        ran.stderr.contains("`x` occurs twice") && ran.stderr.contains("needs `type`"),
        "{}",
        ran.stderr
    );
}

/// The processes that explore.
fn explorers() -> Vec<PathBuf> {
    let all = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let has = |path: &PathBuf| {
        let words = std::fs::read(path.join("cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).into_owned();
        words.split('\0').any(|word| word == "--explore")
    };
    all.filter(has).collect()
}

/// Those of them that a process has started.
fn children(parent: u32) -> Vec<PathBuf> {
    let is_child = |path: &PathBuf| {
        let status = std::fs::read_to_string(path.join("status")).unwrap_or_default();
        status.lines().any(|line| line == format!("PPid:\t{parent}"))
    };
    explorers().into_iter().filter(is_child).collect()
}

#[test]
fn whoever_explores_ends_with_the_command() {
    let out = scratch("mine-killed").join("out").display().to_string();
    let words = ["mine", "models/c/memory_slave.toml", "--budget", "60s", "-o", &out];
    let mut outer = command(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let parent = outer.id();
    let within = |limit: usize, done: &dyn Fn() -> bool| {
        (0..limit).any(|_| {
            std::thread::sleep(Duration::from_millis(50));
            done()
        })
    };
    assert!(within(300, &|| !children(parent).is_empty()), "it never began");
    let exploring = children(parent);
    outer.kill().unwrap();
    outer.wait().unwrap();
    let goes_on = |path: &PathBuf| explorers().contains(path);
    assert!(within(300, &|| !exploring.iter().any(goes_on)), "{exploring:?} goes on");
}

#[test]
fn the_study_has_a_line_for_each_way() {
    let folder = scratch("mine-study");
    let out = folder.join("out").display().to_string();
    let (_, target) = counter("mine-study-program", 3);
    let study =
        ["study", "mining", "--targets", &target, "--effort", "1", "--no-throughput", "-o", &out];
    let result = json(&study, 0);
    let rows = result["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 8, "{result}");
    let closed = rows.iter().find(|row| row["method"] == "exhaustive").unwrap();
    assert_eq!(closed["closure"], "proven");
    let all = |method: &str| {
        rows.iter().find(|row| row["method"] == method).unwrap()["outcomes"]["covered"].clone()
    };
    assert_eq!(all("archive"), all("exhaustive"));
    assert!(std::fs::read_to_string(format!("{out}/mining.md")).unwrap().contains("archive"));
}
