//! Who works on a study, and where it is written.

use std::path::{Path, PathBuf};

use provoke_base::{Control, Error};
use provoke_files::{make_folder, write_together};
use provoke_work::{CaseRunner, Workers, study_identity};
use serde::{Deserialize, Serialize};

use crate::request::{Labelled, StudyRequest};

/// Where a study is written, and who works on it.
#[derive(Serialize, Deserialize, Clone, Debug, Default)]
#[serde(default)]
pub struct Placement {
    /// Where tables and pages are written; the folder is made if it is not there.
    pub folder: PathBuf,
    /// Where finished cases are kept, so that they are not done again; the folder of the tables if nothing
    /// is said.
    pub store: Option<PathBuf>,
    /// How many cases are worked on at a time; as many as there are cores if nothing is said.
    pub jobs: Option<u32>,
    /// Who works, if it is not this process.
    #[serde(skip)]
    pub workers: Option<Workers>,
}

impl Placement {
    /// A study that this process does, written into a folder.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Placement {
        Placement { folder: folder.into(), ..Placement::default() }
    }

    /// How many cases are worked on at a time.
    pub(crate) fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(cores, |jobs| jobs as usize)
    }

    /// Does the cases of a study; workers are asked for the same by `request`.
    pub(crate) fn runner<'a>(
        &self,
        request: &StudyRequest,
        threads: usize,
        control: &Control,
    ) -> Result<CaseRunner<'a>, Error> {
        let store = self.store.as_ref().unwrap_or(&self.folder);
        let (identity, workers) = (study_identity(request.name()), self.workers.as_ref());
        let labelled = Labelled { study: request };
        CaseRunner::new(&identity, Some(store), workers, &labelled, threads, control)
    }

    /// Makes the folder of the tables.
    pub(crate) fn make_folder(&self) -> Result<(), Error> {
        make_folder(&self.folder)
    }

    /// Writes files into the folder of the tables: all of them, or none.
    pub(crate) fn write(&self, files: &[(String, String)]) -> Result<(), Error> {
        let whole = |(name, text): &(String, String)| {
            (self.folder.join(Path::new(name)), text.clone().into_bytes())
        };
        write_together(&files.iter().map(whole).collect::<Vec<_>>())
    }
}
