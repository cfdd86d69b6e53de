//! Work that other processes do: the same results as without them, whatever dies.

mod support;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::{command, provoke, provoke_with, solver_is_there};

/// Work for solvers, since simulation is left out.
const GENERATE: [&str; 8] =
    ["generate", "models/delay_chain.lus", "-c", "omcdc", "--method", "regular", "--effort", "1"];

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// All that a run wrote for others to read, but for times.
fn results(folder: &Path, names: &[&str]) -> Vec<String> {
    let read = |name: &&str| std::fs::read_to_string(folder.join(name)).expect("a result");
    names.iter().map(read).collect()
}

fn plans(store: &Path) -> usize {
    let entries = std::fs::read_dir(store.join("engine")).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    names.filter(|name| name.to_string_lossy().starts_with("plan-")).count()
}

fn generated(folder: &Path, more: &[&str]) -> Vec<String> {
    let ran = provoke(&[&GENERATE[..], &["-o", text(folder)], more].concat());
    assert!([0, 5].contains(&ran.code), "{}", ran.stderr);
    assert_eq!(ran.stderr, "", "no trouble");
    results(folder, &["suite.json", "verdicts.json"])
}

#[test]
fn workers_find_what_one_process_finds() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("workers-generate");
    let alone = generated(&folder.join("alone"), &[]);
    let store = folder.join("a store");
    let together = generated(
        &folder.join("together"),
        &["--engine", "local", "--jobs", "3", "--store", text(&store)],
    );
    assert_eq!(together, alone);
    let planned = plans(&store);
    assert!(planned > 0, "solvers had work");
    let again = generated(&folder.join("again"), &["--engine", "local", "--store", text(&store)]);
    assert_eq!(again, alone);
    assert_eq!(plans(&store), planned, "nothing was left to do");
}

#[test]
fn mutants_come_to_the_same_with_workers() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("workers-mutate");
    let tests = folder.join("tests");
    let model = "models/voter.lus";
    let weak = ["generate", model, "-c", "condition", "--method", "random", "--effort", "1", "-o"];
    assert!([0, 5].contains(&provoke(&[&weak[..], &[text(&tests)]].concat()).code));
    let suite = tests.join("suite.json");
    let mutated = |out: &str, more: &[&str]| {
        let out = folder.join(out);
        let mutate = ["mutate", model, text(&suite), "--sample", "60", "--kill", "--effort", "1"];
        let ran = provoke(&[&mutate[..], &["-o", text(&out)], more].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        let mutants = &results(&out, &["mutants.json"])[0];
        let mut mutants: serde_json::Value = serde_json::from_str(mutants).expect("JSON");
        ["seconds", "suite"].iter().for_each(|name| mutants[*name] = "left out".into());
        (mutants, results(&out, &["suite.json"]))
    };
    let alone = mutated("alone", &[]);
    assert_eq!(mutated("together", &["--engine", "local", "--jobs", "2"]), alone);
    assert!(plans(&folder.join("together")) > 1, "mutants were run, and survivors decided");
    let workers = processes(&folder.join("together"));
    assert!(workers.len() <= 2, "workers are kept from stage to stage: {workers:?}");
}

/// The processes that have written to a store, by the names of their segments.
fn processes(store: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(store.join("segments")).expect("segments");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").expect("a name");
    let process = |name: OsString| {
        let name = name.into_string().expect("UTF-8");
        let (_, number) = name.split_once(&format!("worker-{}-", host.trim()))?;
        Some(number.chars().take_while(char::is_ascii_digit).collect())
    };
    let found: BTreeSet<String> = names.filter_map(process).collect();
    assert!(!found.is_empty(), "workers did it");
    found
}

