//! The files that describe programs to be mined, with the programs themselves.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use provoke_base::{Diagnostic, Error, SourceFile};
use provoke_mine::{Closure, Target, Trouble, Workshop};
use provoke_results::ClosureWord;
use provoke_store::{Key, KeyBuilder};

use crate::files;
use crate::mined_model::as_program;
use crate::model::rejected;

/// A target with what it stands on.
pub struct LoadedTarget {
    /// The target, with the code of a model in the place of the model.
    pub target: Target,
    /// What the file says.
    text: String,
    /// Its name: that of the file without its ending.
    pub name: String,
    /// What paths in the file are relative to.
    pub home: PathBuf,
    /// Where builds are; none for an executable that is only started.
    pub workshop: Option<Workshop>,
    _scratch: Option<Scratch>,
}

/// How many folders that vanish this process had.
static SCRATCHES: AtomicUsize = AtomicUsize::new(0);

/// A folder that vanishes with its use.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl LoadedTarget {
    /// The largest target file that is read.
    pub const MAX_BYTES: usize = 16 << 20;

    /// Reads a target file; builds go into a folder of the output, or into one that vanishes.
    pub fn read(path: &Path, folder: Option<&Path>) -> Result<LoadedTarget, TargetFault> {
        LoadedTarget::of_bytes(path, files::read(path, LoadedTarget::MAX_BYTES)?, folder)
    }

    /// The same, of a target file that was read.
    pub fn of_bytes(
        path: &Path,
        bytes: Vec<u8>,
        folder: Option<&Path>,
    ) -> Result<LoadedTarget, TargetFault> {
        let file = SourceFile::from_bytes(path.display().to_string(), bytes);
        let mut target = Target::parse(&file)
            .map_err(|diagnostics| TargetFault::Rejected { file: file.clone(), diagnostics })?;
        // A bare name is in this folder; an empty path would be nowhere.
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let home = parent.unwrap_or(Path::new(".")).to_path_buf();
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = stem.unwrap_or_else(|| "program".to_string());
        let (scratch, build) = match folder {
            Some(folder) => (None, folder.join("build")),
            None => {
                let number = SCRATCHES.fetch_add(1, Ordering::Relaxed);
                let unique = format!("provoke-mine-{}-{number}-{name}", std::process::id());
                let folder = std::env::temp_dir().join(unique);
                (Some(Scratch(folder.clone())), folder)
            }
        };
        if let Some(model) = target.program.model.clone() {
            target = as_program(&target, &home.join(model), &build)?;
        }
        let suite = target.suite(&name);
        let workshop = match target.program.command.is_empty() {
            true => Some(Workshop::new(&target, &suite, &home, &build)?),
            false => None,
        };
        Ok(LoadedTarget { target, text: file.text, name, home, workshop, _scratch: scratch })
    }

    /// A name for the program and what the file says of it: where it is equal, they are.
    pub fn key(&self) -> Result<Key, Error> {
        let mut key = KeyBuilder::new("provoke/program/1").part("target", &self.text);
        let content = self.workshop.as_ref().map_or(Ok(Vec::new()), Workshop::content);
        for text in content? {
            key = key.part("unit", text);
        }
        for word in &self.target.program.command {
            // A word that names no file of the target is one of the system's.
            if let Ok(text) = std::fs::read(self.home.join(word)) {
                key = key.part("file", text);
            }
        }
        Ok(key.finish())
    }
}

/// Why a target file cannot be used.
#[derive(Clone, Debug)]
pub enum TargetFault {
    /// The file, or the model that it names, says something wrong.
    Rejected {
        /// What was read.
        file: SourceFile,
        /// What is wrong in it.
        diagnostics: Vec<Diagnostic>,
    },
    /// Something cannot be read, written or built.
    Failed(Error),
}

impl From<Error> for TargetFault {
    fn from(error: Error) -> TargetFault {
        TargetFault::Failed(error)
    }
}

impl From<Trouble> for TargetFault {
    fn from(trouble: Trouble) -> TargetFault {
        TargetFault::Failed(trouble.into())
    }
}

impl From<TargetFault> for Error {
    fn from(fault: TargetFault) -> Error {
        match fault {
            TargetFault::Rejected { file, diagnostics } => rejected(&file.name, &diagnostics),
            TargetFault::Failed(error) => error,
        }
    }
}

/// How far a search went, as results say it.
pub fn closure_word(closure: Closure) -> ClosureWord {
    match closure {
        Closure::Open => ClosureWord::Open,
        Closure::OverValues => ClosureWord::Values,
        Closure::Proven => ClosureWord::Proven,
    }
}
