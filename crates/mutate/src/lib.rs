//! Mutants of a system, what kills them, and proofs that nothing can.

mod depend;
mod edit;
pub mod enumerate;
pub mod mutant;
pub mod operator;
mod place;
pub mod reference;
pub mod sample;
pub mod score;
mod select;

pub use enumerate::mutants;
pub use mutant::{Change, Invalid, Mutant, Site};
pub use operator::Operator;
pub use sample::sample;
pub use score::{Fate, Moment, Options, Score, Test, score};
