//! Networks for the tests of zones: read, random, and as region graphs.

#![allow(dead_code, reason = "each test file uses a part")]

pub(crate) mod random;
pub(crate) mod regions;

use provoke_base::SourceFile;
use provoke_uppaal::Network;

/// The network of a file without errors.
pub(crate) fn load(file: &SourceFile) -> Network {
    let loaded = provoke_uppaal::load(file);
    let shown: Vec<String> = loaded.diagnostics.iter().map(|d| d.render(file, false)).collect();
    loaded.network.unwrap_or_else(|| panic!("{}", shown.concat()))
}
