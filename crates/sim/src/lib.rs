//! What a system does with given inputs. The interpreter here is the reference: small,
//! obvious and exact; every faster evaluator is tested against it.

pub mod batch;
pub mod cell;
pub mod dense;
pub mod divergence;
pub mod doubt;
pub mod expect;
pub mod fixed;
pub mod interpreter;
pub mod program;
pub mod pursuit;

mod bits;
mod code;
mod lanes;
mod pending;
mod recording;
mod wiring;
mod word;

pub use batch::{Batch, Runs, Truth};
pub use cell::Cell;
pub use dense::{Dense, Force};
pub use divergence::{Changed, Divergence, Replay};
pub use doubt::{Doubts, Risks, RunCheck, doubtful};
pub use expect::expect;
pub use fixed::{FixedSimulator, Inexact};
pub use interpreter::{Breach, Run, RuntimeError, Simulator, State, run};
pub use lanes::LANES;
pub use program::{Delay, Node, NodeId, Program};
pub use pursuit::{Edit, End, Instead, Pursuit};
pub use recording::SPAN;
