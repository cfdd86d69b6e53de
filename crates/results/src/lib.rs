//! The results that programs read, as they are written in JSON. Fields are added, never
//! renamed or removed, while the number in `schema` stays.

mod check;
mod coverage;
mod generate;
mod mine;
mod mutate;
mod prove;
mod settings;
mod simulate;
pub mod stryker;
mod study;
mod timed;
mod timed_estimate;
mod timed_oracle;
mod timed_trace;

pub use check::{AssumptionsResult, Check, DiagnosticResult, Place, Related, SignalResult};
pub use coverage::{
    DisagreementResult, ExactResult, Measure, ObligationResult, Obligations, PartResult, Reduce,
    SizeResult, SuggestionResult, VisitResult, WhyNotResult, WitnessResult, percent,
};
pub use generate::{Generate, SourceResult, TotalsResult, UndefinedResult, VerdictResult};
pub use mine::{
    Mine, MinedCount, MinedCoverage, MinedDifferences, MinedFinding, MinedMachine, MinedSize,
};
pub use mutate::{MutantResult, Mutants, Mutate, OperatorResult};
pub use prove::{PropertiesResult, Prove};
pub use settings::Settings;
pub use simulate::{BreachResult, Difference, FaultResult, Simulate, TestRun};
pub use study::{Study, TableResult};

pub use timed::{
    AnswerResult, ConstructResult, ExtremeResult, ProcessResult, QueryResult, TimedCheck,
    TimedVerify,
};
pub use timed_estimate::{EstimateResult, TimedEstimate};
pub use timed_oracle::{
    ChanceResult, CompletedResult, EvidenceResult, SequenceResult, TIMED_GENERATE, TIMED_MUTATE,
    TIMED_RUN, TIMED_STOCHASTIC, TimedGenerate, TimedMutantResult, TimedMutate, TimedRun,
    TimedStochastic, TimedVerdict,
};
pub use timed_trace::{EdgeResult, EndResult, EventResult, StateResult, TraceResult};

use serde::Serialize;

/// The text of a result, one value, indented, with a line end.
pub fn to_json(result: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(result).expect("results are plain data");
    text.push('\n');
    text
}
