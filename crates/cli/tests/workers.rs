//! Work that other processes do: the same results as without them, whatever dies.

mod support;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
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
        &["--workers", "local", "--jobs", "3", "--store", text(&store)],
    );
    assert_eq!(together, alone);
    let planned = plans(&store);
    assert!(planned > 0, "solvers had work");
    let again = generated(&folder.join("again"), &["--workers", "local", "--store", text(&store)]);
    assert_eq!(again, alone);
    assert_eq!(plans(&store), planned, "nothing was left to do");
}

/// A stand-in for HyperQueue, which runs the tasks on this machine.
#[test]
fn hyperqueue_finds_what_one_process_finds() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("workers-hq");
    let alone = generated(&folder.join("alone"), &[]);
    let jobs = folder.join("jobs");
    std::fs::create_dir_all(&jobs).expect("a folder");
    let stand_in = provoke_testkit::repository().join("crates/cli/tests/support");
    let path = std::env::var("PATH").expect("a path");
    let path = format!("{}:{path}", stand_in.display());
    let out = folder.join("together");
    let variables = [("PATH", path.as_str()), ("HQ_STAND_IN", text(&jobs))];
    let words = [&GENERATE[..], &["-o", text(&out), "--workers", "hq"]].concat();
    let ran = provoke_with(&variables, &words);
    assert!([0, 5].contains(&ran.code), "{}", ran.stderr);
    assert_eq!(results(&out, &["suite.json", "verdicts.json"]), alone);
    assert!(jobs.join("job-1").is_dir(), "the stand-in was asked");
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
    assert_eq!(mutated("together", &["--workers", "local", "--jobs", "2"]), alone);
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
    assert_eq!(studied("together", &["--workers", "local", "--jobs", "2"]), alone);
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
        let more = ["--workers", "local", "--jobs", jobs, "--store", text(&store)];
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
    let more = ["--workers", "local", "--jobs", "2", "-o", text(&out), "--store", text(&store)];
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

