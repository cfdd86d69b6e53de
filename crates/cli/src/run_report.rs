//! What is shown and written about a run on a target.

pub(crate) mod tables;
pub(crate) mod timeline;
pub(crate) mod waves;
