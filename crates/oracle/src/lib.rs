//! Timed tests of systems whose timing is uncertain: where they come from, how probable their
//! outputs are, what tells one location from another, and verdicts from repeated runs.
//!
//! The approach is STUIOS (Wang, Pastore and Briand, "Oracles for Testing Software Timeliness with
//! Uncertainty", 2018): a test, a unique input-output sequence behind it, the probability of both,
//! and as many runs as a verdict needs.

pub mod alphabet;
pub mod chance;
pub mod complete;
pub mod cone;
pub mod described;
pub mod equivalence;
pub mod exact;
pub mod follow;
pub mod generate;
pub mod interface;
pub mod json;
pub mod judge;
pub mod mutant;
pub mod runs;
pub mod score;
pub mod session;
pub mod stand;
pub mod subject;
pub mod tester;
pub mod text;
pub mod timed_test;
pub mod uio;

mod clocks;
mod polynomial;
mod rhythm;
mod tests_file;
mod uses;
mod zone_graph;

pub use complete::{Completer, Settings};
pub use interface::{Act, Interface, What};
pub use tests_file::{TimedTests, unfit};
pub use timed_test::{Input, Probability, Step, TimedSuite, TimedTest, Uio, UioKind, Value};
