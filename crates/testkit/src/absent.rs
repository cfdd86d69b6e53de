//! Checks that cannot be made here because something is not there. Each of them is counted, so that a
//! test that checked nothing never looks like one that passed.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::repository;

/// A folder or file of the benchmark collection, which is not part of the repository: models, traces
/// and figures from elsewhere. Where it is absent the check is counted as skipped; with
/// `PROVOKE_REQUIRE_SHARED=1` it fails.
pub fn shared(folder: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("PROVOKE_SHARED") {
        Some(path) => PathBuf::from(path),
        None => repository().parent()?.join("shared"),
    };
    let path = root.join(folder);
    if path.exists() {
        return Some(path);
    }
    let why = format!("no {folder} of the benchmark collection (set PROVOKE_SHARED)");
    assert!(!is_on(std::env::var_os("PROVOKE_REQUIRE_SHARED")), "{why}, and it is required");
    note(&why);
    None
}

/// Counts a check as skipped because something optional is not installed. With `CI` set everything
/// must be there, so it fails.
pub fn skip(why: &str) {
    assert!(!is_on(std::env::var_os("CI")), "{why}");
    note(why);
}

fn is_on(value: Option<OsString>) -> bool {
    value.is_some_and(|value| !value.is_empty() && value != "0")
}

/// Where skipped checks are listed: `make test` empties the file first and shows it last.
fn list() -> PathBuf {
    let own = std::env::var_os("PROVOKE_SKIPPED").map(PathBuf::from);
    own.unwrap_or_else(|| repository().join("target/skipped.txt"))
}

/// Adds a line to the list: the reason, and the test that says so.
fn note(why: &str) {
    let why = why.lines().map(str::trim).collect::<Vec<_>>().join("; ");
    eprintln!("skipped: {why}");
    let program = std::env::current_exe().ok();
    let program = program.as_deref().and_then(Path::file_stem).map(|stem| stem.to_string_lossy());
    // Cargo adds a hash to the names of test programs.
    let program =
        program.as_deref().map_or("?", |stem| stem.rsplit_once('-').map_or(stem, |p| p.0));
    let thread = std::thread::current();
    let line = format!("{why}\t{program}\t{}\n", thread.name().unwrap_or("?"));
    let path = list();
    let parent = path.parent().expect("a file in a folder");
    // One write in append mode: test programs that run side by side do not cut each other's lines.
    let written = std::fs::create_dir_all(parent)
        .and_then(|()| std::fs::OpenOptions::new().create(true).append(true).open(&path))
        .and_then(|mut file| file.write_all(line.as_bytes()));
    written.unwrap_or_else(|error| {
        panic!("cannot count what is skipped in {}: {error}", path.display())
    });
}
