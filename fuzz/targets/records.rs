//! Any bytes as a segment of a result store, or as its manifest: what is damaged is told, what is read is
//! read again.

#![no_main]

use std::path::PathBuf;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use provoke_store::{RunIdentity, KeyBuilder, Store};

/// A store of this process, in memory where the system keeps such a folder.
fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let memory = PathBuf::from("/dev/shm");
        let root = if memory.exists() { memory } else { std::env::temp_dir() };
        let folder = root.join(format!("provoke-fuzz-records-{}", std::process::id()));
        let identity = RunIdentity::new(serde_json::json!({"schema": "example/1", "model": "ab12"}));
        let mut store = Store::open(&folder, &identity).expect("a new store");
        let key = KeyBuilder::new("example/1").part("obligation", "x").finish();
        store.append(key, &serde_json::json!({"verdict": "covered"})).expect("a record");
        folder
    })
}

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    let (manifest, segment) = (folder().join("store.json"), folder().join("segments/run.seg"));
    let kept = std::fs::read(&manifest).expect("a manifest");
    let changed = if first % 4 == 0 { &manifest } else { &segment };
    std::fs::write(changed, rest).expect("a writable folder");
    match Store::read(folder()) {
        Ok(store) => {
            let records: Vec<_> = store.iter().collect();
            assert!(records.iter().all(|(key, payload)| store.get(key).as_ref() == Some(payload)));
            for damage in store.damage() {
                assert!(!damage.to_string().is_empty());
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    std::fs::write(&manifest, kept).expect("a writable folder");
});
