//! What was seen while a test ran.

use std::fmt;

use provoke_base::{Error, ErrorCode};
use provoke_model::Value;

/// A value that came from the target. Times count from the first step of the software.
#[derive(Clone, PartialEq, Debug)]
pub struct ReceivedValue {
    /// When.
    pub at_ms: f64,
    /// The place of the controlled signal.
    pub signal: usize,
    /// Its value.
    pub value: Value,
}

/// What the target says about one of its steps.
#[derive(Clone, PartialEq, Debug)]
pub struct StepReport {
    /// When it came.
    pub at_ms: f64,
    /// The step, counted from 0.
    pub step: usize,
    /// The monitored signals, by place, that it read and that changed since the step before.
    pub read: Vec<(usize, Value)>,
}

/// What was seen.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Observation {
    /// What came, in the order of time.
    pub received: Vec<ReceivedValue>,
    /// The reports of steps, if the target makes them.
    pub steps: Vec<StepReport>,
    /// When each event of the plan was really sent, in its order.
    pub sent_ms: Vec<f64>,
    /// When monitored signals, by place, arrived in the software, if the target tells.
    pub arrived: Vec<ReceivedValue>,
}

/// Why a target could not be tested. This says nothing about its software.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TargetError {
    /// What happened.
    pub reason: String,
    /// What to do.
    pub hint: String,
}

impl TargetError {
    /// What happened and what to do.
    pub fn new(reason: impl Into<String>, hint: impl Into<String>) -> TargetError {
        TargetError { reason: reason.into(), hint: hint.into() }
    }
}

impl From<TargetError> for Error {
    fn from(trouble: TargetError) -> Error {
        Error::new(ErrorCode::TargetUnreachable, trouble.reason).hint(trouble.hint)
    }
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}
