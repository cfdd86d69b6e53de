//! What is shown and written about a run on a target.

pub mod delays;
pub mod tables;
pub mod timeline;
pub mod waves;
