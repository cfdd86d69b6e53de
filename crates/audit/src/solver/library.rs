//! Where the libraries of solvers are.

use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::Missing;

/// A solver's library: how it is called in each place.
pub(super) struct Wanted {
    pub(super) solver: &'static str,
    /// The variable by which users choose one.
    pub(super) variable: &'static str,
    /// Below the user's data directory.
    pub(super) installed: String,
    /// Names that the system's loader knows.
    pub(super) system: &'static [&'static str],
    /// The command that installs it.
    pub(super) command: &'static str,
}

impl Wanted {
    /// The first place from which `open` gets something.
    pub(super) fn find<T>(
        &self,
        open: impl Fn(&Path) -> Result<T, String>,
    ) -> Result<(PathBuf, T), Missing> {
        let mut tried = Vec::new();
        for path in self.places(|name| std::env::var_os(name)) {
            match open(&path) {
                Ok(opened) => return Ok((path, opened)),
                Err(why) => tried.push((path, why)),
            }
        }
        Err(Missing { solver: self.solver, tried, command: self.command })
    }

    /// Where it may be, best first. A path that the user gives is the only one.
    pub(super) fn places(&self, variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
        let set = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        if let Some(path) = set(self.variable) {
            return vec![path];
        }
        let home = || set("HOME").map(|home| home.join(".local/share"));
        let data = set("XDG_DATA_HOME").filter(|path| path.is_absolute()).or_else(home);
        let installed = data.map(|data| data.join("provoke").join(&self.installed));
        installed.into_iter().chain(self.system.iter().map(PathBuf::from)).collect()
    }
}

/// Why a library cannot be loaded, without repeating its path.
pub(super) fn reason(error: &libloading::Error, path: &Path) -> String {
    match error.source() {
        Some(source) => source.to_string().replacen(&format!("{}: ", path.display()), "", 1),
        None => error.to_string(),
    }
}
