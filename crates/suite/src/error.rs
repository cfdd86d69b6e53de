//! What can be wrong with a suite file, said in one sentence with a place and a hint.

use std::error::Error;
use std::fmt;

/// Where in a file something is wrong, as far as it is known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SuitePlace {
    /// The test's name.
    pub test: Option<String>,
    /// The step, counted from 0.
    pub step: Option<usize>,
    /// The row of a table, counted from 1 with the header.
    pub row: Option<usize>,
    /// The line of a text, counted from 1.
    pub line: Option<usize>,
    /// The column of a text, counted from 1.
    pub column: Option<usize>,
    /// The signal's name.
    pub signal: Option<String>,
}

impl SuitePlace {
    /// A row of a table.
    pub fn row(row: usize) -> SuitePlace {
        SuitePlace { row: Some(row), ..SuitePlace::default() }
    }

    /// A line of a text.
    pub fn line(line: usize) -> SuitePlace {
        SuitePlace { line: Some(line), ..SuitePlace::default() }
    }

    /// A test.
    pub fn test(name: impl Into<String>) -> SuitePlace {
        SuitePlace { test: Some(name.into()), ..SuitePlace::default() }
    }

    /// The same place, at one signal.
    pub fn signal(mut self, name: impl Into<String>) -> SuitePlace {
        self.signal = Some(name.into());
        self
    }

    /// The same place, at one step.
    pub fn step(mut self, step: usize) -> SuitePlace {
        self.step = Some(step);
        self
    }
}

/// From the largest to the smallest: ``test `late`, row 5, column `speed` ``.
impl fmt::Display for SuitePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number =
            |word: &str, value: Option<usize>| value.map(|value| format!("{word} {value}"));
        // In a table a signal is a column; a text has columns of its own.
        let signal = if self.row.is_some() { "column" } else { "signal" };
        let parts = [
            self.test.as_ref().map(|test| format!("test `{}`", excerpt(test))),
            number("step", self.step),
            number("row", self.row),
            number("line", self.line),
            number("column", self.column),
            self.signal.as_ref().map(|name| format!("{signal} `{}`", excerpt(name))),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// Why a file cannot be read as a suite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// One sentence without a full stop.
    pub message: String,
    /// Where it is; boxed, so that results stay small.
    pub place: Box<SuitePlace>,
    /// What to do about it.
    pub hint: Option<String>,
}

impl ReadError {
    /// An error about the file as a whole.
    pub fn new(message: impl Into<String>) -> ReadError {
        ReadError { message: message.into(), place: Box::default(), hint: None }
    }

    /// The same error, somewhere.
    pub fn at(mut self, place: SuitePlace) -> ReadError {
        *self.place = place;
        self
    }

    /// The same error with something to do about it.
    pub fn hint(mut self, hint: impl Into<String>) -> ReadError {
        self.hint = Some(hint.into());
        self
    }

    /// The same error with something to do about it, if there is anything to say.
    pub fn maybe_hint(mut self, hint: Option<String>) -> ReadError {
        self.hint = hint.or(self.hint);
        self
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self.place != SuitePlace::default() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.message)
    }
}

impl Error for ReadError {}

/// Why a suite cannot be written in a format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WriteError {
    /// One sentence without a full stop.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl WriteError {
    /// An error without a hint.
    pub fn new(message: impl Into<String>) -> WriteError {
        WriteError { message: message.into(), hint: None }
    }

    /// The same error with something to do about it.
    pub fn hint(mut self, hint: impl Into<String>) -> WriteError {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for WriteError {}

/// The beginning of a text that a file holds, fit for a message.
pub(crate) fn excerpt(text: &str) -> String {
    const SHOWN: usize = 60;
    let clean = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let mut short: String = text.chars().take(SHOWN).map(clean).collect();
    if text.chars().nth(SHOWN).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_names_what_is_known_from_the_largest_to_the_smallest() {
        let error = ReadError::new("`abc` is not an int");
        assert_eq!(error.to_string(), "`abc` is not an int");
        let error = error.at(SuitePlace::row(5).signal("speed"));
        assert_eq!(error.to_string(), "row 5, column `speed`: `abc` is not an int");
        let error = error.at(SuitePlace::test("late").step(2).signal("speed"));
        assert_eq!(error.to_string(), "test `late`, step 2, signal `speed`: `abc` is not an int");
    }

    #[test]
    fn long_and_unprintable_texts_are_shown_short_and_clean() {
        assert_eq!(excerpt("a\nb"), "a\u{fffd}b");
        assert_eq!(excerpt(&"x".repeat(100)), "x".repeat(60) + "…");
    }
}
