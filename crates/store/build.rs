//! Names the build: what one build has found another does not believe, so results carry this name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The crates that decide verdicts; others may change without making results doubtful.
const DECIDING: [&str; 17] = [
    "base",
    "cover",
    "criteria",
    "exec",
    "lustre",
    "mine",
    "model",
    "mutate",
    "oracle",
    "provoke",
    "sim",
    "solve",
    "stats",
    "stochastic",
    "store",
    "testgen",
    "timed",
];

fn main() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("crates").to_path_buf();
    let mut files = BTreeMap::new();
    for name in DECIDING {
        let folder = crates.join(name).join("src");
        println!("cargo:rerun-if-changed={}", folder.display());
        gather(&folder, &crates, &mut files);
    }
    let mut hash = FNV_OFFSET;
    for (name, bytes) in &files {
        hash = mixed(mixed(hash, name.as_bytes()), bytes);
    }
    println!("cargo:rustc-env=PROVOKE_BUILD={hash:032x}");
}

/// The files of a folder and those below it, by their names from `root` on.
fn gather(folder: &Path, root: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            gather(&path, root, files);
        } else if let Ok(bytes) = std::fs::read(&path) {
            let name: PathBuf = path.strip_prefix(root).unwrap_or(&path).into();
            files.insert(name.to_string_lossy().replace('\\', "/"), bytes);
        }
    }
}

const FNV_OFFSET: u128 = 0x6c62272e07bb014262b821756295c58d;
const FNV_PRIME: u128 = 0x0000000001000000000000000000013b;

/// FNV-1a, with the length first: names are to differ, not to be secret.
fn mixed(hash: u128, bytes: &[u8]) -> u128 {
    let length = (bytes.len() as u64).to_be_bytes();
    let all = length.iter().chain(bytes);
    all.fold(hash, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(FNV_PRIME))
}
