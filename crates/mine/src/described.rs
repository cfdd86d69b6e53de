//! A program to be mined, with what its file stands on.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use provoke_base::Error;
use provoke_store::{Key, KeyBuilder};

use crate::compile::ProgramBuilder;
use crate::described_model;
use crate::target::MineTargetFile;

/// Target files are small.
const MAX_BYTES: usize = 16 << 20;

/// A program, and how it is built and run.
pub struct MineTarget {
    /// What the file says.
    pub target: MineTargetFile,
    /// The name of the file.
    pub file: String,
    text: String,
    /// The name of the program.
    pub name: String,
    /// The folder that paths in the file are relative to.
    pub home: PathBuf,
    /// Where builds are; none for an executable that is only started.
    pub builder: Option<ProgramBuilder>,
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

impl MineTarget {
    /// Reads a target file; builds go into a folder of the results, or into one that vanishes.
    pub fn open(path: &Path, results: Option<&Path>) -> Result<MineTarget, Error> {
        let file = provoke_files::source(path, MAX_BYTES)?;
        let mut target =
            MineTargetFile::parse(&file).map_err(|found| Error::in_text(&file, found))?;
        // A bare name is in this folder; an empty path would be nowhere.
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let home = parent.unwrap_or(Path::new(".")).to_path_buf();
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = stem.unwrap_or_else(|| "program".to_string());
        let (scratch, build) = match results {
            Some(folder) => (None, folder.join("build")),
            None => {
                let number = SCRATCHES.fetch_add(1, Ordering::Relaxed);
                let unique = format!("provoke-mine-{}-{number}-{name}", std::process::id());
                let folder = std::env::temp_dir().join(unique);
                (Some(Scratch(folder.clone())), folder)
            }
        };
        if let Some(model) = target.program.model.clone() {
            target = described_model::as_program(&target, &home.join(model), &build)?;
        }
        let suite = target.suite(&name);
        let builder = match target.program.command.is_empty() {
            true => Some(ProgramBuilder::new(&target, &suite, &home, &build)?),
            false => None,
        };
        let (file, text) = (file.name, file.text);
        Ok(MineTarget { target, file, text, name, home, builder, _scratch: scratch })
    }

    /// A name for the program and what the file says of it: where it is equal, they are.
    pub fn key(&self) -> Result<Key, Error> {
        let mut key = KeyBuilder::new("provoke/program/1").part("target", &self.text);
        let content = self.builder.as_ref().map_or(Ok(Vec::new()), ProgramBuilder::content);
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
