//! Any bytes as a target file, of `run` and of `mine`: it is read, or what is wrong has a place.

#![no_main]

use libfuzzer_sys::fuzz_target;
use provoke_base::{Diagnostic, SourceFile};

fn shown(file: &SourceFile, found: &[Diagnostic]) {
    assert!(!found.is_empty(), "refused without a reason");
    for diagnostic in found {
        assert!(!diagnostic.render(file, false).is_empty());
    }
}

fuzz_target!(|bytes: &[u8]| {
    let file = SourceFile::from_bytes("fuzz.toml", bytes.to_vec());
    if let Err(found) = provoke_exec::TargetFile::parse(&file) {
        shown(&file, &found);
    }
    match provoke_mine::MineTargetFile::parse(&file) {
        Ok(target) => drop(target.suite("fuzz")),
        Err(found) => shown(&file, &found),
    }
});
