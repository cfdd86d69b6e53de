//! What can go wrong with a store, said in one sentence.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::conflict::RecordConflict;
use crate::difference::{FieldDifference, describe_all};
use crate::record::RecordError;

/// A file or folder that the system refuses.
#[derive(Debug)]
pub struct FileError {
    /// What was to be done: `read`, `write`, `create`.
    pub action: &'static str,
    /// The file or folder.
    pub path: PathBuf,
    /// What the system says.
    pub source: io::Error,
}

impl FileError {
    /// For `map_err`: names what was tried.
    pub(crate) fn when(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileError {
        let path = path.to_path_buf();
        move |source| FileError { action, path, source }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {} {}: {}", self.action, self.path.display(), self.source)
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// Why a store cannot be used.
#[derive(Debug)]
pub enum StoreError {
    /// A file or folder cannot be read or written.
    File(FileError),
    /// The folder holds no store, or one that cannot be understood.
    NotAStore {
        /// The folder.
        folder: PathBuf,
        /// What is wrong with it, as a clause.
        reason: String,
    },
    /// The folder holds the store of another run.
    OtherRun {
        /// The folder.
        folder: PathBuf,
        /// What the store says, and what was asked for.
        differences: Vec<FieldDifference>,
    },
    /// Two records with one key do not say the same.
    Conflict(Box<RecordConflict>),
    /// A payload cannot be stored.
    Record(RecordError),
    /// A segment cannot have this name.
    SegmentName(String),
}

impl StoreError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            StoreError::NotAStore { .. } => Some("name the folder of a run, or one that is empty"),
            StoreError::OtherRun { .. } => {
                Some("use another folder, or the model and options of the stored run")
            }
            StoreError::Conflict(_) => Some(CONFLICT_HINT),
            StoreError::SegmentName(_) => Some(
                "a name has 1 to 100 letters, digits, `-`, `_` or `.`, does not start with `.`, \
                 and is not `merged`",
            ),
            StoreError::File(_) | StoreError::Record(_) => None,
        }
    }
}

const CONFLICT_HINT: &str = "one of the two answers is wrong: run both again with the same \
                             version, and report it if they still differ";

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::File(error) => error.fmt(f),
            StoreError::NotAStore { folder, reason } => {
                write!(f, "{} is not a results store: {reason}", folder.display())
            }
            StoreError::OtherRun { folder, differences } => {
                let fields = describe_all(differences, "in the store", "in this run");
                write!(f, "{} holds the results of another run: {fields}", folder.display())
            }
            StoreError::Conflict(conflict) => conflict.fmt(f),
            StoreError::Record(error) => error.fmt(f),
            StoreError::SegmentName(name) => write!(f, "a segment cannot be called {name:?}"),
        }
    }
}

impl std::error::Error for StoreError {}

impl From<FileError> for StoreError {
    fn from(error: FileError) -> StoreError {
        StoreError::File(error)
    }
}

impl From<Box<RecordConflict>> for StoreError {
    fn from(conflict: Box<RecordConflict>) -> StoreError {
        StoreError::Conflict(conflict)
    }
}

impl From<RecordError> for StoreError {
    fn from(error: RecordError) -> StoreError {
        StoreError::Record(error)
    }
}

/// Why stores cannot be merged.
#[derive(Debug)]
pub enum MergeError {
    /// No store was named.
    Nothing,
    /// Two stores are not of the same run.
    OtherRun {
        /// The first of the two.
        first: PathBuf,
        /// The other one.
        second: PathBuf,
        /// What each of them says.
        differences: Vec<FieldDifference>,
    },
    /// Two stores have different answers under one key.
    Conflict(Box<RecordConflict>),
    /// A store cannot be read or written.
    Store(StoreError),
}

impl MergeError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            MergeError::Nothing => Some("name the folders to be merged"),
            MergeError::OtherRun { .. } => {
                Some("only parts of one run can be merged: the same model and options")
            }
            MergeError::Conflict(_) => Some(CONFLICT_HINT),
            MergeError::Store(error) => error.hint(),
        }
    }
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MergeError::Nothing => f.write_str("there is nothing to merge"),
            MergeError::OtherRun { first, second, differences } => {
                let (first, second) = (first.display(), second.display());
                let fields = describe_all(differences, "in the first", "in the second");
                write!(f, "{first} and {second} hold the results of different runs: {fields}")
            }
            MergeError::Conflict(conflict) => conflict.fmt(f),
            MergeError::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MergeError {}

/// A conflict is a conflict, inside one store or between two.
impl From<StoreError> for MergeError {
    fn from(error: StoreError) -> MergeError {
        match error {
            StoreError::Conflict(conflict) => MergeError::Conflict(conflict),
            error => MergeError::Store(error),
        }
    }
}
