//! The results that programs read, as they are written in JSON and read back. Fields are added,
//! never renamed or removed, while the number in `schema` stays. The folder `schemas` holds a JSON
//! Schema of each, made from these types.

mod audit;
mod check;
mod contract;
mod coverage;
mod design;
mod expectations;
mod generate;
mod generate_published;
mod generation;
mod kept;
mod mine;
mod mutate;
mod numbers;
mod prove;
mod report;
mod run;
mod settings;
mod simulate;
pub mod stryker;
mod study;
mod suite;
mod timed;
mod timed_estimate;
mod timed_oracle;
mod timed_trace;
mod tool;
mod word;

pub use audit::*;
pub use check::*;
pub use contract::{Contract, Listed, Schema, contracts, schema_of};
pub use coverage::*;
pub use design::*;
pub use expectations::*;
pub use generate::*;
pub use generate_published::*;
pub use generation::*;
pub use kept::*;
pub use mine::*;
pub use mutate::*;
pub use numbers::*;
pub use prove::*;
pub use report::*;
pub use run::*;
pub use settings::*;
pub use simulate::*;
pub use study::*;
pub use suite::*;
pub use timed::*;
pub use timed_estimate::*;
pub use timed_oracle::*;
pub use timed_trace::*;
pub use tool::*;
pub use word::*;

use serde::Serialize;

/// The text of a result, one value, indented, with a line end.
pub fn to_json(result: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(result).expect("results are plain data");
    text.push('\n');
    text
}
