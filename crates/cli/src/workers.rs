//! Workers as the user asks for them.

use std::path::Path;

use provoke_base::Control;
use provoke_store::Identity;
use provoke_work::{CaseRunner, Executor, Workers};
use serde::{Deserialize, Serialize};

use crate::files;
use crate::outcome::Failure;

/// What workers are asked to do.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Request {
    /// A verb of the library.
    Library(Box<provoke::Request>),
    /// The words of a command, from `provoke` on.
    Words { words: Vec<String> },
}

/// The workers that an executor stands for.
pub(crate) fn asked(executor: &Executor, count: usize) -> Result<Workers, Failure> {
    let gone = |what: &str, error: std::io::Error| {
        Failure::input(format!("{what} is gone: {error}"), "change to another folder")
    };
    let folder = std::env::current_dir().map_err(|error| gone("the current folder", error))?;
    let program = std::env::current_exe().map_err(|error| gone("the program itself", error))?;
    Ok(Workers { executor: executor.clone(), program, count, folder })
}

/// The words of this process's command.
fn words() -> Result<Request, Failure> {
    let words: Result<Vec<String>, _> =
        std::env::args_os().map(|word| word.into_string()).collect();
    let words = words.map_err(|word| {
        let message = format!("the argument {word:?} is not valid UTF-8");
        Failure::Usage { message, hint: "rename the file, or leave out --workers".into() }
    })?;
    if words.iter().skip(1).any(|word| word == files::STANDARD) {
        let message = "workers cannot read standard input".to_string();
        return Err(Failure::Usage { message, hint: "write the model to a file".into() });
    }
    Ok(Request::Words { words })
}

/// A runner of cases, on threads of this process or by the workers that the user asks for.
pub(crate) fn runner<'a>(
    identity: &Identity,
    folder: Option<&Path>,
    executor: Option<&Executor>,
    jobs: usize,
    control: &Control,
) -> Result<CaseRunner<'a>, Failure> {
    let workers = executor.map(|executor| asked(executor, jobs)).transpose()?;
    let request = workers.as_ref().map(|_| words()).transpose()?;
    Ok(CaseRunner::new(identity, folder, workers.as_ref(), &request, jobs, control)?)
}
