//! Timed tests as they are read from somewhere.

use provoke_base::{Error, ErrorCode};
use provoke_uppaal::NetworkModel;

use crate::tester::interface::Interface;
use crate::timed_tests::json;
use crate::timed_tests::timed_test::TimedSuite;

/// Timed tests, with the name of what they were read from.
#[derive(Clone, Debug)]
pub struct TimedTests {
    /// The name of the file, or whatever it was.
    pub name: String,
    /// The tests.
    pub suite: TimedSuite,
}

impl TimedTests {
    /// Reads tests in either form, as text or as JSON.
    pub fn read(name: &str, text: &str) -> Result<TimedTests, Error> {
        let suite = json::read(text).map_err(|error| {
            let place = match error.line {
                0 => name.to_string(),
                line => format!("{name}:{line}"),
            };
            let hint = "docs/book/oracles.md shows both forms of timed tests";
            Error::input(format!("{place}: {}", error.message), hint)
        })?;
        Ok(TimedTests { name: name.to_string(), suite })
    }

    /// Fails if the tests name something that the network does not have.
    pub fn check_names(&self, model: &NetworkModel) -> Result<(), Error> {
        let checked = Interface::new(&model.network).check_suite(&self.suite);
        checked.map_err(|message| unfit(&self.name, &message))
    }
}

/// An error about tests, or a network, that lack what is needed of them.
pub fn unfit(name: &str, message: &str) -> Error {
    Error::new(ErrorCode::NetworkUnfit, format!("{name}: {message}"))
}
