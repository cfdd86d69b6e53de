//! The command that workers repeat.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::engine;
use crate::files;
use crate::outcome::Failure;

/// The largest file that is read here.
const MAX_BYTES: usize = 16 << 20;

/// What the user typed, and where.
#[derive(Serialize, Deserialize)]
pub(crate) struct Errand {
    /// The words of the command, from `provoke` on.
    pub(crate) words: Vec<String>,
    /// The folder that file names are relative to.
    pub(crate) folder: PathBuf,
}

impl Errand {
    /// This process's command.
    pub(super) fn of_this_process() -> Result<Errand, Failure> {
        let words: Result<Vec<String>, _> =
            std::env::args_os().map(|word| word.into_string()).collect();
        let words = words.map_err(|word| {
            let message = format!("workers cannot repeat the word {word:?}, which is not UTF-8");
            Failure::Usage { message, hint: "rename the file, or leave out --engine".into() }
        })?;
        if words.iter().skip(1).any(|word| word == files::STANDARD) {
            let message = "workers cannot read standard input".to_string();
            return Err(Failure::Usage { message, hint: "write the model to a file".into() });
        }
        let folder = std::env::current_dir().map_err(|error| {
            Failure::input(format!("the current folder is gone: {error}"), "change to another")
        })?;
        Ok(Errand { words, folder })
    }

    /// Leaves it for workers.
    pub(super) fn leave(&self, store: &Path) -> Result<(), Failure> {
        let text = serde_json::to_string(self).expect("an errand is plain data");
        let folder = engine::folder(store);
        files::make_folder(&folder)?;
        // A worker sees the old one or the new one, never a part.
        files::write_together(&[(path(store), text.into_bytes())])
    }

    /// What there is to do.
    pub(crate) fn read(store: &Path) -> Result<Errand, Failure> {
        let bytes = files::read(&path(store), MAX_BYTES)?;
        serde_json::from_slice(&bytes).map_err(|error| {
            let message = format!("{}: {error}", path(store).display());
            Failure::input(message, "start the command with --engine again")
        })
    }
}

fn path(store: &Path) -> PathBuf {
    engine::folder(store).join("errand.json")
}
