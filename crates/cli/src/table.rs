//! Tables as text.

pub(crate) use provoke::best_evidence::shortened;
pub(crate) use provoke::table::{aligned, csv};
