//! Tables as text: aligned for people, separated by commas for programs.

pub(crate) use provoke::best_evidence::shortened;
pub(crate) use provoke_report::text::{aligned, csv};
