//! Running suites on targets that are late: what is sent when, what was seen, what follows.
//!
//! A [`Target`] file describes the target, a [`Board`] its signals, a [`Script`] a test in their
//! terms. A [`Plan`] says when what is sent; an [`Adapter`] carries it out and returns an
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

pub use adaptive::{Adaptive, Predictions};
pub use amend::amend;
pub use board::Board;
pub use calibrate::{Calibration, Summary};
pub use controller::{Controller, ModelController};
pub use delay::{Delay, Line};
pub use drift::{Drift, Tracking};
pub use evidence::Verdict;
pub use library::LibraryController;
pub use observation::{Observation, Received, StepReport, Trouble};
pub use plan::{Mode, Plan, Send};
pub use platform::{Adapter, Platform};
pub use script::Script;
pub use session::{Judged, Options, Session, TestResult};
pub use stream::Stream;
pub use target::{Connection, Target};
pub use wire::LineTarget;
