//! Networks of timed automata, searched by zones: which states can be reached, which runs never
//! leave a condition, and exact times for the traces that show it.

pub mod active;
pub mod bounds;
pub mod constraints;
pub mod dbm;
pub mod explorer;
pub mod obstacle;
pub mod search;
pub mod verify;

mod liveness;
mod passed;
mod priority;
mod retrace;
mod satisfying;
mod successors;

pub use search::{Order, SearchEffort, ZoneCount};
pub use verify::{QueryAnswer, verify};
