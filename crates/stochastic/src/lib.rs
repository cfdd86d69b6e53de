//! Random runs of timed automata, and what they say about probabilities.

pub mod estimate;
pub mod event;
pub mod run;
pub mod trajectory;
pub mod window;

pub use estimate::{Elsewhere, Settings, Told, Verdict, estimate, runs};
pub use run::Simulator;
