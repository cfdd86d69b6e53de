//! UPPAAL timed automata: from XML to a checked [`Network`], and what one does: its expressions,
//! who moves together, and its runs with exact times.

#![allow(
    clippy::result_large_err,
    reason = "an error ends the reading of a text; it is moved once"
)]

pub mod draw;
pub mod machine;
pub mod moves;
pub mod network;
pub mod partners;
pub mod priority;
pub mod reference;
pub mod trace;

mod ast;
mod lex;
mod lower;
mod model;
mod parse;
mod template;
mod text;
mod types;
mod xml;

use provoke_base::{Diagnostic, SourceFile};

pub use lower::negated;
pub use model::{NetworkModel, RejectedNetwork};
pub use network::Network;

/// A model that was read, or why it could not be.
pub struct LoadedNetwork {
    /// The network; absent if there is an error.
    pub network: Option<Network>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads an UPPAAL file.
pub fn load(file: &SourceFile) -> LoadedNetwork {
    load_asking(file, &[]).0
}

/// The same, with questions of one's own in place of those of the file, if there are any. Each
/// may be wrong in itself: what is said of it has places in its own text.
pub fn load_asking(
    file: &SourceFile,
    queries: &[String],
) -> (LoadedNetwork, Vec<Option<Diagnostic>>) {
    let document = match xml::read(file) {
        Ok(document) => document,
        Err(diagnostic) => {
            return (LoadedNetwork { network: None, diagnostics: vec![diagnostic] }, Vec::new());
        }
    };
    let (network, diagnostics, asked) = lower::lower(&document, queries);
    let usable = !diagnostics.iter().any(Diagnostic::is_error);
    (LoadedNetwork { network: usable.then_some(network), diagnostics }, asked)
}
