//! Work that other processes do: the same results as without them, whatever dies.

mod support;

use std::path::{Path, PathBuf};

use support::{provoke, provoke_with, solver_is_there};

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
