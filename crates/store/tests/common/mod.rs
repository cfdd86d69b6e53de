//! A small run and its store.

#![allow(dead_code, reason = "each test file uses a part of this")]

use std::fs;
use std::path::{Path, PathBuf};

use provoke_store::{AppendOutcome, Key, KeyBuilder, RunIdentity, Store};
use serde_json::{Value, json};

/// A folder of this test alone, empty.
pub(crate) fn folder(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("store").join(test);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a writable target folder");
    path
}

pub(crate) fn identity() -> RunIdentity {
    let run = json!({"schema": "example/1", "model": "ab12", "options": {"effort": 100}});
    RunIdentity::new(run).volatile(&["seconds"])
}

pub(crate) fn shard_identity(shard: &str) -> RunIdentity {
    let mut run = identity().run().clone();
    run["shard"] = json!(shard);
    RunIdentity::new(run).volatile(&["seconds"])
}

pub(crate) fn key(number: usize) -> Key {
    KeyBuilder::new("example/1").part("obligation", number.to_string()).finish()
}

pub(crate) fn payload(number: usize) -> Value {
    let verdict = ["covered", "infeasible", "unknown"][number % 3];
    json!({"verdict": verdict, "number": number, "note": "line\nfeed", "share": number as f64 / 7.0})
}

pub(crate) fn open(folder: &Path) -> Store {
    Store::open(folder, &identity()).expect("a usable store")
}

/// Appends the given records, all of them new.
pub(crate) fn fill(store: &mut Store, numbers: impl IntoIterator<Item = usize>) {
    for number in numbers {
        assert_eq!(store.append(key(number), &payload(number)).unwrap(), AppendOutcome::New);
    }
}

/// A store with the given records in one segment.
pub(crate) fn filled(folder: &Path, numbers: impl IntoIterator<Item = usize>) -> PathBuf {
    fill(&mut open(folder), numbers);
    folder.to_path_buf()
}

#[track_caller]
pub(crate) fn assert_holds(store: &Store, numbers: impl IntoIterator<Item = usize>) {
    let mut expected: Vec<_> = numbers.into_iter().map(|n| (key(n), payload(n))).collect();
    expected.sort_by_key(|(key, _)| *key);
    assert_eq!(store.iter().collect::<Vec<_>>(), expected);
}

pub(crate) fn segment(folder: &Path, name: &str) -> PathBuf {
    folder.join("segments").join(name)
}

/// Replaces a file; a new one, because ext4 waits for the disk when an old one is truncated.
pub(crate) fn overwrite(path: &Path, bytes: &[u8]) {
    let _ = fs::remove_file(path);
    fs::write(path, bytes).expect("a writable folder");
}

/// The names of a store's segments, sorted.
pub(crate) fn segments(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder.join("segments")).expect("a folder");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<_> = entries.map(name).map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

/// All bytes of a store.
pub(crate) fn bytes(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = vec![("store.json".to_string(), fs::read(folder.join("store.json")).unwrap())];
    for name in segments(folder) {
        let content = fs::read(segment(folder, &name)).unwrap();
        files.push((name, content));
    }
    files
}
