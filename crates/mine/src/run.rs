//! What a program does with a sequence of inputs.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One value for each input, or output, as words: truth values 0 or 1, constants by their
/// position, reals as the bits of a double.
pub type Vector = Vec<i64>;

/// Why a step did not end as it should.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum StepFailure {
    /// The program ended by itself; nothing is wrong with that.
    Ended,
    /// A signal ended it.
    Signal(i32),
    /// It exited.
    Exit(i32),
    /// It did not come back.
    Hang,
    /// It started too many processes or threads.
    Starts,
    /// A sanitizer had something to say.
    Sanitizer(String),
    /// It cannot be talked to.
    Silent(String),
}

impl StepFailure {
    /// The meaning of the driver's numbers.
    pub(crate) fn of(code: i64) -> Option<StepFailure> {
        match code {
            0 => None,
            1000..2000 => Some(StepFailure::Signal((code - 1000) as i32)),
            2000..3000 => Some(StepFailure::Exit((code - 2000) as i32)),
            3000..4000 => Some(StepFailure::Hang),
            4000..5000 => Some(StepFailure::Ended),
            _ => Some(StepFailure::Starts),
        }
    }

    /// Whether it is something to report.
    pub fn is_finding(&self) -> bool {
        !matches!(self, StepFailure::Ended | StepFailure::Exit(0))
    }

    /// A word for its kind.
    pub fn kind(&self) -> &'static str {
        match self {
            StepFailure::Ended => "ended",
            StepFailure::Signal(6) => "abort",
            StepFailure::Signal(_) => "crash",
            StepFailure::Exit(_) => "exit",
            StepFailure::Hang => "hang",
            StepFailure::Starts => "processes",
            StepFailure::Sanitizer(_) => "sanitizer",
            StepFailure::Silent(_) => "silent",
        }
    }
}

impl fmt::Display for StepFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepFailure::Ended => write!(f, "the program ends"),
            StepFailure::Signal(number) => {
                let name = match number {
                    4 => " (illegal instruction)",
                    6 => " (abort)",
                    7 => " (bus error)",
                    8 => " (division by zero or the like)",
                    9 => " (killed: beyond its limits)",
                    11 => " (access to memory that is not its own)",
                    24 => " (beyond its processor time)",
                    _ => "",
                };
                write!(f, "signal {number}{name}")
            }
            StepFailure::Exit(code) => write!(f, "exit({code})"),
            StepFailure::Hang => write!(f, "does not come back from a step"),
            StepFailure::Starts => write!(f, "starts too many processes or threads"),
            StepFailure::Sanitizer(text) => write!(f, "{text}"),
            StepFailure::Silent(text) => write!(f, "{text}"),
        }
    }
}

/// What came of a test.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProgramRun {
    /// The outputs before the first step.
    pub initial: Vector,
    /// The outputs after each step that ended.
    pub outputs: Vec<Vector>,
    /// Why the next step did not end.
    pub stop: Option<StepFailure>,
    /// What the program did beside computing.
    pub effects: Effects,
}

/// What a program did beside computing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effects {
    /// Pieces of memory it asked for.
    pub allocations: u64,
    /// Of these, pieces it still has.
    pub live: u64,
    /// Processes and threads it started.
    pub starts: u64,
}
