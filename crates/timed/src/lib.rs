//! UPPAAL timed automata: from XML to a checked [`Network`], and what can be said of it.

#![allow(
    clippy::result_large_err,
    reason = "an error ends the reading of a text; it is moved once"
)]

pub mod active;
pub mod bounds;
pub mod constraints;
pub mod dbm;
pub mod draw;
pub mod machine;
pub mod moves;
pub mod network;
pub mod obstacle;
pub mod priority;
pub mod reference;
pub mod search;
pub mod trace;
pub mod verify;
pub mod zones;

mod ast;
mod lex;
mod liveness;
mod lower;
mod model;
mod parse;
mod passed;
mod satisfying;
mod successors;
mod template;
mod text;
mod types;
mod xml;

use provoke_base::{Diagnostic, SourceFile};

pub use lower::negated;
pub use model::{NetworkModel, RejectedNetwork};
pub use network::Network;
pub use search::{Effort, Order, ZoneCount};
pub use verify::{Answer, verify};

/// A model that was read, or why it could not be.
pub struct Loaded {
    /// The network; absent if there is an error.
    pub network: Option<Network>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads an UPPAAL file.
pub fn load(file: &SourceFile) -> Loaded {
    load_asking(file, &[]).0
}

/// The same, with questions of one's own in place of those of the file, if there are any. Each
/// may be wrong in itself: what is said of it has places in its own text.
pub fn load_asking(file: &SourceFile, queries: &[String]) -> (Loaded, Vec<Option<Diagnostic>>) {
    let document = match xml::read(file) {
        Ok(document) => document,
        Err(diagnostic) => {
            return (Loaded { network: None, diagnostics: vec![diagnostic] }, Vec::new());
        }
    };
    let (network, diagnostics, asked) = lower::lower(&document, queries);
    let usable = !diagnostics.iter().any(Diagnostic::is_error);
    (Loaded { network: usable.then_some(network), diagnostics }, asked)
}
