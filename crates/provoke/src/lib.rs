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
//!     GenerateOptions { method: provoke::GenerationMethod::Random, ..GenerateOptions::default() };
//! let generated = provoke::generate(&model, None, &options, &Control::new()).expect("a suite");
//! assert_eq!(generated.result.obligations.covered, 6);
//! assert!(!generated.suite.tests.is_empty());
//! ```

mod audit;
mod calibrate;
mod code_coverage;
mod codegen;
mod doctor;
pub mod evidence;
mod merge;
pub mod mine;
pub mod project;
mod request;
mod run;
mod session;
pub mod target;
pub mod timed;

pub use audit::{AuditOptions, audit};
pub use calibrate::{CalibrateOptions, CalibrateOutcome, calibrate};
pub use codegen::{CodegenOptions, CodegenTarget, IntBits, codegen};
pub use doctor::doctor;
pub use evidence::{GenerationRun, ReportOptions, report};
pub use merge::merge;
pub use mine::{MineOptions, MineTarget, mine};
pub use project::{ProjectFile, ProjectTask};
pub use provoke_base::{Control, Error, ErrorCode, Event, Progress, SourceFile};
pub use provoke_coverage::{
    CoverageTarget, Fill, GenerateOptions, GenerateOutcome, IntegerWidth, MachineNumbers,
    MachineReal, MeasureOptions, MutateOptions, MutateOutcome, Numbers, NumbersChoice,
    ProveOutcome, ReduceOptions, ReducedSuite, Reduction, ReductionChoice, ReductionUnit,
    SimulateOutcome, TestedModel, WorkOptions, best_evidence, certificates, check, exclusion,
    generate, generation, list_mutants, measure, measure_into, mutate, mutation, numbers,
    obligations, open_test, options, property, prove, reduce, simulate, stoppable, tests,
};
pub use provoke_files::{self as files, Model, ModelText, RejectedModel};
pub use provoke_study as study;
pub use provoke_testgen::GenerationMethod;
pub use request::Request;
pub use run::{FirstProblem, RunOptions, RunOutcome, run};
pub use session::Session;
pub use target::TestTarget;
