//! Smaller suites that cover what the whole covers: which tests to keep, and how many steps
//! of each.
//!
//! [`random`] is the papers' method, [`greedy`] and [`hgs`] are the usual heuristics, and
//! [`exact`] finds the least cost, or says how far from it the answer may be. [`trim`] then
//! cuts the tails that no item needs. None of them loses a covered item, and each gives the
//! same answer for the same input and seed.

mod best_first;
mod exact;
mod greedy;
mod hgs;
mod matrix;
mod random;
mod repeat;
mod trim;

pub use exact::{Cost, DEFAULT_EFFORT, Minimum, exact};
pub use greedy::greedy;
pub use hgs::hgs;
pub use matrix::{Items, ReductionMatrix, Row};
pub use random::random;
pub use repeat::{Distribution, repeat};
pub use trim::{Reach, trim};
