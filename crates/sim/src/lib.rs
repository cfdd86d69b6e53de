//! What a system does with given inputs. The interpreter here is the reference: small,
//! obvious and exact; every faster evaluator is tested against it.

pub mod batch;
pub mod cell;
pub mod dense;
pub mod divergence;
pub mod expect;
pub mod fixed;
pub mod interpreter;
pub mod program;

mod code;
mod lanes;

pub use batch::{Batch, Runs, Truth};
pub use cell::Cell;
pub use dense::{Dense, Force};
pub use divergence::{Changed, Divergence, Edit, Instead, Replay};
pub use expect::expect;
pub use fixed::{FixedSimulator, Inexact};
pub use interpreter::{Breach, Run, RuntimeError, Simulator, State, run};
pub use lanes::LANES;
pub use program::{Delay, Node, NodeId, Program};
