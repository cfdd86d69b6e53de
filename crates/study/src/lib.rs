//! Studies of test criteria: what is compared with what, and the tables of the literature.
//!
//! A study is a list of [`Case`]s. For each of them tests are generated elsewhere; [`Pool`] makes
//! of these many reduced suites and scores them, and the tables in [`tables`] stand on the
//! [`Outcome`]s alone. Nothing here generates, reads or writes anything.

mod anatomy;
mod case;
mod cells;
mod compare;
mod outcome;
mod pool;
mod table;
pub mod tables;

pub use anatomy::Anatomy;
pub use case::{Case, Form, Group, incremental, observability};
pub use cells::{Cell, Cells};
pub use outcome::{Outcome, Scored, Seen, Survivors, Totals};
pub use pool::{Beginning, Kills, Pool};
pub use table::Table;
