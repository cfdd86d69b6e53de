//! The same commands on a real Slurm cluster of one node: `make slurm`.

#[path = "support/slurm.rs"]
mod cluster;
mod support;

use std::io::{BufRead, BufReader, Write};
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

/// How many plans were made for a store.
fn plans(store: &Path) -> usize {
    let entries = std::fs::read_dir(store.join("engine")).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("plan-")).count()
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
    // Small models with all their obligations for solvers, larger ones as usual.
    let models = [
        ("cruise_control", "omcdc", "hybrid"),
        ("delay_chain", "omcdc", "regular"),
        ("elevator", "omcdc", "hybrid"),
        ("infusion_pump", "obranch", "hybrid"),
        ("masking_inlined", "omcdc", "regular"),
        ("masking_split", "omcdc", "regular"),
        ("microwave", "omcdc", "hybrid"),
        ("traffic_light", "omcdc", "hybrid"),
        ("voter", "obranch", "regular"),
        ("wiper", "omcdc", "hybrid"),
    ];
    let mut planned = 0;
    for (model, criterion, method) in models {
        let path = format!("models/{model}.lus");
        let here = folder.join(format!("{model} here"));
        let there = folder.join(format!("{model} there"));
        let common = ["generate", &path, "-c", criterion, "--effort", "1", "--method", method];
        let ran = provoke(&[&common[..], &["-o", text(&here)]].concat());
        let more = ["-o", text(&there), "--workers", "slurm:tasks=2"];
        let on_slurm = provoke_with(&slurm, &[&common[..], &more].concat());
        assert_eq!((ran.code, ran.stderr), (on_slurm.code, on_slurm.stderr), "{model}");
        assert_eq!(read(&here, &FOUND), read(&there, &FOUND), "{model}");
        planned += usize::from(plans(&there) > 0);
    }
    assert!(planned >= 5, "only {planned} models left something to Slurm");
    let tests = folder.join("tests");
    let model = "models/voter.lus";
    let weak = ["generate", model, "-c", "condition", "--method", "random", "--effort", "1", "-o"];
    assert!([0, 5].contains(&provoke(&[&weak[..], &[text(&tests)]].concat()).code));
    let suite = tests.join("suite.json");
    let mutate = ["mutate", model, text(&suite), "--sample", "60", "--kill", "--effort", "1", "-o"];
    let (here, there) = (folder.join("mutants here"), folder.join("mutants there"));
    assert_eq!(provoke(&[&mutate[..], &[text(&here)]].concat()).code, 0);
    let more = [text(&there), "--workers", "slurm:tasks=2"];
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
    let arguments = words(&command, &["-o", text(&there), "--workers", "slurm:tasks=8"]);
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
    let merged = folder.join("merged");
    let ran = provoke(&["merge", text(&there), "-o", text(&merged)]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(records(&merged), (keys, keys), "all of it once");
}

#[test]
#[ignore = "needs Slurm; run by make slurm"]
fn a_worker_ends_before_its_time_is_over_and_others_go_on() {
    let cluster = Cluster::start();
    let config = cluster.config();
    let slurm = [("SLURM_CONF", text(&config))];
    let store = scratch("limited").join("a store");
    // Long runs, so that a worker can do a small part of them in its time.
    let query = "Pr[<=6000](<> Lamp.Bright and Lamp.y < 0)";
    let estimate = ["timed", "estimate", "models/timed/lamp.xml", "--query", query];
    let common = [&estimate[..], &["--runs", "120000", "--format", "json"]].concat();
    let here = provoke(&common);
    // Slurm itself counts whole minutes, and kills nobody before the first is over.
    let more = ["--store", text(&store), "--workers", "slurm:tasks=1,time=0:05"];
    let there = provoke_with(&slurm, &[&common[..], &more].concat());
    assert_eq!((here.code, there.code), (0, 0), "{}", there.stderr);
    let untimed = |said: &str| -> Vec<String> {
        let lines = said.lines().filter(|line| !line.contains("\"seconds\""));
        lines.map(String::from).collect()
    };
    assert_eq!(untimed(&here.stdout), untimed(&there.stdout));
    assert!(plans(&store) > 1, "one task did it all in time");
    let (all, keys) = records(&store);
    assert_eq!(all, keys, "nothing was done twice");
    let log = std::fs::read_to_string(store.join("engine/slurm.log")).unwrap_or_default();
    assert!(!log.contains("TIME LIMIT"), "{log}");
}

/// A disk with little room, which is taken away when it is dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(folder: PathBuf, options: &str) -> SmallDisk {
        std::fs::create_dir_all(&folder).expect("a folder");
        let disk = SmallDisk(folder);
        disk.set(options);
        disk
    }

    fn set(&self, options: &str) {
        let words = ["-t", "tmpfs", "-o", options, "tmpfs", text(&self.0)];
        let said = Command::new("mount").args(words).output().expect("mount");
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).output();
    }
}

#[test]
#[ignore = "needs Slurm; run by make slurm"]
fn a_full_disk_loses_nothing() {
    let cluster = Cluster::start();
    let config = cluster.config();
    let slurm = [("SLURM_CONF", text(&config))];
    let folder = scratch("full");
    let command = generate("models/voter.lus");
    let here = folder.join("here");
    provoke(&words(&command, &["-o", text(&here)]));
    for engine in ["local", "slurm:tasks=2"] {
        let disk = SmallDisk::mount(folder.join("small disk"), "size=40k");
        let (there, store) = (folder.join(engine), disk.0.join("a store"));
        let more = ["-o", text(&there), "--store", text(&store), "--workers", engine];
        let ran = provoke_with(&slurm, &words(&command, &more));
        let full = ran.stderr.contains("No space left on device");
        assert!(full && ran.code != 0, "the disk was large enough: {} {}", ran.code, ran.stderr);
        disk.set("remount,size=20m");
        let again = provoke_with(&slurm, &words(&command, &more));
        assert!([0, 5].contains(&again.code), "{engine}: {}", again.stderr);
        assert_eq!(read(&here, &FOUND), read(&there, &FOUND), "{engine}: {}", again.stderr);
    }
}

