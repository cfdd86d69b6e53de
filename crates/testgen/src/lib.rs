//! Strategies that turn open obligations into tests or proofs.

mod attempt;
mod defined;
pub mod explore;
mod from_archive;
pub mod generate;
pub mod goal;
mod incremental;
mod judge;
pub mod pool;
mod runs;
mod twin;
mod uses;

pub use attempt::{Attempt, Effort, Lemmas, Memory, NoMemory, Source};
pub use explore::{Explorer, Found};
pub use generate::{Generation, Method, Options, Outcome, Progress, ProofSummary, Test, generate};
pub use goal::Goals;
pub use pool::Pool;
pub use runs::has_runs;
