//! What a system did, step by step.

use provoke_base::IndexVec;

use crate::system::VarId;
use crate::value::Value;

/// The value of every variable at every step from the start.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// One row per step.
    pub steps: Vec<IndexVec<VarId, Value>>,
}
