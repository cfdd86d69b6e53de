//! Two answers to one question.

use std::fmt;
use std::path::PathBuf;

use crate::difference::{FieldDifference, describe_all};
use crate::key::Key;

/// Two records with one key that do not say the same. Equal keys mean equal questions, so one
/// of the two answers is wrong, and nobody can tell which.
#[derive(Clone, PartialEq, Debug)]
pub struct RecordConflict {
    /// The key of both.
    pub key: Key,
    /// The segment of the record that was there first.
    pub first: PathBuf,
    /// The segment of the other record.
    pub second: PathBuf,
    /// The fields that differ.
    pub differences: Vec<FieldDifference>,
}

impl fmt::Display for RecordConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, second) = (self.first.display(), self.second.display());
        let fields = describe_all(&self.differences, "in the first", "in the second");
        write!(f, "{first} and {second} disagree on the record {}: {fields}", self.key)
    }
}

impl std::error::Error for RecordConflict {}
