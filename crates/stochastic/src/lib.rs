//! Random runs of timed automata, and what they say about probabilities.

pub mod estimate;
pub mod event;
pub mod run;
pub mod trajectory;
pub mod window;

pub use estimate::{Settings, Verdict, estimate};
pub use run::Simulator;
