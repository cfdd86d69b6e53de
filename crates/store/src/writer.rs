//! Appending to a segment of one's own.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::atomic::{create_unique, sync_folder};
use crate::error::{FileError, StoreError};

/// What `merge` calls its segment, and replaces: no writer may be in it.
pub(crate) const MERGED: &str = "merged";

/// The segment of one process; its file appears with the first record.
#[derive(Debug)]
pub(crate) struct Writer {
    folder: PathBuf,
    name: String,
    sync_every: Option<Duration>,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    path: Arc<Path>,
    file: File,
    /// When the oldest record was written that a power failure could still take.
    unsynced: Option<Instant>,
}

impl Writer {
    pub(crate) fn new(folder: PathBuf) -> Writer {
        Writer { folder, name: "run".into(), sync_every: None, open: None }
    }

    /// Calls the segment `name`; what was written before stays where it is.
    pub(crate) fn rename(&mut self, name: &str) -> Result<(), StoreError> {
        if !is_name(name) {
            return Err(StoreError::SegmentName(name.into()));
        }
        self.name = name.into();
        self.open = None;
        Ok(())
    }

    pub(crate) fn sync_every(&mut self, interval: Duration) {
        self.sync_every = Some(interval);
    }

    /// The segment's file, or what it will be called if nobody is faster.
    pub(crate) fn path(&self) -> Arc<Path> {
        match &self.open {
            Some(open) => open.path.clone(),
            None => self.folder.join(format!("{}.seg", self.name)).into(),
        }
    }

    /// Appends a frame. The system has it when this returns: the process may be killed.
    pub(crate) fn append(&mut self, frame: &[u8]) -> Result<(), FileError> {
        let open = match &mut self.open {
            Some(open) => open,
            closed => closed.insert(Open::create(&self.folder, &self.name)?),
        };
        // One call, so that other processes rarely see half a frame. Should it fail in the
        // middle, the next frame still has its own beginning.
        open.file.write_all(frame).map_err(FileError::when("write", &open.path))?;
        let since = *open.unsynced.get_or_insert_with(Instant::now);
        match self.sync_every {
            Some(interval) if since.elapsed() >= interval => open.sync(),
            _ => Ok(()),
        }
    }

    /// Returns when the disk has everything: the machine may lose power.
    pub(crate) fn sync(&mut self) -> Result<(), FileError> {
        self.open.as_mut().map_or(Ok(()), Open::sync)
    }
}

impl Open {
    fn create(folder: &Path, name: &str) -> Result<Open, FileError> {
        fs::create_dir_all(folder).map_err(FileError::when("create", folder))?;
        let (path, file) = create_unique(folder, name, "seg")?;
        Ok(Open { path: path.into(), file, unsynced: None })
    }

    fn sync(&mut self) -> Result<(), FileError> {
        if self.unsynced.is_some() {
            self.file.sync_data().map_err(FileError::when("write", &self.path))?;
            sync_folder(self.path.parent().unwrap_or(Path::new("")));
            self.unsynced = None;
        }
        Ok(())
    }
}

fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=100).contains(&name.len())
        && name.bytes().all(plain)
        && !name.starts_with('.')
        && name != MERGED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_the_name_of_merged_segments_is_taken() {
        for name in ["run", "shard-1-of-4", "node_7.2", &"x".repeat(100)] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", ".hidden", "..", "a/b", "a b", "ä", "merged", &"x".repeat(101)] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error_that_names_the_segment() {
        let mut writer = Writer::new("nowhere".into());
        let file = fs::OpenOptions::new().append(true).open("/dev/full").unwrap();
        writer.open = Some(Open { path: Path::new("full.seg").into(), file, unsynced: None });
        let message = writer.append(b"frame").unwrap_err().to_string();
        assert!(message.starts_with("cannot write full.seg: No space left on device"), "{message}");
    }
}
