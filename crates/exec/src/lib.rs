//! Running suites on targets that are late: what is sent when, what was seen, what follows.
//!
//! A [`TargetFile`] file describes the target, a [`Board`] its signals, a [`Script`] a test in their
//! terms. A [`EventPlan`] says when what is sent; an [`Adapter`] carries it out and returns an
//! [`Observation`]; verdicts follow from that alone.

pub mod adaptive;
pub mod amend;
pub mod board;
pub mod calibrate;
pub mod consistency;
pub mod controller;
mod copies;
pub mod delay;
pub mod drift;
pub mod evidence;
pub mod library;
mod listener;
pub mod observation;
pub mod plan;
pub mod platform;
pub mod protocol;
pub mod realtime;
pub mod record;
mod replay;
pub mod script;
pub mod session;
pub mod settings;
pub mod stream;
pub mod target;
pub mod window;
pub mod wire;

pub use adaptive::{AdaptiveMode, Predictions};
pub use amend::amend;
pub use board::Board;
pub use calibrate::{Calibration, DelaySummary};
pub use controller::{Controller, ModelController};
pub use delay::{DelayDistribution, DelayLine};
pub use drift::{Drift, DriftTracking};
pub use evidence::ExecutionVerdict;
pub use library::LibraryController;
pub use observation::{Observation, ReceivedValue, StepReport, TargetError};
pub use plan::{EventPlan, Mode, SendEvent};
pub use platform::{Adapter, Platform};
pub use script::Script;
pub use session::{ExecutedTest, InteractionVerdict, SessionOptions, TestSession};
pub use stream::Stream;
pub use target::{Connection, TargetFile};
pub use wire::LineTarget;
