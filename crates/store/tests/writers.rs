//! Several writers on one folder, and writers that are killed.

mod common;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

use common::*;
use provoke_store::{Damage, DamageKind, Store, merge};
use serde_json::{Value, json};

#[test]
fn writers_on_one_folder_never_share_a_segment() {
    let folder = folder("threads");
    thread::scope(|scope| {
        for worker in 0..8 {
            let folder = &folder;
            // Neighbours do the same work: what is done twice is one in the end.
            scope.spawn(move || append_all(folder, worker * 25..worker * 25 + 50));
        }
    });
    let store = open(&folder);
    assert_holds(&store, 0..225);
    assert_eq!(store.damage(), []);
    assert!(segments(&folder).len() <= 8);
}

fn append_all(folder: &Path, numbers: Range<usize>) {
    let mut store = open(folder);
    for number in numbers {
        store.append(key(number), &payload(number)).unwrap();
    }
}

#[test]
fn of_two_runs_that_start_at_once_in_one_folder_one_is_refused() {
    for round in 0..50 {
        let folder = folder("race").join(round.to_string());
        let start = |identity| Store::open(&folder, &identity).is_ok();
        let winners = thread::scope(|scope| {
            let runs = ["1/2", "2/2"].map(shard_identity);
            let handles = runs.map(|run| scope.spawn(|| start(run)));
            handles.map(|handle| handle.join().unwrap())
        });
        assert_eq!(winners.iter().filter(|&&won| won).count(), 1);
    }
}

const FOLDER: &str = "PROVOKE_STORE_TEST_FOLDER";
const RECORDS: usize = 1200;
const KILLS: usize = 20;

/// Large records, so that a kill can strike inside one.
fn large(number: usize) -> Value {
    json!({"number": number, "text": "x".repeat(number % 5 * 20_000)})
}

/// Appends what is missing and notes each record when it is told that it is safe.
#[test]
#[ignore = "the child of the test below"]
fn child_that_appends_until_it_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let mut store = open(&folder);
    let mut notes = OpenOptions::new().append(true).create(true).open(notes(&folder)).unwrap();
    for number in (0..RECORDS).filter(|&number| !store.contains(&key(number))).collect::<Vec<_>>() {
        store.append(key(number), &large(number)).unwrap();
        notes.write_all(format!("{number}\n").as_bytes()).unwrap();
    }
}

fn notes(folder: &Path) -> PathBuf {
    folder.join("notes")
}

fn start_child(folder: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child_that_appends_until_it_is_killed", "--ignored", "--quiet"]);
    command.env(FOLDER, folder).stdout(std::process::Stdio::null()).spawn().unwrap()
}

fn noted(folder: &Path) -> Vec<usize> {
    let text = fs::read_to_string(notes(folder)).unwrap_or_default();
    let complete = text.rsplit_once('\n').map_or("", |(complete, _)| complete);
    complete.lines().map(|line| line.parse().unwrap()).collect()
}

#[test]
fn a_process_killed_at_any_moment_loses_no_record_it_was_told_is_safe() {
    let folder = folder("killed");
    let mut kills = 0;
    for round in 0..KILLS {
        let mut child = start_child(&folder);
        wait_for_notes(&folder, round * RECORDS / KILLS, &mut child);
        thread::sleep(Duration::from_micros(round as u64 * 7919 % 3000));
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            break;
        }
        kills += 1;
        check_after_kill(&folder);
    }
    assert!(kills > 0, "it ended before it was killed");
    assert!(start_child(&folder).wait().unwrap().success());
    assert_as_if_undisturbed(&folder);
    fs::remove_dir_all(&folder).unwrap();
}

/// A kill comes when about so much is done, so that it strikes a process at work.
fn wait_for_notes(folder: &Path, count: usize, child: &mut Child) {
    while noted(folder).len() < count && child.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(1));
    }
}

fn check_after_kill(folder: &Path) {
    // Killed before it made a store.
    if !folder.join("store.json").exists() {
        return;
    }
    let store = open(folder);
    for number in noted(folder) {
        assert!(store.contains(&key(number)), "{number} is lost");
    }
    let cut = |damage: &Damage| damage.kind == DamageKind::Truncated;
    assert!(store.damage().iter().all(cut), "{:?}", store.damage());
}

fn assert_as_if_undisturbed(folder: &Path) {
    let undisturbed = folder.join("undisturbed");
    let mut store = open(&undisturbed);
    for number in 0..RECORDS {
        store.append(key(number), &large(number)).unwrap();
    }
    let (one, other) = (folder.join("one"), folder.join("other"));
    merge(&[folder], &one).unwrap();
    merge(&[undisturbed], &other).unwrap();
    assert!(bytes(&one) == bytes(&other), "the merged stores differ");
}