#[test]
#[ignore = "needs Slurm; run by make slurm"]
fn a_full_disk_of_one_worker_costs_what_it_did() {
    let cluster = Cluster::start();
    let config = cluster.config();
    let slurm = [("SLURM_CONF", text(&config))];
    let folder = scratch("one full");
    let command = generate("models/traffic_light.lus");
    let (here, there) = (folder.join("here"), folder.join("there"));
    provoke(&words(&command, &["-o", text(&here)]));
    let arguments = words(&command, &["-o", text(&there), "--workers", "slurm:tasks=2"]);
    let mut coordinator = started(&cluster, &arguments);
    wait_for_records(&there, 3);
    coordinator.kill().expect("killed");
    coordinator.wait().expect("ended");
    cluster.cancel_all();
    // This worker alone sees the store with a disk of its own behind it, and fills that.
    let (disk, plan) = (folder.join("disk"), there.join("engine/plan-1.jsonl"));
    let full = full_worker(&there, &disk, &plan);
    assert!(full.contains("No space left on device"), "{full}");
    let ran = provoke_with(&slurm, &arguments);
    assert!([0, 5].contains(&ran.code), "{}", ran.stderr);
    assert_eq!(read(&here, &FOUND), read(&there, &FOUND), "{}", ran.stderr);
}

/// Runs a worker whose writes go to a disk of 12 kB, and gives what it said.
fn full_worker(store: &Path, disk: &Path, plan: &Path) -> String {
    std::fs::create_dir_all(disk).expect("a folder");
    let script = "set -e; mount -t tmpfs -o size=12k tmpfs \"$2\"; mkdir \"$2/upper\" \"$2/work\"; \
        mount -t overlay -o \"lowerdir=$1,upperdir=$2/upper,workdir=$2/work\" overlay \"$1\"; \
        exec \"$3\" worker --store \"$1\" --plan \"$4\"";
    let program = env!("CARGO_BIN_EXE_provoke");
    let words = ["--mount", "sh", "-c", script, "sh", text(store), text(disk), program, text(plan)];
    let said = Command::new("unshare").args(words).output().expect("unshare");
    String::from_utf8_lossy(&said.stderr).into_owned()
}

#[test]
#[ignore = "needs Slurm; run by make slurm"]
fn a_cluster_that_refuses_is_quoted_and_nothing_is_lost() {
    let cluster = Cluster::start();
    let config = cluster.config();
    let slurm = [("SLURM_CONF", text(&config))];
    let folder = scratch("refused");
    let command = generate("models/delay_chain.lus");
    let arguments = |engine| words(&command, &["-o", text(&folder), "--workers", engine]);
    let ran = provoke_with(&slurm, &arguments("slurm:partition=none"));
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    assert!(ran.stderr.contains("invalid partition specified: none"), "{}", ran.stderr);
    assert!(ran.stderr.contains("the same command goes on from there"), "{}", ran.stderr);
    assert_eq!(provoke_with(&slurm, &arguments("slurm:tasks=2")).code, 0);
}

/// So many chunks without anything in them.
const EMPTY: usize = 1_000;

#[test]
#[ignore = "needs Slurm; run by make slurm"]
#[allow(clippy::print_stderr, reason = "that is what it is for")]
fn what_empty_chunks_cost_is_shown() {
    let cluster = Cluster::start();
    let folder = scratch("empty");
    let store = folder.join("store");
    let estimate = ["timed", "estimate", "models/timed/lamp.xml", "--epsilon", "0.1"];
    let ran = provoke(&[&estimate[..], &["--workers", "local", "--store", text(&store)]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let start = Instant::now();
    std::thread::scope(|scope| {
        (0..2).for_each(|_| drop(scope.spawn(|| feed_empty_chunks(&store, EMPTY / 2))));
    });
    eprintln!("{EMPTY} empty chunks, two workers here, with their start: {:?}", start.elapsed());
    let plan = store.join("engine/empty.jsonl");
    std::fs::write(&plan, "{\"tasks\":[]}\n".repeat(EMPTY)).expect("written");
    for tasks in [2, 50] {
        let start = Instant::now();
        cluster.run_array(tasks, &script(&store, &plan, tasks));
        eprintln!("{EMPTY} empty chunks, {tasks} tasks of Slurm: {:?}", start.elapsed());
        assert!(!store.join("failed").exists(), "a task failed");
    }
}

/// Gives a worker empty chunks one by one, as the engine `local` does.
fn feed_empty_chunks(store: &Path, count: usize) {
    let mut command = command(&["worker", "--plan", "-", "--store", text(store)]);
    let mut worker =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
    let (given, told) = (worker.stdin.take().expect("a pipe"), worker.stdout.take());
    let mut told = BufReader::new(told.expect("a pipe")).lines();
    for _ in 0..count {
        writeln!(&given, "{{\"tasks\":[]}}").expect("the worker reads");
        assert_eq!(told.next().expect("an answer").expect("a line"), "\"next\"");
    }
    drop(given);
    assert!(worker.wait().expect("it ends").success());
}

fn script(store: &Path, plan: &Path, tasks: usize) -> String {
    let program = env!("CARGO_BIN_EXE_provoke");
    let (store, plan) = (store.display(), plan.display());
    format!(
        "'{program}' worker --store '{store}' --plan '{plan}' \
         --index $SLURM_ARRAY_TASK_ID --of {tasks} || touch '{store}/failed'"
    )
}
