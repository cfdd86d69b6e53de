//! The file that says what the run of a store is.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use crate::atomic::{Existing, write_whole};
use crate::error::{FileError, StoreError};
use crate::identity::RunIdentity;
use crate::layout;

/// The largest `store.json` that is read.
const MAX_BYTES: u64 = 16 << 20;

/// Makes `folder` a store of this run, or makes sure that it is one.
pub(crate) fn establish(folder: &Path, identity: &RunIdentity) -> Result<(), StoreError> {
    // Looked for before `store.json`, which is always written before the first segment.
    let has_segments = !layout::segments(folder)?.is_empty();
    match find(folder)? {
        Some(_) => {}
        None if has_segments => return Err(not_a_store(folder, "it has lost its store.json")),
        None => create(folder, identity)?,
    }
    // Read back in any case: another process may have been faster, with another run.
    let differences = read(folder)?.differences(identity);
    match differences.is_empty() {
        true => Ok(()),
        false => Err(StoreError::OtherRun { folder: folder.into(), differences }),
    }
}

/// The run of the store in `folder`.
pub(crate) fn read(folder: &Path) -> Result<RunIdentity, StoreError> {
    let reason = if folder.is_dir() { "it has no store.json" } else { "there is no such folder" };
    find(folder)?.ok_or_else(|| not_a_store(folder, reason))
}

/// The run of the store in `folder`, if there is a store.
pub(crate) fn find(folder: &Path) -> Result<Option<RunIdentity>, StoreError> {
    let path = layout::manifest(folder);
    let file = match File::open(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file.map_err(FileError::when("read", &path))?,
    };
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(FileError::when("read", &path))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(not_a_store(folder, "store.json is too large"));
    }
    RunIdentity::from_bytes(&bytes).map(Some).map_err(|reason| not_a_store(folder, &reason))
}

fn create(folder: &Path, identity: &RunIdentity) -> Result<(), StoreError> {
    let inner = layout::segments_folder(folder);
    fs::create_dir_all(&inner).map_err(FileError::when("create", &inner))?;
    let text = identity.text();
    write_whole(&layout::manifest(folder), Existing::Kept, |file| file.write_all(text.as_bytes()))?;
    Ok(())
}

fn not_a_store(folder: &Path, reason: &str) -> StoreError {
    StoreError::NotAStore { folder: folder.into(), reason: reason.into() }
}
