//! What the tests of mining share.

#![allow(dead_code, reason = "each test file uses a part")]

use std::path::{Path, PathBuf};

use provoke_base::SourceFile;
use provoke_mine::{
    MineTargetFile, MiningMethod, MiningPlan, MiningResult, ProgramBuilder, StateIdentity,
    SuiteReduction, explore,
};

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

pub(crate) fn parse(text: &str) -> MineTargetFile {
    let file = SourceFile::new("target.toml", text);
    MineTargetFile::parse(&file).unwrap_or_else(|found| {
        panic!("{}", found.iter().map(|d| d.render(&file, false)).collect::<String>())
    })
}

/// A target of an example program.
pub(crate) fn model(name: &str) -> MineTargetFile {
    parse(&std::fs::read_to_string(models().join(format!("{name}.toml"))).expect("a target"))
}

pub(crate) fn plan(method: MiningMethod, steps: u64) -> MiningPlan {
    MiningPlan {
        method,
        identity: StateIdentity::Memory,
        steps,
        seed: 7,
        initial: None,
        random: (20, 20),
        reduction: SuiteReduction::Items,
        sanitize: false,
        coverage: false,
    }
}

pub(crate) fn builder(target: &MineTargetFile, name: &str, home: &Path) -> ProgramBuilder {
    ProgramBuilder::new(target, &target.suite(name), home, &scratch(name)).expect("a builder")
}

pub(crate) fn mine(
    target: &MineTargetFile,
    name: &str,
    home: &Path,
    plan: &MiningPlan,
) -> MiningResult {
    let builder = builder(target, name, home);
    let mined = explore(target, name, Some(&builder), home, plan, &|| false);
    let mined = mined.unwrap_or_else(|trouble| panic!("{trouble} ({})", trouble.hint));
    let _ = std::fs::remove_dir_all(&builder.folder);
    mined
}
