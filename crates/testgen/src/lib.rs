//! Strategies that turn open obligations into tests or proofs.

mod aim;
mod assumptions;
mod attempt;
mod dark;
pub mod explore;
mod facts;
mod from_archive;
pub mod generate;
pub mod goal;
mod incremental;
mod judge;
mod laps;
mod light;
mod parallel;
pub mod pool;
mod runs;
mod shade;
mod sweep;
mod twin;
mod uses;
mod violation;
mod written;

pub use assumptions::{
    AssumptionAnalysis, DeadEnd, analyse_assumptions, find_dead_end, undefined_assumptions,
};
pub use attempt::{Attempt, Source};
pub use explore::{Explorer, Found};
pub use facts::Facts;
pub use generate::{Generation, Method, Options, Outcome, Progress, ProofSummary, Test, generate};
pub use goal::Goals;
pub use pool::Pool;
pub use runs::has_runs;
