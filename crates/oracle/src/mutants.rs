//! Mutants of timed automata: small changes of single automata that stand for faults, and which of
//! them no test can tell from the model or from each other, as far as zones decide it.

pub(crate) mod equivalence;
mod listed;
pub(crate) mod mutant;
mod rhythm;
mod zone_graph;

pub use equivalence::{MutantStatus, known, known_until};
pub use listed::{mutants_result, note_killers};
pub use mutant::{Amount, TimedChange, TimedMutant, TimedOperator, mutants};
