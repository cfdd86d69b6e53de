//! Results in folders: written whole or not at all.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use provoke_base::{Error, ErrorCode};
use provoke_model::Suite;
use provoke_suite::Format;
pub use provoke_work::make_folder;

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
