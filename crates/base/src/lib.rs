//! What every other crate stands on: source text and places in it, diagnostics and errors, typed
//! indices, exact numbers, and the control that callers have over work.

pub mod control;
pub mod diagnostic;
pub mod error;
pub mod index;
pub mod number;
pub mod parallel;
pub mod random;
pub mod rounds;
pub mod source;
pub mod svg;
pub mod table;
pub mod words;

pub use control::{Control, Event, Progress, Pulse, StopReason};
pub use diagnostic::{Diagnostic, Severity};
pub use error::{Error, ErrorCode, WrongText};
pub use index::IndexVec;
pub use number::{Int, Rational};
pub use random::Random;
pub use source::{SourceFile, Span};
