//! Solvers that are installed, and those that are not.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// A solver that can be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AvailableSolver {
    /// Where it is.
    pub path: PathBuf,
    /// What it says its version is.
    pub version: String,
}

/// A solver that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingSolver {
    /// The solver's name.
    pub solver: &'static str,
    /// Where it was looked for, and why it cannot be used from there.
    pub tried: Vec<(PathBuf, String)>,
    /// The command that installs it.
    pub command: &'static str,
}

impl fmt::Display for MissingSolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} was not found", self.solver)?;
        for (path, why) in &self.tried {
            writeln!(f, "  {}: {why}", path.display())?;
        }
        write!(f, "to install it, type: {}", self.command)
    }
}

impl std::error::Error for MissingSolver {}

/// Where this user's data is kept, below which the scripts install what is pinned.
pub(crate) fn data_folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || set("HOME").map(|home| home.join(".local/share"));
    let data = set("XDG_DATA_HOME").filter(|path| path.is_absolute()).or_else(home);
    data.map(|data| data.join("provoke"))
}
