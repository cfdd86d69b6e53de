//! What a system does with given inputs. The interpreter here is the reference: small,
//! obvious and exact; every faster evaluator is tested against it.

pub mod batch;
pub mod compact_value;
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

pub use batch::{Batch, RunSet, Truth};
pub use compact_value::CompactValue;
pub use dense::{Dense, Force};
pub use divergence::{ChangedStep, Divergence, Replay};
pub use doubt::{Doubts, Risks, RunCheck, doubtful};
pub use expect::expect;
pub use fixed::{FixedSimulator, Inexact};
pub use interpreter::{Breach, RuntimeError, SimState, SimulationRun, Simulator, run};
pub use lanes::LANES;
pub use program::{NodeId, ProgramDelay, ProgramNode, SimProgram};
pub use pursuit::{Edit, NodeReplacement, Pursuit, PursuitEnd};
pub use recording::SPAN;
