//! Timed tests: what a tester does and must see, as plain data, as text and as JSON, read from
//! files or found in a network. A test may name the location it should end in; how probable its
//! outputs are, and which sequences tell that location from others, is written into it when it
//! has been completed.

pub mod json;
pub mod text;

mod generate;
mod tests_file;
pub(crate) mod timed_test;

pub use generate::{
    GenerationRequest, GenerationStop, TimedGeneration, TimedMethod, generate, generate_until,
};
pub use tests_file::{TimedTests, unfit};
pub use timed_test::{
    Input, ObservedValue, Probability, TimedStep, TimedSuite, TimedTest, Uio, UioKind, Unreadable,
};
