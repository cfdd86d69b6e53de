//! Files: read up to a limit, written whole or not at all, and the models and suites in them.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use provoke_base::{Error, ErrorCode, SourceFile};
use provoke_model::Suite;
use provoke_suite::{Format, ReadSuite, Typing};
pub use provoke_work::make_folder;

mod model;

pub use model::{Model, ModelText, RejectedModel};

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
    let files = provoke_suite::write(suite, format).map_err(|error| {
        let wrong = Error::new(ErrorCode::WrongInput, error.message);
        Error { hint: error.hint, ..wrong }
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

/// What a file holds, unless it has more than `limit` bytes.
pub fn read(path: &Path, limit: usize) -> Result<Vec<u8>, Error> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    read_from(file, path, limit)
}

/// What a stream that is called `path` in messages holds, unless it has more than `limit` bytes.
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

/// A text file with its name.
pub fn source(path: &Path, limit: usize) -> Result<SourceFile, Error> {
    Ok(SourceFile::from_bytes(path.display().to_string(), read(path, limit)?))
}

/// The model of a file. `main` names the main node if it is not the one that the file marks; assumptions
/// are added to its own.
pub fn model(path: &Path, main: Option<&str>, assumptions: &[String]) -> Result<Model, Error> {
    let file = source(path, SourceFile::MAX_BYTES)?;
    Model::read(&file, main, assumptions).map_err(|rejected| rejected.into_error(&file))
}

/// The suite of a file, in a format that is guessed if none is named.
pub fn suite(path: &Path, format: Option<Format>, typing: Typing<'_>) -> Result<ReadSuite, Error> {
    let bytes = read(path, provoke_suite::MAX_BYTES)?;
    suite_of_bytes(&path.display().to_string(), &bytes, format, typing)
}

/// The suite of a text that is called `name` in messages.
pub fn suite_of_bytes(
    name: &str,
    bytes: &[u8],
    format: Option<Format>,
    typing: Typing<'_>,
) -> Result<ReadSuite, Error> {
    provoke_suite::read(name, bytes, format, typing).map_err(|error| {
        let wrong = Error::new(ErrorCode::WrongInput, format!("{name}: {error}"));
        Error { hint: error.hint, ..wrong }
    })
}

/// The files of a folder with an ending, sorted by name; what is no folder stands for itself.
pub fn files_in(path: &Path, ending: &str) -> Result<Vec<PathBuf>, Error> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let entries = std::fs::read_dir(path).map_err(|error| {
        let message = format!("cannot list {}: {error}", path.display());
        Error::new(ErrorCode::CannotRead, message).hint("name a folder that may be read")
    })?;
    let has_ending = |path: &PathBuf| path.extension().is_some_and(|other| other == ending);
    let mut found: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(has_ending).collect();
    found.sort();
    Ok(found)
}
