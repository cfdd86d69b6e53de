//! Reading models and suites, writing results.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub(crate) use provoke::files::{make_folder, write_together};
use provoke::files::{read_from, suite_files};
use provoke::{Model, RejectedModel};
use provoke_base::{Diagnostic, SourceFile};
use provoke_model::System;
use provoke_suite::{Format, ReadSuite, Typing};
use signal_hook::consts::SIGXFSZ;
use signal_hook::flag;

use crate::outcome::{Failure, show_diagnostics};
use crate::output::Output;

/// The name that stands for standard input and output.
pub(crate) const STANDARD: &str = "-";

/// Reads a file, or standard input for `-`, unless it has more than `limit` bytes.
pub(crate) fn read(path: &Path, limit: usize) -> Result<Vec<u8>, Failure> {
    Ok(match path.as_os_str() == STANDARD {
        true => read_from(std::io::stdin().lock(), path, limit)?,
        false => provoke::files::read(path, limit)?,
    })
}

/// Writes a file, whole or not at all, or standard output for `-`.
pub(crate) fn write(output: &Output, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if path.as_os_str() == STANDARD {
        output.result_bytes(bytes);
        return Ok(());
    }
    Ok(write_together(&[(path.to_path_buf(), bytes.to_vec())])?)
}

/// A write beyond what the shell allows (`ulimit -f`) becomes an error like a full disk; without
/// a handler the system would end the program.
pub(crate) fn survive_limits() {
    // Where the signal cannot be caught it does what it always does.
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// The text of a model.
pub(crate) fn model_source(path: &Path) -> Result<SourceFile, Failure> {
    let bytes = read(path, SourceFile::MAX_BYTES)?;
    let name = if path.as_os_str() == STANDARD {
        "<standard input>".into()
    } else {
        path.display().to_string()
    };
    Ok(SourceFile::from_bytes(name, bytes))
}

/// A model that a command works on; its errors are shown, its warnings are left to `check`.
pub(crate) fn model(
    path: &Path,
    main: Option<&str>,
    output: &Output,
) -> Result<(SourceFile, System), Failure> {
    let Model { file, system } = model_assuming(path, main, &[], output)?;
    Ok((file, system))
}

/// The same, with assumptions from the command line; they stand behind the text of the file.
pub(crate) fn model_assuming(
    path: &Path,
    main: Option<&str>,
    assumptions: &[String],
    output: &Output,
) -> Result<Model, Failure> {
    let file = model_source(path)?;
    let RejectedModel { diagnostics, about_assumptions } =
        match Model::read(&file, main, assumptions) {
            Ok(model) => return Ok(model),
            Err(rejected) => rejected,
        };
    let show = |file: &SourceFile, found: Vec<Diagnostic>| {
        let errors: Vec<_> = found.into_iter().filter(Diagnostic::is_error).collect();
        show_diagnostics(output, file, &errors);
    };
    show(&file, diagnostics);
    for (text, found) in assumptions.iter().zip(about_assumptions) {
        show(&SourceFile::new("--assume", text.as_str()), found);
    }
    Err(Failure::Shown)
}

/// A suite or trace from a file.
pub(crate) fn suite(
    path: &Path,
    format: Option<Format>,
    typing: Typing<'_>,
) -> Result<ReadSuite, Failure> {
    let bytes = read(path, provoke_suite::MAX_BYTES)?;
    Ok(provoke::files::suite_of_bytes(&path.display().to_string(), &bytes, format, typing)?)
}

/// Writes a suite in the format that the file's name says; returns the files written.
pub(crate) fn write_suite(
    output: &Output,
    suite: &provoke_model::Suite,
    path: &Path,
    format: Format,
) -> Result<Vec<PathBuf>, Failure> {
    let files = suite_files(suite, path, format, path.as_os_str() == STANDARD)?;
    match path.as_os_str() == STANDARD {
        true => files.iter().for_each(|(_, bytes)| output.result_bytes(bytes)),
        false => write_together(&files)?,
    }
    Ok(files.into_iter().map(|(target, _)| target).collect())
}
