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
    Draft::write(target, fill)?.publish(existing)
}

/// Replaces files that belong together: if one of them cannot be written, all stay as they were.
pub fn replace_files(files: &[(PathBuf, Vec<u8>)]) -> Result<(), FileError> {
    let mut drafts = Vec::with_capacity(files.len());
    for (path, bytes) in files {
        match fs::metadata(path) {
            // What is no ordinary file, a pipe say, cannot be replaced and is not kept.
            Ok(there) if !there.is_file() => {
                let written = OpenOptions::new().write(true).open(path);
                written
                    .and_then(|mut file| file.write_all(bytes))
                    .map_err(FileError::when("write", path))?;
            }
            found => {
                // Behind a link the file is replaced, not the link.
                let target = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
                let draft = Draft::write(&target, |file| file.write_all(bytes))?;
                if let Ok(old) = found {
                    draft.take_permissions(&old).map_err(FileError::when("write", path))?;
                }
                drafts.push(draft);
            }
        }
    }
    drafts.into_iter().try_for_each(|draft| draft.publish(Existing::Replaced))
}

/// A file that is complete, but not yet in its place.
struct Draft {
    path: PathBuf,
    target: PathBuf,
}

impl Draft {
    fn write(
        target: &Path,
        fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<Draft, FileError> {
        let stem = target.file_stem().unwrap_or(OsStr::new("draft")).to_string_lossy();
        let (path, file) = create_unique(folder_of(target), &stem, "tmp")?;
        let draft = Draft { path, target: target.to_path_buf() };
        fill_and_sync(file, fill).map_err(FileError::when("write", target))?;
        Ok(draft)
    }

    fn take_permissions(&self, old: &fs::Metadata) -> io::Result<()> {
        fs::set_permissions(&self.path, old.permissions())
    }

    fn publish(self, existing: Existing) -> Result<(), FileError> {
        publish(&self.path, &self.target, existing)
            .map_err(FileError::when("write", &self.target))?;
        sync_folder(folder_of(&self.target));
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After a rename there is no draft any more; after anything else it has had its use.
        let _ = fs::remove_file(&self.path);
    }
}

/// The folder that a file is in; the current one has a name, too.
fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
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
