//! The lines of a certificate, each a word and what follows it.

use super::{Malformed, Parsed};

/// Reads line by line and knows where it is.
pub(super) struct Lines<'a> {
    rest: std::str::Split<'a, char>,
    /// The line that was read last, counted from 1.
    pub(super) number: usize,
    /// Whether the text ends with the end of a line.
    ends: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Parsed<Lines<'a>> {
        let body = text.strip_suffix('\n');
        let ends = body.is_some();
        Ok(Lines { rest: body.unwrap_or(text).split('\n'), number: 0, ends })
    }

    /// The word that a line starts with, and the rest of the line.
    pub(super) fn next(&mut self) -> Option<(&'a str, &'a str)> {
        let line = self.rest.next()?;
        self.number += 1;
        Some(line.split_once(' ').unwrap_or((line, "")))
    }

    pub(super) fn expect_exactly(&mut self, wanted: &str) -> Parsed<()> {
        self.number += 1;
        match self.rest.next() {
            Some(line) if line == wanted => Ok(()),
            _ => Err(self.wrong(&format!("expected `{wanted}`"))),
        }
    }

    pub(super) fn expect(&mut self, wanted: &str) -> Parsed<&'a str> {
        match self.next() {
            Some((word, rest)) if word == wanted => Ok(rest),
            _ => Err(self.wrong(&format!("expected a line that starts with `{wanted}`"))),
        }
    }

    /// A file that was cut may end in the middle of a line.
    pub(super) fn complete(&self) -> Parsed<()> {
        if self.ends { Ok(()) } else { Err(self.wrong("the last line is cut")) }
    }

    pub(super) fn wrong(&self, message: &str) -> Malformed {
        Malformed { line: self.number.max(1), message: message.to_string() }
    }
}
