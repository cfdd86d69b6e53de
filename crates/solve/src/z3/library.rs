//! Finding and loading Z3.

use std::ffi::{CString, OsString};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::ffi::Api;
use crate::missing::{AvailableSolver, MissingSolver, data_folder};

/// The version that scripts/install-z3.sh installs (requirements-z3.txt).
pub const PINNED_VERSION: &str = "5.4.0.0";

const MINIMUM_VERSION: [u32; 3] = [4, 8, 12];

const INSTALL: &str = if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
    "scripts/install-z3.sh"
} else {
    "sudo apt install libz3-4"
};

/// A loaded Z3.
#[derive(Clone)]
pub struct Z3Library {
    pub(super) api: &'static Api,
    found: AvailableSolver,
}

impl Z3Library {
    /// The Z3 of this process: the one that `PROVOKE_Z3` names, else the one that
    /// scripts/install-z3.sh installed, else the system's.
    pub fn load() -> Result<Z3Library, MissingSolver> {
        static LOADED: OnceLock<Result<Z3Library, MissingSolver>> = OnceLock::new();
        LOADED.get_or_init(|| first_usable(places(|name| std::env::var_os(name)))).clone()
    }

    /// The Z3 at `path`, or why it cannot be used.
    pub fn open(path: &Path) -> Result<Z3Library, String> {
        let api = Api::load(path, |version| {
            let (found, needed) = (dotted(version), dotted(&MINIMUM_VERSION));
            let old = version[..3] < MINIMUM_VERSION[..];
            old.then(|| format!("version {found} is too old, {needed} or newer is needed"))
        })?;
        let version = api.version();
        Ok(Z3Library {
            api,
            found: AvailableSolver { path: path.to_owned(), version: dotted(&version) },
        })
    }

    /// Where it is and its version.
    pub fn found(&self) -> &AvailableSolver {
        &self.found
    }

    /// Limits the memory of all solvers of this process together. Z3 gives up
    /// (`OutOfMemory`) when it holds more.
    pub fn limit_memory(&self, megabytes: u32) {
        let value = CString::new(megabytes.to_string()).expect("digits hold no zero byte");
        // The first makes checks give up; the second, an emergency brake, makes Z3 fail
        // wherever it is when it goes on regardless.
        self.api.set_global(c"memory_high_watermark_mb", &value);
        let hard = CString::new(megabytes.saturating_mul(2).to_string()).expect("digits");
        self.api.set_global(c"memory_max_size", &hard);
    }
}

/// Which Z3 is used, or where it was looked for.
pub fn find() -> Result<AvailableSolver, MissingSolver> {
    Z3Library::load().map(|library| library.found)
}

fn dotted(numbers: &[u32]) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(".")
}

/// Where Z3 may be, best first. A path that the user gives is the only one.
fn places(variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let set = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(path) = set("PROVOKE_Z3") {
        return vec![path];
    }
    let pinned =
        data_folder(&variable).map(|data| data.join("z3").join(PINNED_VERSION).join("libz3.so"));
    let system = ["libz3.so.4", "libz3.so"].map(PathBuf::from);
    pinned.into_iter().chain(system).collect()
}

fn first_usable(places: Vec<PathBuf>) -> Result<Z3Library, MissingSolver> {
    let mut tried = Vec::new();
    for path in places {
        match Z3Library::open(&path) {
            Ok(library) => return Ok(library),
            Err(why) => tried.push((path, why)),
        }
    }
    Err(MissingSolver { solver: "Z3", tried, command: INSTALL })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places_with(variables: &[(&str, &str)]) -> Vec<PathBuf> {
        places(|name| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn the_users_choice_comes_first_and_alone() {
        let chosen = places_with(&[("PROVOKE_Z3", "/opt/libz3.so"), ("HOME", "/home/ann")]);
        assert_eq!(chosen, [PathBuf::from("/opt/libz3.so")]);
    }

    #[test]
    fn the_pinned_library_comes_before_the_systems() {
        let system = ["libz3.so.4", "libz3.so"].map(PathBuf::from).to_vec();
        let pinned = PathBuf::from("/home/ann/.local/share/provoke/z3/5.4.0.0/libz3.so");
        let at_home = places_with(&[("HOME", "/home/ann"), ("PROVOKE_Z3", "")]);
        assert_eq!(at_home, [vec![pinned], system.clone()].concat());
        let pinned = PathBuf::from("/data/provoke/z3/5.4.0.0/libz3.so");
        let in_data = places_with(&[("HOME", "/home/ann"), ("XDG_DATA_HOME", "/data")]);
        assert_eq!(in_data, [vec![pinned], system.clone()].concat());
        assert_eq!(places_with(&[]), system);
    }

    #[test]
    fn a_missing_library_names_every_place_and_the_command() {
        let nowhere = PathBuf::from("/nowhere/libz3.so");
        let no_library = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        let missing = first_usable(vec![nowhere, no_library]).err().unwrap();
        let message = missing.to_string();
        let parts = ["Z3 was not found", "No such file", "Cargo.toml: ", INSTALL];
        for part in parts {
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn a_library_that_is_not_z3_is_refused() {
        let why = Z3Library::open(Path::new("libc.so.6")).err().unwrap();
        assert!(why.starts_with("has no Z3_"), "{why}");
    }

    #[test]
    fn the_pinned_version_is_that_of_the_requirements_file() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../requirements-z3.txt");
        let requirements = std::fs::read_to_string(file).unwrap();
        assert!(requirements.contains(&format!("\nz3-solver=={PINNED_VERSION} ")));
    }
}
