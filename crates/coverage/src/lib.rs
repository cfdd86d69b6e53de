//! Tests, proofs, coverage and mutants of one model.
//!
//! Each verb takes a model with plain options and a `Control`, by which the caller watches and ends the work,
//! and gives a result of `provoke_results`. What solvers find is kept in a store as soon as it is found, and
//! may be found by workers; it is written into folders whole or not at all.

mod assumptions;
mod attempt_records;
pub mod best_evidence;
pub mod certificates;
pub mod changed_run;
mod check;
pub mod design;
pub mod exclusion;
mod expectations;
pub mod generation;
mod grading;
mod input_json;
mod limits;
mod measure;
mod measured_folder;
pub mod mutation;
pub mod numbers;
pub mod options;
mod progress;
pub mod property;
mod reduce;
mod reduction;
mod request;
mod simulate;
mod stoppable;
mod suite_assembly;
mod surely_wrong;
pub mod tests;

pub use check::{check, obligations};
pub use expectations::{ExpectationCheck, check_expectations, complete_expectations};
pub use generation::{GenerateOutcome, ProveOutcome, generate, prove};
pub use measure::{MeasureOptions, measure, measure_into};
pub use mutation::{MutateOutcome, list_mutants, mutate};
pub use numbers::{Numbers, NumbersChoice};
pub use options::{
    CoverageTarget, Fill, GenerateOptions, IntegerWidth, MachineNumbers, MachineReal,
    MutateOptions, Reduction, WorkOptions,
};
pub use reduce::{ReduceOptions, reduce};
pub use reduction::{ReducedSuite, ReductionChoice, ReductionUnit};
pub use request::CoverageRequest;
pub use simulate::{SimulateOutcome, open_test, simulate};
pub use stoppable::stoppable;
pub use tests::TestedModel;
