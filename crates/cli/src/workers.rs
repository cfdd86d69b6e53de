//! Workers as the user asks for them.

use std::path::PathBuf;

use provoke_work::{Executor, Workers};

use crate::outcome::Failure;

/// The workers that an executor stands for.
pub(crate) fn asked(executor: &Executor, count: usize) -> Result<Workers, Failure> {
    let folder = std::env::current_dir().map_err(|error| gone("the current folder", &error))?;
    let program = this_program()?;
    Ok(Workers { executor: executor.clone(), program, count, folder })
}

/// This program's own file.
pub(crate) fn this_program() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|error| gone("the program itself", &error))
}

fn gone(what: &str, error: &std::io::Error) -> Failure {
    Failure::input(format!("{what} is gone: {error}"), "change to another folder")
}
