//! Tests, proofs and evidence for models of reactive programs, as a library.
//!
//! A [`Model`] is read once; each verb takes it with plain options and a [`Control`], by which the caller
//! watches and ends the work, and gives a result of `provoke_results` that can be written as JSON.
//! Nothing here prints, reads arguments or the environment, or handles signals.
//!
//! ```
//! use provoke::{Control, GenerateOptions, Model, SourceFile};
//!
//! let text = "node door(open, key: bool) returns (unlocked: bool);
//!             let unlocked = open or (false -> pre unlocked and not key); tel";
//! let model = Model::read(&SourceFile::new("door.lus", text), None, &[]).expect("a correct model");
//! let options =
//!     GenerateOptions { method: provoke::Method::Random, ..GenerateOptions::default() };
//! let generated = provoke::generate(&model, None, &options, &Control::new()).expect("a suite");
//! assert_eq!(generated.result.obligations.covered, 6);
//! assert!(!generated.suite.tests.is_empty());
//! ```

mod assumptions;
mod attempt_records;
mod audit;
pub mod best_evidence;
mod calibrate;
pub mod certificates;
mod check;
mod codegen;
pub mod evidence;
pub mod exclusion;
pub mod files;
pub mod generation;
mod input_json;
mod limits;
mod measure;
mod merge;
pub mod mine;
mod model;
pub mod mutation;
pub mod options;
mod reduce;
mod reduction;
mod request;
mod run;
mod simulate;
mod stoppable;
mod suite_assembly;
pub mod target;
pub mod tests;
pub mod timed;

pub use audit::{AuditOptions, audit};
pub use calibrate::{CalibrateOptions, Calibrated, calibrate};
pub use check::{check, obligations};
pub use codegen::{CodegenOptions, CodegenTarget, IntBits, codegen};
pub use evidence::{GenerationRun, ReportOptions, report};
pub use generation::{Generated, Proved, generate, prove};
pub use measure::{MeasureOptions, measure};
pub use merge::merge;
pub use mine::{MineOptions, MineTarget, mine};
pub use model::{Model, ModelText, Rejected};
pub use mutation::{Mutation, list_mutants, mutate};
pub use options::{Fill, GenerateOptions, MutateOptions, Reduction, Target, WorkOptions};
pub use provoke_base::{Control, Error, ErrorCode, Event, Progress, SourceFile};
pub use provoke_testgen::Method;
pub use reduce::{ReduceOptions, reduce};
pub use reduction::{Choice, Chosen, Unit};
pub use request::Request;
pub use run::{FirstProblem, Ran, RunOptions, run};
pub use simulate::{Simulated, open_test, simulate};
pub use stoppable::stoppable;
pub use target::TestTarget;
pub use tests::TestedModel;
