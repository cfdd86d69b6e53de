//! The same commands on a real Slurm cluster of one node: `make slurm`.

#[path = "support/slurm.rs"]
mod cluster;
mod support;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use cluster::Cluster;
use support::{command, provoke, provoke_with};

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("on slurm").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

fn read(folder: &Path, names: &[&str]) -> Vec<String> {
    names.iter().map(|name| std::fs::read_to_string(folder.join(name)).expect(name)).collect()
}

const FOUND: [&str; 2] = ["suite.json", "verdicts.json"];

fn generate(model: &str) -> Vec<String> {
    let words = ["generate", model, "-c", "omcdc", "--method", "regular", "--effort", "1"];
    words.map(String::from).to_vec()
}

fn words<'a>(command: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    command.iter().map(String::as_str).chain(more.iter().copied()).collect()
}

/// Starts a command on the cluster, to be disturbed.
fn started(cluster: &Cluster, arguments: &[&str]) -> Child {
    let mut command: Command = command(arguments);
    command.env("SLURM_CONF", cluster.config()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the program starts")
}

/// How many records all segments of a store hold, and how many keys.
fn records(store: &Path) -> (usize, usize) {
    let entries = std::fs::read_dir(store.join("segments")).expect("segments");
    let mut keys: Vec<String> = Vec::new();
    for entry in entries {
        let bytes = std::fs::read(entry.expect("an entry").path()).expect("a segment");
        for line in String::from_utf8_lossy(&bytes).split('\u{1e}').skip(1) {
            keys.extend(line.get(..64).map(String::from));
        }
    }
    let all = keys.len();
    keys.sort();
    keys.dedup();
    (all, keys.len())
}

fn wait_for_records(store: &Path, count: usize) {
    let start = Instant::now();
    while !store.join("segments").is_dir() || records(store).1 < count {
        assert!(start.elapsed() < Duration::from_secs(300), "no records in {}", store.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The processes of workers on a store.
fn workers(store: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("processes").flatten() {
        let words = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).replace('\0', " ");
        if words.contains(" worker ") && words.contains(text(store)) {
            found.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    found
}

fn kill(pids: &[String]) {
    let _ = Command::new("kill").arg("-9").args(pids).output();
}

#[test]
#[ignore = "needs Slurm; run by make slurm"]
fn ten_models_and_their_mutants_come_to_the_same() {
    let cluster = Cluster::start();
    let config = cluster.config();
    let slurm = [("SLURM_CONF", text(&config))];
    let folder = scratch("ten");
    let models = [
        "cruise_control",
        "delay_chain",
        "elevator",
        "masking_inlined",
        "masking_split",
        "microwave",
        "traffic_light",
        "voter",
        "ward_pump",
        "wiper",
    ];
    for model in models {
        let path = format!("models/{model}.lus");
        let here = folder.join(format!("{model} here"));
        let there = folder.join(format!("{model} there"));
        // Small models with all their obligations for solvers, larger ones as usual.
        let all = ["delay_chain", "masking_inlined", "masking_split", "voter"].contains(&model);
        let method = if all { "regular" } else { "hybrid" };
        let common = ["generate", &path, "-c", "omcdc", "--effort", "1", "--method", method, "-o"];
        let ran = provoke(&[&common[..], &[text(&here)]].concat());
        let more = [text(&there), "--engine", "slurm:tasks=2"];
        let on_slurm = provoke_with(&slurm, &[&common[..], &more].concat());
        assert_eq!((ran.code, ran.stderr), (on_slurm.code, on_slurm.stderr), "{model}");
        assert_eq!(read(&here, &FOUND), read(&there, &FOUND), "{model}");
    }
    let tests = folder.join("tests");
    let model = "models/voter.lus";
    let weak = ["generate", model, "-c", "condition", "--method", "random", "--effort", "1", "-o"];
    assert!([0, 5].contains(&provoke(&[&weak[..], &[text(&tests)]].concat()).code));
    let suite = tests.join("suite.json");
    let mutate = ["mutate", model, text(&suite), "--sample", "60", "--kill", "--effort", "1", "-o"];
    let (here, there) = (folder.join("mutants here"), folder.join("mutants there"));
    assert_eq!(provoke(&[&mutate[..], &[text(&here)]].concat()).code, 0);
    let more = [text(&there), "--engine", "slurm:tasks=2"];
    let ran = provoke_with(&slurm, &[&mutate[..], &more].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(read(&here, &["suite.json"]), read(&there, &["suite.json"]));
    let lines = |folder: &Path| -> Vec<String> {
        let text = &read(folder, &["mutants.json"])[0];
        let timed = |line: &&str| line.contains("\"seconds\"") || line.contains("\"suite\"");
        text.lines().filter(|line| !timed(line)).map(String::from).collect()
    };
    assert_eq!(lines(&here), lines(&there));
}

#[test]
#[ignore = "needs Slurm; run by make slurm"]
fn whatever_is_killed_the_same_command_ends_with_the_same_results() {
    let cluster = Cluster::start();
    let config = cluster.config();
    let slurm = [("SLURM_CONF", text(&config))];
    let folder = scratch("killed");
    let command = generate("models/traffic_light.lus");
    let here = folder.join("here");
    provoke(&words(&command, &["-o", text(&here)]));
    let there = folder.join("there");
    let arguments = words(&command, &["-o", text(&there), "--engine", "slurm:tasks=8"]);
    let mut coordinator = started(&cluster, &arguments);
    wait_for_records(&there, 5);
    let killed = workers(&there);
    kill(&killed);
    wait_for_records(&there, 15);
    cluster.kill_node();
    kill(&workers(&there));
    coordinator.kill().expect("killed");
    coordinator.wait().expect("ended");
    let (_, done) = records(&there);
    cluster.start_node();
    let ran = provoke_with(&slurm, &arguments);
    assert!([0, 5].contains(&ran.code), "{}", ran.stderr);
    assert_eq!(read(&here, &FOUND), read(&there, &FOUND), "{}", ran.stderr);
    let (_, keys) = records(&there);
    assert!(keys > done, "there was something left to do");
}

#[test]
#[ignore = "needs Slurm; run by make slurm"]
fn a_full_disk_loses_nothing() {
    let cluster = Cluster::start();
    let config = cluster.config();
    let slurm = [("SLURM_CONF", text(&config))];
    let folder = scratch("full");
    let disk = folder.join("small disk");
    std::fs::create_dir_all(&disk).expect("a folder");
    let mount = |options: &str| {
        let words = ["-t", "tmpfs", "-o", options, "tmpfs", text(&disk)];
        let said = Command::new("mount").args(words).output().expect("mount");
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    };
    mount("size=40k");
    let command = generate("models/voter.lus");
    let here = folder.join("here");
    provoke(&words(&command, &["-o", text(&here)]));
    let (there, store) = (folder.join("there"), disk.join("a store"));
    let more = ["-o", text(&there), "--store", text(&store), "--engine", "slurm:tasks=2"];
    let ran = provoke_with(&slurm, &words(&command, &more));
    let full = ran.stderr.contains("No space left on device");
    mount("remount,size=20m");
    let again = provoke_with(&slurm, &words(&command, &more));
    let same = read(&here, &FOUND) == read(&there, &FOUND);
    let _ = Command::new("umount").arg(&disk).output();
    assert!(full && ran.code != 0, "the disk was large enough: {} {}", ran.code, ran.stderr);
    assert!([0, 5].contains(&again.code), "{}", again.stderr);
    assert!(same, "{}", again.stderr);
}

#[test]
#[ignore = "needs Slurm; run by make slurm"]
fn a_cluster_that_refuses_is_quoted_and_nothing_is_lost() {
    let cluster = Cluster::start();
    let config = cluster.config();
    let slurm = [("SLURM_CONF", text(&config))];
    let folder = scratch("refused");
    let command = generate("models/delay_chain.lus");
    let arguments = |engine| words(&command, &["-o", text(&folder), "--engine", engine]);
    let ran = provoke_with(&slurm, &arguments("slurm:partition=none"));
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    assert!(ran.stderr.contains("invalid partition specified: none"), "{}", ran.stderr);
    assert!(ran.stderr.contains("the same command goes on from there"), "{}", ran.stderr);
    assert_eq!(provoke_with(&slurm, &arguments("slurm:tasks=2")).code, 0);
}
