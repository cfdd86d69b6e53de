//! Engines that decide whether the goal of a [`Transition`](crate::Transition) is ever reached.
//!
//! Each works alone: [`bmc`] finds shortest witnesses, [`k_induction`] proves with windows of
//! steps, [`pdr`] lets Spacer look for an invariant, [`explicit`] enumerates. [`decide`] runs them one after the other
//! on one [`Budget`]. [`learn`] proves lemmas about a whole system which all of them use.
//!
//! The first step of a run is special everywhere: arrows take their left side, and what is
//! remembered has no past. So every proof treats it by itself, and lemmas and invariants speak
//! about *later* states only: those before the second step and each step after it.

mod affine;
mod backend;
mod bmc;
mod bounds;
mod budget;
mod candidates;
mod choices;
mod evaluator;
mod explicit;
mod houdini;
mod induction;
mod later;
mod lemmas;
mod loop_acceleration;
mod merge;
mod path;
mod pdr;
mod portfolio;
mod question;
mod samples;
mod solver_pair;
mod support;
mod sweep;
mod verdict;
mod walk;
mod written;

pub use backend::{Backend, SolverChoice};
pub use bmc::{Bmc, bmc};
pub use budget::Budget;
pub use evaluator::Evaluator;
pub use explicit::{Extent, explicit};
pub use houdini::{learn, strengthen};
pub use induction::{Induction, k_induction};
pub use lemmas::Lemmas;
pub use merge::{MergedTransition, without_copies};
pub use pdr::{confirm, pdr};
pub use portfolio::{Engine, ProofPlan, decide};
pub use question::{about, constrain_types, whole};
pub use samples::StateSamples;
pub use solver_pair::SolverPair;
pub use sweep::{Example, Sweep};
pub use verdict::{GoalVerdict, GoalWitness, ProofResult, RestsOn, UndecidedReason};
pub(crate) use written::{read_term, write_term};
