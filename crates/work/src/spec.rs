//! The specification of work that is given to workers.

use std::path::{Path, PathBuf};

use provoke_base::{Error, ErrorCode};
use serde::{Deserialize, Serialize};

/// Raised when a worker could misread what another build has written.
const FORMAT: u32 = 1;
/// The largest specification that is read.
const MAX_BYTES: u64 = 64 << 20;

/// What a worker has to know to prepare the tasks of a plan.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct JobSpec {
    format: u32,
    /// The folder that file names in the request are relative to.
    pub folder: PathBuf,
    /// The options of the verb, with its name: whoever asked for the work knows how to read them.
    pub request: serde_json::Value,
}

impl JobSpec {
    /// Work that this process asks for.
    pub fn new(folder: PathBuf, request: &impl Serialize) -> JobSpec {
        let request = serde_json::to_value(request).expect("options are plain data");
        JobSpec { format: FORMAT, folder, request }
    }

    /// Leaves it in a store. A worker sees the old one or the new one, never a part.
    pub(crate) fn leave(&self, store: &Path) -> Result<(), Error> {
        let text = serde_json::to_string(self).expect("a specification is plain data");
        make_folder(&crate::folder(store))?;
        provoke_store::replace_files(&[(path(store), text.into_bytes())])
            .map_err(|error| Error::new(ErrorCode::CannotWrite, error.to_string()))
    }

    /// The specification in a store.
    pub fn read(store: &Path) -> Result<JobSpec, Error> {
        let path = path(store);
        let wrong =
            |why: String| Error::new(ErrorCode::PlanMismatch, format!("{}: {why}", path.display()));
        let size = std::fs::metadata(&path).map_err(|error| wrong(error.to_string()))?.len();
        if size > MAX_BYTES {
            return Err(wrong(format!("more than {} MB", MAX_BYTES >> 20)));
        }
        let bytes = std::fs::read(&path).map_err(|error| wrong(error.to_string()))?;
        let spec: JobSpec =
            serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
        match spec.format {
            FORMAT => Ok(spec),
            other => Err(wrong(format!("format {other} was written by another version"))),
        }
    }
}

fn path(store: &Path) -> PathBuf {
    crate::folder(store).join("job.json")
}

/// Makes a folder and those it lies in, if they are not there.
pub fn make_folder(folder: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(folder).map_err(|error| {
        let message = format!("cannot make the folder {}: {error}", folder.display());
        Error::new(ErrorCode::CannotWrite, message).hint("name a folder that may be written to")
    })
}
