//! Machine integers against the tests of Kind 2, whose names tell the verdict.

#![allow(clippy::print_stdout, reason = "the table of verdicts is worth seeing")]

mod support;

use provoke_testkit::{files, shared};
use support::provoke;

/// What `prove` says of all properties of a file.
fn verdict(path: &str) -> &'static str {
    match provoke(&["prove", path, "--jobs", "1", "--budget", "60s"]).code {
        0 => "holds",
        1 => "violated",
        3 => "not read",
        5 => "unknown",
        _ => "error",
    }
}

#[test]
fn every_file_has_the_verdict_of_its_name() {
    let Some(folder) = shared("models/kind2/machine_integers") else { return };
    let mut wrong = Vec::new();
    for path in files(&folder, "lus") {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let expected = if name.ends_with("-invalid") { "violated" } else { "holds" };
        let found = verdict(&path.to_string_lossy());
        println!("{name:<45} {found}");
        if found != expected {
            wrong.push(format!("{name}: {found}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
