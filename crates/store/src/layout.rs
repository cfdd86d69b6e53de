//! Where things are in the folder of a store.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::FileError;

/// The file that says what the run is.
pub(crate) fn manifest(folder: &Path) -> PathBuf {
    folder.join("store.json")
}

/// Where a store has its segments.
pub(crate) fn segments_folder(folder: &Path) -> PathBuf {
    folder.join("segments")
}

/// The segments of a store in the order in which they are read: `run`, `run-2`, `run-10`.
pub(crate) fn segments(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let inner = segments_folder(folder);
    let entries = match fs::read_dir(&inner) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(FileError::when("read", &inner))?,
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths =
        paths.collect::<Result<Vec<_>, _>>().map_err(FileError::when("read", &inner))?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "seg"));
    // Shorter names first, so that a writer's earlier segment comes before its later ones.
    paths.sort_by_cached_key(|path| (path.as_os_str().len(), path.clone()));
    Ok(paths)
}
