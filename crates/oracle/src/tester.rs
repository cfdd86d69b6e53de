//! A tester beside a network: the events it can send and the variables it can see, the automaton
//! that a test becomes, the inputs that are worth trying, and the part of the network that can
//! matter to what is seen. Everything else in this crate looks at a network through it.

pub(crate) mod alphabet;
pub(crate) mod automaton;
pub(crate) mod clocks;
pub(crate) mod cone;
pub(crate) mod interface;
pub(crate) mod uses;

pub use alphabet::{TimeRange, ranges};
pub use automaton::TestedNetwork;
pub use interface::{Act, Interface, What};
