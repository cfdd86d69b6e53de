//! How probable it is that a test sees what it expects: computed exactly where one uniform delay at
//! a time is uncertain, and otherwise counted in random runs, with a confidence interval.

pub(crate) mod chance;
pub(crate) mod exact;
mod polynomial;
pub(crate) mod runs;

pub use chance::{ChanceEffort, SuccessCount, count, probabilities};
pub use exact::exact_probability;
pub use runs::{Runner, TestRunEnd};
