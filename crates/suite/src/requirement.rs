//! The ids of requirements that a test is for.
//!
//! In tables they stand in a column `requirements`, in any row of the test, separated by spaces, commas or
//! semicolons. So an id contains none of these, in any format: a suite can be written as a table and read back.

use provoke_model::TestCase;

use crate::error::{ReadError, excerpt};
use crate::typing::Typing;

/// The header of the column that holds them.
pub(crate) const COLUMN: &str = "requirements";

/// The most ids that one test may have, and the longest id.
pub(crate) const MAX_IDS: usize = 1_000;
const MAX_CHARACTERS: usize = 200;

fn separates(c: char) -> bool {
    c.is_whitespace() || c.is_control() || c == ',' || c == ';'
}

/// The ids in a cell.
pub(crate) fn ids(cell: &str) -> impl Iterator<Item = &str> {
    cell.split(separates).filter(|id| !id.is_empty())
}

/// The ids of a test as a cell holds them.
pub(crate) fn cell(test: &TestCase) -> String {
    test.requirements.join(" ")
}

pub(crate) fn is_id(id: &str) -> bool {
    !id.is_empty() && !id.contains(separates) && id.chars().count() <= MAX_CHARACTERS
}

pub(crate) fn no_id(id: &str) -> ReadError {
    let message = format!("`{}` is no id of a requirement", excerpt(id));
    let hint = format!(
        "an id has up to {MAX_CHARACTERS} characters, and no spaces, commas or semicolons among them"
    );
    ReadError::new(message).hint(hint)
}

/// The column that holds ids: by its header, unless that is a variable of the model and names no other column.
pub(crate) fn column(names: &[&str], typing: Typing<'_>) -> Option<usize> {
    let mut found = names.iter().enumerate().filter(|(_, name)| **name == COLUMN);
    let first = found.next()?.0;
    let is_variable = match typing {
        Typing::System(system) => system.var_named(COLUMN).is_some(),
        Typing::Infer => false,
    };
    (!is_variable || found.next().is_some()).then_some(first)
}
