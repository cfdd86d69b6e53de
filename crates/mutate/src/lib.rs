//! Mutants of a system, what kills them, and proofs that nothing can.
//!
//! [`mutants`] lists them, [`score`](score()) runs them on tests, [`misses`] tells how near the
//! tests came to killing the survivors, and [`Search`] proves survivors equivalent or finds the
//! tests that kill them.

mod depend;
mod draw;
mod edit;
pub mod enumerate;
pub mod equivalence;
mod facts;
pub mod miss;
mod miter;
pub mod mutant;
pub mod operator;
mod place;
pub mod reference;
mod rerun;
pub mod sample;
pub mod score;
mod select;

pub use enumerate::{REPLACEMENTS, mutants};
pub use equivalence::{Answer, Finding, Findings, Search};
pub use miss::{Miss, Stage, misses, misses_until};
pub use mutant::{Change, Invalid, Mutant, Piece, Site};
pub use operator::Operator;
pub use sample::sample;
pub use score::{Fate, Moment, Options, Score, Test, score, score_until};
