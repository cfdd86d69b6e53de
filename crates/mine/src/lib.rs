//! Black boxes: give a program that reacts to its inputs, get a small suite, the machine that was
//! seen, and, where the search closes, a proof that nothing more is reachable.
//!
//! A [`MineTargetFile`] file describes the program; a [`compile::ProgramBuilder`] builds it with a driver; a
//! [`RunningProgram`] runs it, as a library whose state is saved and restored, or in processes. The ways to
//! search are [`archive`], [`exhaustive`], [`random_search`] and, as published, [`seed`].

pub mod alphabet;
pub mod archive;
pub mod bytes;
pub mod classes;
pub mod compile;
pub mod confirm;
pub mod coverage;
pub mod described;
mod described_model;
pub mod difference;
mod dwarf;
pub mod exhaustive;
pub mod explore;
pub mod guard;
pub mod library;
pub mod lustre_text;
pub mod machine;
pub mod picture;
pub mod propose;
pub mod random_search;
pub mod reduce;
pub mod run;
pub mod search;
pub mod seed;
pub mod server;
pub mod spawned;
pub mod survey;
pub mod target;
pub mod throughput;
pub mod trial;
pub mod words;
pub mod wrapper;

pub use alphabet::Alphabet;
pub use compile::{Build, MiningError, ProgramBuilder};
pub use described::MineTarget;
pub use explore::{MiningMethod, MiningPlan, MiningResult, explore};
pub use machine::StateMachine;
pub use reduce::SuiteReduction;
pub use run::{ProgramRun, StepFailure, Vector};
pub use search::{
    Closure, InputSequence, ProgramFinding, RunningProgram, SearchContext, SearchResult, StepBudget,
};
pub use target::{MineTargetFile, StateIdentity};
