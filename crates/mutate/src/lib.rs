//! Mutants of a system, what kills them, and proofs that nothing can.
//!
//! [`mutants`] lists them, [`score`](score()) runs them on tests, [`misses`] tells how near the
//! tests came to killing the survivors, and [`SurvivorSearch`] proves survivors equivalent or finds the
//! tests that kill them.

mod depend;
pub mod doubt;
mod edit;
pub mod enumerate;
pub mod equivalence;
mod facts;
pub mod fault;
pub mod miss;
mod miter;
pub mod miter_search;
pub mod mutant;
pub mod operator;
mod place;
mod random_inputs;
pub mod reference;
mod rerun;
pub mod sample;
pub mod score;
mod select;
pub mod witness;

pub use doubt::{Doubt, doubt};
pub use enumerate::{REPLACEMENTS, all_mutants, mutants};
pub use equivalence::{MutantAnswer, SurvivorFinding, SurvivorFindings, SurvivorSearch};
pub use fault::{ConditionFault, FaultForm};
pub use miss::{MissStage, NearMiss, misses, misses_until};
pub use miter::Miter;
pub use miter_search::{MiterSearch, MiterVerdict};
pub use mutant::{InvalidReason, Mutant, MutantChange, MutationSite, TextPiece};
pub use operator::MutationOperator;
pub use sample::sample;
pub use score::{KillMoment, MutantFate, Score, ScoreOptions, TestInputs, score, score_until};
pub use witness::{EffectClaim, EffectWitness, replay};
