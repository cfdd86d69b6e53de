//! Random runs of timed automata, and what they say about probabilities.

pub mod estimate;
pub mod event;
mod record;
pub mod run;
pub mod trajectory;
pub mod window;

pub use estimate::{Estimate, EstimateSettings, RunSource, RunValue, estimate, runs};
pub use record::RunRecord;
pub use run::RandomSimulator;
