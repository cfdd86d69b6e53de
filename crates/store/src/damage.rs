//! Places in a segment where something was written that cannot be read.

use std::fmt;
use std::path::PathBuf;

/// A part of a segment that holds no readable record; its records are to be done again.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Damage {
    /// The segment's file.
    pub segment: PathBuf,
    /// Where it starts, in bytes.
    pub offset: u64,
    /// How long it is, in bytes.
    pub bytes: u64,
    /// How many records it held, as far as that can be told from beginnings of frames; at
    /// least one.
    pub records_lost: usize,
    /// What it looks like.
    pub kind: DamageKind,
}

/// What a damaged place looks like.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum DamageKind {
    /// The segment ends inside a frame: its writer was killed there, or is still writing.
    Truncated,
    /// Bytes are not as they were written.
    Corrupted,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            DamageKind::Truncated => "ends inside a record",
            DamageKind::Corrupted => "is damaged",
        };
        let plural = if self.records_lost == 1 { "" } else { "s" };
        let Damage { offset, bytes, records_lost, .. } = self;
        let path = self.segment.display();
        write!(
            f,
            "{path} {what} at byte {offset} ({bytes} bytes, {records_lost} record{plural} lost)"
        )
    }
}
