//! Strategies that turn open obligations into tests or proofs.

mod aim;
mod assumptions;
mod attempt;
pub mod candidate_values;
pub mod disturbance;
mod effects;
pub mod explore;
mod from_archive;
pub mod generate;
pub mod goal;
mod incremental;
mod judge;
mod loop_acceleration;
mod parallel;
pub mod quest;
mod read_sites;
mod runs;
mod state_regions;
mod sweep;
mod system_lemmas;
mod unobservable;
mod unobservable_under_assumption;
mod violation;
mod written;

pub use assumptions::{
    AssumptionAnalysis, DeadEnd, analyse_assumptions, find_dead_end, undefined_assumptions,
};
pub use attempt::{Attempt, TestSource};
pub use candidate_values::CandidateValues;
pub use effects::{EffectFacts, Redundancy, RedundancyReason, host_of};
pub use explore::{CoveringTest, StateExplorer};
pub use generate::{
    EvidenceRule, GeneratedTest, GenerationMethod, GenerationProgress, GenerationResult, InputFill,
    ObligationVerdict, ProofSummary, StrategyOptions, generate,
};
pub use goal::Goals;
pub use quest::{Quest, fault_of};
pub use runs::{divisions, has_runs};
pub use system_lemmas::SystemLemmas;
pub use violation::functions_agree;