#[test]
fn a_study_comes_to_the_same_with_workers() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("workers-study");
    let studied = |out: &str, more: &[&str]| {
        let out = folder.join(out);
        let study = ["study", "observability", "--models", "models/delay_chain.lus", "--quick"];
        let ran = provoke(&[&study[..], &["-o", text(&out)], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        results(&out, &["suites.csv", "table-07-efficacy.csv", "table-14-verdicts.csv"])
    };
    let alone = studied("alone", &[]);
    assert_eq!(studied("together", &["--engine", "local", "--jobs", "2"]), alone);
    assert!(plans(&folder.join("together")) > 0, "workers did it");
}

#[test]
fn an_estimate_comes_to_the_same_with_workers() {
    let folder = scratch("workers-estimate");
    let estimated = |more: &[&str]| {
        let words = ["timed", "estimate", "models/timed/lamp.xml", "--epsilon", "0.01"];
        let ran = provoke(&[&words[..], more, &["--format", "json"]].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        let timed = |line: &&str| line.contains("\"seconds\"");
        ran.stdout.lines().filter(|line| !timed(line)).map(String::from).collect::<Vec<_>>()
    };
    let alone = estimated(&[]);
    for jobs in ["1", "3"] {
        let store = folder.join(jobs);
        let more = ["--engine", "local", "--jobs", jobs, "--store", text(&store)];
        assert_eq!(estimated(&more), alone, "{jobs}");
        assert!(plans(&store) > 0, "workers did it");
    }
}

#[test]
fn whoever_is_killed_the_results_are_the_same() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("workers-killed");
    let alone = generated(&folder.join("alone"), &[]);
    let store = folder.join("a store");
    let out = folder.join("together");
    let more = ["--engine", "local", "--jobs", "2", "-o", text(&out), "--store", text(&store)];
    let start = || {
        let mut command = command(&[&GENERATE[..], &more].concat());
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts")
    };
    let mut coordinator = start();
    wait_for_records(&store);
    coordinator.kill().expect("killed");
    coordinator.wait().expect("ended");
    let mut coordinator = start();
    // Whichever workers are there are killed, until none come any more.
    for _ in 0..3 {
        let pids = workers(&store);
        let _ = Command::new("kill").arg("-9").args(pids).stderr(Stdio::null()).status();
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(matches!(coordinator.wait().expect("ended").code(), Some(0 | 5)));
    // What was given up after so many deaths is done when the command is typed again.
    let again = provoke(&[&GENERATE[..], &more].concat());
    assert!([0, 5].contains(&again.code), "{}", again.stderr);
    assert_eq!(results(&out, &["suite.json", "verdicts.json"]), alone);
}

fn wait_for_records(store: &Path) {
    let start = Instant::now();
    let some = |entry: std::fs::DirEntry| entry.metadata().is_ok_and(|data| data.len() > 0);
    let segments = || std::fs::read_dir(store.join("segments")).into_iter().flatten().flatten();
    while !segments().any(some) {
        assert!(start.elapsed() < Duration::from_secs(300), "no records");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The processes of workers on a store.
fn workers(store: &Path) -> Vec<String> {
    let of_worker = |entry: &std::fs::DirEntry| {
        let words = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).replace('\0', " ");
        words.contains(" worker ") && words.contains(text(store))
    };
    let entries = std::fs::read_dir("/proc").expect("processes").flatten().filter(of_worker);
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn without_a_cluster_the_user_is_told_what_to_install() {
    let folder = scratch("workers-missing");
    let nowhere = [("PATH", "/nowhere")];
    for (engine, command) in [("slurm", "`sbatch` was not found"), ("hq", "`hq` was not found")] {
        let arguments = [&GENERATE[..], &["--engine", engine, "-o", text(&folder)]].concat();
        let ran = provoke_with(&nowhere, &arguments);
        assert_eq!(ran.code, 4, "{}", ran.stderr);
        assert!(ran.stderr.contains(command), "{}", ran.stderr);
        assert!(ran.stderr.contains("install it with: "), "{}", ran.stderr);
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    let folder = scratch("workers-refused");
    let out = text(&folder);
    let cases: [(&[&str], &str); 5] = [
        (&["--engine", "local"], "need a folder where workers keep what they find"),
        (&["--engine", "local", "-o", out, "--shard", "1/2"], "--shard divides the work by hand"),
        (&["--engine", "local:2", "-o", out], "local has no options"),
        (&["--engine", "slurm:tasks=0", "-o", out], "tasks: a number from 1 to 1000, not `0`"),
        (&["--engine", "cloud", "-o", out], "local, slurm, hq for who does the work"),
    ];
    for (more, expected) in cases {
        let ran = provoke(&[&GENERATE[..], more].concat());
        assert_eq!(ran.code, 2, "{more:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(expected), "{more:?}: {}", ran.stderr);
    }
    let model = ["prove", "models/traffic_light.lus", "--budget", "1s", "--engine", "local"];
    let ran = provoke(&[&model[..], &["-o", out]].concat());
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("measure the work with --effort"), "{}", ran.stderr);
}

#[test]
fn a_worker_without_anything_to_do_says_so() {
    let folder: PathBuf = scratch("workers-nothing");
    let ran = provoke(&["worker", "--store", text(&folder)]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("name a plan with --plan"), "{}", ran.stderr);
    let plan = folder.join("plan.jsonl");
    std::fs::write(&plan, "").expect("written");
    let ran = provoke(&["worker", "--store", text(&folder), "--plan", text(&plan)]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("errand.json"), "{}", ran.stderr);
}
