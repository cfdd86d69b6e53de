//! Tables as text: aligned for people, separated by commas for programs.

pub(crate) use provoke_base::table::{aligned, csv, shortened};
