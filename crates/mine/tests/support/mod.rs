//! What the tests of mining share.

#![allow(dead_code, reason = "each test file uses a part")]

use std::path::{Path, PathBuf};

use provoke_base::SourceFile;
use provoke_mine::{Identity, Method, Mined, Plan, Reduction, Target, Workshop, explore};

/// A folder of its own for a test.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("provoke-mine-test-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a writable folder");
    folder
}

/// The programs with faults.
pub(crate) fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// The example programs.
pub(crate) fn models() -> PathBuf {
    provoke_testkit::repository().join("models/c")
}

pub(crate) fn parse(text: &str) -> Target {
    let file = SourceFile::new("target.toml", text);
    Target::parse(&file).unwrap_or_else(|found| {
        panic!("{}", found.iter().map(|d| d.render(&file, false)).collect::<String>())
    })
}

/// A target of an example program.
pub(crate) fn model(name: &str) -> Target {
    parse(&std::fs::read_to_string(models().join(format!("{name}.toml"))).expect("a target"))
}

pub(crate) fn plan(method: Method, steps: u64) -> Plan {
    Plan {
        method,
        identity: Identity::Memory,
        steps,
        seed: 7,
        initial: None,
        random: (20, 20),
        reduction: Reduction::Items,
        sanitize: false,
        coverage: false,
    }
}

pub(crate) fn workshop(target: &Target, name: &str, home: &Path) -> Workshop {
    Workshop::new(target, &target.suite(name), home, &scratch(name)).expect("a workshop")
}

pub(crate) fn mine(target: &Target, name: &str, home: &Path, plan: &Plan) -> Mined {
    let workshop = workshop(target, name, home);
    let mined = explore(target, name, Some(&workshop), home, plan, &|| false);
    let mined = mined.unwrap_or_else(|trouble| panic!("{trouble} ({})", trouble.hint));
    let _ = std::fs::remove_dir_all(&workshop.folder);
    mined
}