/// Runs a command alone and with workers; of these, first all are killed at once, then the workers
/// of the command that goes on. Both must write the same.
fn same_whoever_is_killed(name: &str, words: &[&str], written: &[&str], clean: fn(&str) -> String) {
    let folder = scratch(name);
    let (alone, together) = (folder.join("alone"), folder.join("together"));
    let ran = provoke(&[words, &["-o", text(&alone)]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let more = ["-o", text(&together), "--workers", "local", "--jobs", "2"];
    let start = || {
        let mut command = command(&[words, &more].concat());
        command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        command.spawn().expect("the program starts")
    };
    let mut coordinator = start();
    wait_for_records(&together);
    let group = format!("-{}", coordinator.id());
    let _ = Command::new("kill").args(["-9", "--", &group]).stderr(Stdio::null()).status();
    coordinator.wait().expect("ended");
    let mut coordinator = start();
    let mut over = None;
    while over.is_none() {
        let pids = workers(&together);
        if !pids.is_empty() {
            let _ = Command::new("kill").arg("-9").args(pids).stderr(Stdio::null()).status();
            break;
        }
        over = coordinator.try_wait().expect("its state");
    }
    assert_eq!(coordinator.wait().expect("ended").code(), Some(0));
    assert!(plans(&together) > 1, "workers did it");
    let cleaned = |folder: &Path| -> Vec<String> {
        results(folder, written).iter().map(|text| clean(text)).collect()
    };
    assert_eq!(cleaned(&together), cleaned(&alone));
}

#[test]
fn a_study_of_oracles_comes_to_the_same_with_workers() {
    let words = ["study", "stochastic", "--quick", "--models", NETWORK];
    let written = ["stochastic.md", "rq1.csv", "rq2.csv", "scenarios.csv", "power.svg"];
    same_whoever_is_killed("workers-stochastic", &words, &written, str::to_string);
}

#[test]
fn a_study_of_platforms_comes_to_the_same_with_workers() {
    let suite = scratch("workers-platform-suite").join("tests.csv");
    let model = "models/microwave.lus";
    let made = provoke(&["simulate", model, "--steps", "8", "--seed", "2", "-o", text(&suite)]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let words = ["study", "platform", model, text(&suite), "--runs", "1", "--changes", "2"];
    let words = [&words[..], &["--mutants", "3"]].concat();
    let written = ["platform.csv", "platform.md", "missed.csv"];
    same_whoever_is_killed("workers-platform", &words, &written, str::to_string);
}

#[test]
fn a_study_of_mining_comes_to_the_same_with_workers() {
    let words = ["study", "mining", "--targets", "models/c/token_ring.toml", "--effort", "1"];
    let words = [&words[..], &["--methods", "archive,random", "--no-throughput"]].concat();
    // The last column is a time.
    let clean = |csv: &str| {
        let lines = csv.lines().map(|line| line.rsplit_once(',').expect("columns").0);
        lines.collect::<Vec<_>>().join("\n")
    };
    same_whoever_is_killed("workers-mining", &words, &["mining.csv"], clean);
}

#[test]
fn several_searches_find_the_same_with_workers() {
    let words = ["mine", "models/c/token_ring.toml", "--searches", "4", "--effort", "1"];
    let words = [&words[..], &["--no-sanitize", "--no-coverage"]].concat();
    let written = ["suite.json", "machine.json"];
    same_whoever_is_killed("workers-searches", &words, &written, str::to_string);
    let folder = scratch("workers-searches-refused");
    let refused = ["--method", "exhaustive", "--workers", "local", "-o", text(&folder)];
    let refused = provoke(&[&words[..2], &refused].concat());
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("goes from state to state"), "{}", refused.stderr);
}

#[test]
fn a_model_is_the_same_program_for_all_workers() {
    let folder = scratch("workers-model");
    let target = folder.join("toggle.toml");
    let model = provoke_testkit::repository().join("models/traffic_light.lus");
    let text_of = format!("[program]\nmodel = \"{}\"\n", model.display());
    std::fs::write(&target, text_of).expect("written");
    let words = ["study", "mining", "--targets", text(&target), "--methods", "random"];
    let out = folder.join("out");
    let more = ["--effort", "1", "--no-throughput", "--workers", "local", "-o", text(&out)];
    let ran = provoke(&[&words[..], &more].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

const NETWORK: &str = "models/timed/temperature.xml";

#[test]
fn tests_are_completed_alike_with_workers() {
    let tests = "models/timed/temperature.tests";
    let words = ["timed", "stochastic", NETWORK, tests, "--runs", "20000", "--length", "6"];
    let written = ["suite.json", "suite.txt"];
    same_whoever_is_killed("workers-completed", &words, &written, str::to_string);
}

#[test]
fn verdicts_on_a_simulated_system_are_the_same_with_workers() {
    let folder = scratch("workers-verdicts");
    let made = ["timed", "stochastic", NETWORK, "models/timed/temperature.tests", "--runs", "500"];
    let made = provoke(&[&made[..], &["-o", text(&folder)]].concat());
    assert_eq!(made.code, 0, "{}", made.stderr);
    let suite = folder.join("suite.json");
    let on = |system: &str, more: &[&str]| {
        provoke(&[&["timed", "run", text(&suite), "--on", system, "--mutant", "1"], more].concat())
    };
    let store = folder.join("a store");
    let elsewhere = ["--workers", "local", "--jobs", "2", "--store", text(&store)];
    let alone = on(NETWORK, &[]);
    for times in 1..=2 {
        let together = on(NETWORK, &elsewhere);
        assert_eq!(plans(&store), times, "each time something was left to do");
        assert_eq!((together.code, &together.stdout), (alone.code, &alone.stdout));
        // One verdict is lost: its record is half written.
        let segments = std::fs::read_dir(store.join("segments")).expect("a folder");
        let segment = segments.flatten().next().expect("a worker's").path();
        let bytes = std::fs::read(&segment).expect("records");
        let last = bytes.iter().rposition(|byte| *byte == 0x1e).expect("a record");
        std::fs::write(&segment, &bytes[..last + 40]).expect("a file");
    }
    let faults = |more: &[&str]| {
        let ran = provoke(&[&["timed", "mutate", NETWORK, text(&suite)], more].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        ran.stdout
    };
    let store = folder.join("of faults");
    let elsewhere_too = ["--workers", "local", "--jobs", "2", "--store", text(&store)];
    assert_eq!(faults(&elsewhere_too), faults(&[]));
    assert_eq!(plans(&store), 1, "workers did it");
    let refused = on("target.toml", &elsewhere);
    assert_eq!(refused.code, 3, "{}", refused.stderr);
    assert!(refused.stderr.contains("others cannot reach what target.toml names"));
    let refused = on(NETWORK, &["--workers", "local"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("name it with --store"), "{}", refused.stderr);
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
        let arguments = [&GENERATE[..], &["--workers", engine, "-o", text(&folder)]].concat();
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
    let cases: [(&[&str], &str); 7] = [
        (&["--workers", "local"], "workers need a folder where they keep what they find"),
        (&["--workers", "local", "-o", out, "--shard", "1/2"], "leave out --shard or --workers"),
        (&["--workers", "local:2", "-o", out], "local has no options"),
        (&["--workers", "slurm:tasks=0", "-o", out], "tasks: a number from 1 to 1000, not `0`"),
        (&["--workers", "cloud", "-o", out], "workers are local, slurm or hq"),
        (&["--engine", "slurm:tasks=2"], "type --workers slurm:tasks=2"),
        (&["--engine", "pdr"], "type --prover pdr"),
    ];
    for (more, expected) in cases {
        let ran = provoke(&[&GENERATE[..], more].concat());
        assert_eq!(ran.code, 2, "{more:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(expected), "{more:?}: {}", ran.stderr);
    }
    let model = ["prove", "models/traffic_light.lus", "--budget", "1s", "--workers", "local"];
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
    assert!(ran.stderr.contains("job.json"), "{}", ran.stderr);
}
