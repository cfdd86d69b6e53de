//! Z3, loaded at run time. All unsafe code is in `ffi`.

mod ffi;
mod library;
mod solver;
mod spacer;
mod translate;

pub use library::{PINNED_VERSION, Z3Library, find};
pub use solver::{Z3, Z3Options};
pub use spacer::Spacer;
