//! What follows from the equations of a system without running it: the order in which they can be
//! computed, the bounds that integers never leave, how wide they are on a machine, which of them are
//! of a machine's type, what it does in a machine's numbers, which `pre` are copies of one, and which
//! definition an expression stands in.

pub mod copies;
pub mod interval;
pub mod machine;
pub mod numbers;
pub mod owner;
pub mod ranges;
pub mod schedule;
pub mod width;

pub use copies::first_copies;
pub use interval::Interval;
pub use machine::{machine_types, operation_type, type_bounds};
pub use numbers::{Misfit, Obstacle, in_machine_numbers, stands_in_the_way};
pub use owner::owner;
pub use width::Widths;
