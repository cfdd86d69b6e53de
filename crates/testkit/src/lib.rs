//! What the tests of several crates need: where files are, snapshots, random systems.

#![allow(clippy::print_stderr, reason = "tests say why they are skipped")]

mod absent;
pub mod random_model;
pub mod random_system;
pub mod timed_models;
pub mod timed_texts;
pub mod wide;

pub use absent::{shared, skip};

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn repository() -> PathBuf {
    let crate_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_dir.ancestors().nth(2).expect("crates/testkit is two levels deep").to_path_buf()
}

/// The seconds that this thread has run, where the system tells: for measurements in which other
/// programs do not count.
pub fn on_processor() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
}

/// The files of a folder with an extension, sorted by name; that there are none is a failure.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| {
        panic!("cannot list {}: {error}", folder.display());
    });
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    files.sort();
    assert!(!files.is_empty(), "no .{extension} in {}", folder.display());
    files
}

/// Compares a text with a file of the repository, or writes the file when the environment
/// variable `PROVOKE_UPDATE` is set.
pub fn check_snapshot(path: &Path, actual: &str) {
    if std::env::var_os("PROVOKE_UPDATE").is_some() {
        std::fs::write(path, actual).expect("a writable snapshot");
        return;
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        expected == actual,
        "{} differs; run with PROVOKE_UPDATE=1 and look at the change.\n--- expected\n{expected}\n--- actual\n{actual}",
        path.display()
    );
}
