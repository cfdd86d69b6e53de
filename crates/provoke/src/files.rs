//! Files that are read, and results in folders: written whole or not at all.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use provoke_base::{Error, ErrorCode};
use provoke_model::Suite;
use provoke_suite::Format;
pub use provoke_work::make_folder;

/// Reads a file, unless it has more than `limit` bytes.
pub fn read(path: &Path, limit: usize) -> Result<Vec<u8>, Error> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    read_from(file, path, limit)
}

/// Reads what is called `path` in messages to its end, unless it has more than `limit` bytes.
pub fn read_from(source: impl Read, path: &Path, limit: usize) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    // One byte more than allowed tells that there are more; endless files end there.
    let read = source.take(limit as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| unreadable(path, &error))?;
    if bytes.len() > limit {
        let megabytes = limit >> 20;
        let message = format!("{} has more than {megabytes} MB", path.display());
        return Err(Error::input(message, format!("files up to {megabytes} MB are read here")));
    }
    Ok(bytes)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    let hint = match error.kind() {
        ErrorKind::NotFound => "check the spelling and the folder you are in",
        ErrorKind::IsADirectory => "this is a folder; name a file in it",
        ErrorKind::PermissionDenied => "you may not read this file",
        _ => "check that it is an ordinary file",
    };
    let message = format!("cannot read {}: {error}", path.display());
    Error::new(ErrorCode::CannotRead, message).hint(hint)
}

/// Writes files that belong together: all of them, or none.
pub fn write_together(files: &[(PathBuf, Vec<u8>)]) -> Result<(), Error> {
    provoke_store::replace_files(files).map_err(|error| {
        let hint = match error.source.kind() {
            ErrorKind::StorageFull | ErrorKind::FileTooLarge | ErrorKind::QuotaExceeded => {
                "make room on the disk, or name another folder; what was there before is as it was"
            }
            _ => "check that the folder exists and may be written to",
        };
        Error::new(ErrorCode::CannotWrite, error.to_string()).hint(hint)
    })
}

/// The files that a suite is written to, with what is in them: one, unless the format wants more.
pub fn suite_files(
    suite: &Suite,
    path: &Path,
    format: Format,
    single: bool,
) -> Result<Vec<(PathBuf, Vec<u8>)>, Error> {
    let files = provoke_suite::write(suite, format).map_err(|error| Error {
        code: ErrorCode::WrongInput,
        message: error.message,
        hint: error.hint,
    })?;
    let single = single || files.len() == 1;
    let target = |suffix: &str| match single {
        true => path.to_path_buf(),
        false => {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            path.with_file_name(format!("{stem}{suffix}"))
        }
    };
    Ok(files.into_iter().map(|file| (target(&file.suffix), file.bytes)).collect())
}
