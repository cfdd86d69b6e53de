//! Timed tests of systems whose timing is uncertain: where they come from, how probable their
//! outputs are, what tells one location from another, and verdicts from repeated runs.
//!
//! The approach is STUIOS (Wang, Pastore and Briand, "Oracles for Testing Software Timeliness with
//! Uncertainty", 2018): a test, a unique input-output sequence behind it, the probability of both,
//! and as many runs as a verdict needs.

pub mod mutants;
pub mod probability;
pub mod sequences;
pub mod tester;
pub mod timed_tests;
pub mod verdict;

pub use sequences::{Completer, CompletionSettings};
pub use tester::{Act, Interface, What};
pub use timed_tests::{
    Input, ObservedValue, Probability, TimedStep, TimedSuite, TimedTest, TimedTests, Uio, UioKind,
    json, text, unfit,
};
