//! Results as text: as a terminal shows them, and for spreadsheets. One file for each.

mod audit;
mod check;
mod doctor;
mod explain;
mod generate;
mod measure;
mod merge;
mod mine;
mod mutate;
mod prove;
mod reduce;
mod run;
mod simulate;
mod timed;
mod timed_tests;
mod trace;
mod trajectory;

pub use audit::audit;
pub use check::check;
pub use doctor::doctor;
pub use explain::explain;
pub use generate::generate;
pub use measure::{MeasureView, measure};
pub use merge::merge;
pub use mine::mine;
pub use mutate::{mutants, mutate};
pub use prove::prove;
pub use reduce::reduce;
pub use run::run;
pub use simulate::simulate;
pub use timed::{timed_answer, timed_check, timed_estimate};
pub use timed_tests::{timed_mutants, timed_verdict};
pub use trace::trace;
pub use trajectory::{trajectories_csv, trajectory_vcd};
