//! Results as text for people and for spreadsheets, one file for each kind of evidence.

mod table;
mod timed;
mod timed_tests;
mod trace;
mod trajectory;

pub use table::{aligned, csv};
pub use timed::{timed_answer, timed_check, timed_estimate};
pub use timed_tests::{timed_mutants, timed_verdict};
pub use trace::trace;
pub use trajectory::{trajectories_csv, trajectory_vcd};
