//! Files that are there as a whole or not at all, and files that nobody else has.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::error::FileError;

/// The largest number of files with one stem.
const MAX_NUMBER: usize = 100_000;

/// What happens to a file that is already there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Existing {
    Kept,
    Replaced,
}

/// Creates `stem.extension`, or `stem-2.extension` and so on if others were first. Two
/// processes never get the same file, on a network file system either; nothing has to be
/// unlocked when one of them is killed.
pub(crate) fn create_unique(
    folder: &Path,
    stem: &str,
    extension: &str,
) -> Result<(PathBuf, File), FileError> {
    let mut path = folder.join(format!("{stem}.{extension}"));
    for number in 2..=MAX_NUMBER {
        match OpenOptions::new().append(true).create_new(true).open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                path = folder.join(format!("{stem}-{number}.{extension}"));
            }
            Err(error) => return Err(FileError::when("create", &path)(error)),
        }
    }
    let source = io::Error::new(ErrorKind::AlreadyExists, "too many files of this name");
    Err(FileError { action: "create", path, source })
}

/// Writes a file beside its place and then puts it there in one step.
pub(crate) fn write_whole(
    target: &Path,
    existing: Existing,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), FileError> {
    let folder = target.parent().unwrap_or(Path::new(""));
    let stem = target.file_stem().unwrap_or(OsStr::new("draft")).to_string_lossy();
    let (draft, file) = create_unique(folder, &stem, "tmp")?;
    let written = fill_and_sync(file, fill).and_then(|()| publish(&draft, target, existing));
    // After a rename there is no draft any more; after anything else it has had its use.
    let _ = fs::remove_file(&draft);
    written.map_err(FileError::when("write", target))?;
    sync_folder(folder);
    Ok(())
}

fn fill_and_sync(
    file: File,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut writer = BufWriter::new(file);
    fill(&mut writer)?;
    writer.flush()?;
    writer.get_ref().sync_data()
}

fn publish(draft: &Path, target: &Path, existing: Existing) -> io::Result<()> {
    if existing == Existing::Kept {
        // A link fails where a file already is; a rename would replace what another process
        // has just put there. Some file systems have no links: there the rename must do.
        match fs::hard_link(draft, target) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(()),
            Err(_) => {}
        }
    }
    fs::rename(draft, target)
}

/// Makes new names in a folder survive a power failure, where the system can do that.
pub(crate) fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
