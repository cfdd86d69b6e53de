//! Z3, loaded at run time. All unsafe code is in `ffi`.

mod ffi;
mod library;
mod solver;
mod spacer;
mod translate;

pub use library::{Library, PINNED_VERSION, find};
pub use solver::{Options, Z3};
pub use spacer::Spacer;
