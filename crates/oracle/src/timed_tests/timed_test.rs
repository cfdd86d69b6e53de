//! Timed tests as plain data: what is done, what must be seen then, where the system should be at
//! the end; and, once they are known, how probable that is and what tells the end from other places.

use provoke_stats::ConfidenceInterval;

/// What is done in a step.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum Input {
    /// The event of this name is sent; what it causes at once is waited for.
    Event(String),
    /// So many units of time pass.
    Wait(i64),
    /// A time between 0 and this passes, each as likely as any other. Only as the first step.
    Phase(i64),
}

/// A value as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ObservedValue {
    /// A truth value.
    Bool(bool),
    /// A number.
    Int(i64),
}

impl ObservedValue {
    /// The number a variable holds.
    pub fn number(self) -> i64 {
        match self {
            ObservedValue::Bool(truth) => i64::from(truth),
            ObservedValue::Int(number) => number,
        }
    }
}

impl std::fmt::Display for ObservedValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ObservedValue::Bool(truth) => write!(f, "{truth}"),
            ObservedValue::Int(number) => write!(f, "{number}"),
        }
    }
}

/// An input and what must be seen behind it.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct TimedStep {
    /// What is done.
    pub input: Input,
    /// Variables and their values; others may have any.
    pub out: Vec<(String, ObservedValue)>,
}

/// How probable something is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Probability {
    /// Where it lies.
    pub interval: ConfidenceInterval,
    /// It itself, if it could be computed.
    pub exact: Option<f64>,
    /// Random runs behind the interval.
    pub runs: u64,
    /// Those of them in which it happened.
    pub successes: u64,
}

impl Probability {
    /// What a verdict compares with: the number itself if it is known.
    pub fn expected(&self) -> ConfidenceInterval {
        self.exact.map_or(self.interval, |p| ConfidenceInterval { low: p, high: p })
    }

    /// One number for it.
    pub fn point(&self) -> f64 {
        self.exact.unwrap_or_else(|| self.successes as f64 / self.runs.max(1) as f64)
    }
}

/// How a sequence was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UioKind {
    /// The shortest that tells the location from all others.
    Single,
    /// Sequences for single locations, one behind the other.
    Composed,
    /// One of several that do so together.
    Separating,
}

provoke_base::words!(UioKind {
    Single = "single",
    Composed = "composed",
    Separating = "separating",
});

/// A sequence that is run behind a test to see where the system is.
#[derive(Clone, PartialEq, Debug)]
pub struct Uio {
    /// How it was found.
    pub kind: UioKind,
    /// What is done and must be seen.
    pub steps: Vec<TimedStep>,
    /// The locations it tells the desired one from.
    pub excludes: Vec<String>,
    /// How probable it is that the outputs of the test and of the sequence are as written.
    pub joint: Option<Probability>,
}

/// A test.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TimedTest {
    /// Its name.
    pub name: String,
    /// The desired final location, as `process.location`.
    pub target: Option<String>,
    /// What is done and must be seen.
    pub steps: Vec<TimedStep>,
    /// How probable it is that the outputs are as written.
    pub probability: Option<Probability>,
    /// What is run behind it.
    pub uios: Vec<Uio>,
    /// Why there is no sequence, or what it cannot tell apart.
    pub remark: Option<String>,
}

impl TimedTest {
    /// The steps of the test with those of a sequence behind them.
    pub fn steps_with(&self, uio: Option<&Uio>) -> Vec<TimedStep> {
        let behind = uio.map_or(&[][..], |uio| &uio.steps);
        self.steps.iter().chain(behind).cloned().collect()
    }
}

/// Tests of one model.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TimedSuite {
    /// The file of the model; may be empty.
    pub model: String,
    /// The variables that can be seen.
    pub observe: Vec<String>,
    /// The tests.
    pub tests: Vec<TimedTest>,
}

/// What cannot be read, with the line it stands in, counted from 1; 0 if it has none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unreadable {
    /// The line.
    pub line: usize,
    /// What was found and what was expected.
    pub message: String,
}

impl Unreadable {
    pub(crate) fn new(line: usize, message: impl Into<String>) -> Unreadable {
        Unreadable { line, message: message.into() }
    }
}

/// More tests in a file, and more steps in a test, are refused.
pub(crate) const MAX_TESTS: usize = 100_000;
pub(crate) const MAX_STEPS: usize = 10_000;
/// Longer waits are refused; clocks cannot follow them.
pub(crate) const MAX_WAIT: i64 = 1 << 27;

/// What holds for tests in every form.
pub(crate) fn check(suite: &TimedSuite) -> Result<(), Unreadable> {
    if suite.tests.len() > MAX_TESTS {
        return Err(Unreadable::new(0, format!("more than {MAX_TESTS} tests")));
    }
    for test in &suite.tests {
        for uio in std::iter::once(None).chain(test.uios.iter().map(Some)) {
            let steps = test.steps_with(uio);
            let wrong = |message: String| {
                Err(Unreadable::new(0, format!("test `{}`: {message}", test.name)))
            };
            if test.steps.is_empty() {
                return wrong(
                    "no steps; write `<EVENT> / (NAME == VALUE, ...)` below it".to_string(),
                );
            }
            if steps.len() > MAX_STEPS {
                return wrong(format!("more than {MAX_STEPS} steps"));
            }
            let mut total = 0;
            for (index, step) in steps.iter().enumerate() {
                if let Input::Wait(time) | Input::Phase(time) = step.input {
                    if !(0..=MAX_WAIT).contains(&time) {
                        return wrong(format!("a wait of {time}; it is from 0 to {MAX_WAIT}"));
                    }
                    total += time;
                }
                if matches!(step.input, Input::Phase(_)) && index > 0 {
                    return wrong("a random phase can only come first".to_string());
                }
            }
            if total > MAX_WAIT {
                return wrong(format!("waits of {total} in all; {MAX_WAIT} is the most"));
            }
        }
    }
    Ok(())
}
