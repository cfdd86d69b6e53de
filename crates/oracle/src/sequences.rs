//! Unique input-output sequences: what to do behind a test, and what to see then, so that the
//! location in which the test should end is told from the others. A network is followed with
//! zones; tests are completed with the sequences that are found and the probabilities of both.

pub(crate) mod complete;
mod completed;
pub(crate) mod follow;
pub(crate) mod uio;

pub use complete::{Completer, CompletionSettings};
pub use completed::completed_result;
