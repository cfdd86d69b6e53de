//! What every other crate stands on: source text and places in it, diagnostics, typed
//! indices, and exact numbers.

pub mod diagnostic;
pub mod index;
pub mod number;
pub mod random;
pub mod source;

pub use diagnostic::{Diagnostic, Severity};
pub use index::IndexVec;
pub use number::{Int, Rational};
pub use random::Random;
pub use source::{SourceFile, Span};
