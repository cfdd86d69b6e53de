//! A key and its payload in the form that is stored.

use std::fmt;

use serde_json::Value;

use crate::canonical::canonical_json;
use crate::frame::{FRAME_OVERHEAD, MAX_FRAME_BYTES};
use crate::key::Key;
use crate::syntax::is_json;

/// The deepest nesting of a payload. The JSON reader stops at 128 levels; what is written must
/// be readable.
pub const MAX_DEPTH: usize = 120;

/// One piece of finished work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Record {
    pub(crate) key: Key,
    /// JSON; canonical, since that is what we write.
    pub(crate) payload: Box<[u8]>,
}

impl Record {
    pub(crate) fn new(key: Key, payload: &Value) -> Result<Record, RecordError> {
        if deeper_than(payload, MAX_DEPTH) {
            return Err(RecordError::TooDeep(key));
        }
        let payload = canonical_json(payload).into_boxed_slice();
        let bytes = payload.len() + FRAME_OVERHEAD;
        match bytes > MAX_FRAME_BYTES {
            true => Err(RecordError::TooLarge { key, bytes }),
            false => Ok(Record { key, payload }),
        }
    }

    /// A record from bytes of a file, if they are JSON.
    pub(crate) fn from_bytes(key: Key, payload: &[u8]) -> Option<Record> {
        is_json(payload).then(|| Record { key, payload: payload.into() })
    }
}

fn deeper_than(value: &Value, levels: usize) -> bool {
    match value {
        _ if levels == 0 => true,
        Value::Array(items) => items.iter().any(|item| deeper_than(item, levels - 1)),
        Value::Object(members) => members.values().any(|member| deeper_than(member, levels - 1)),
        _ => false,
    }
}

/// Why a payload cannot be stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordError {
    /// Arrays and objects are nested too deeply to be read back.
    TooDeep(Key),
    /// It does not fit a frame.
    TooLarge {
        /// The record's key.
        key: Key,
        /// The size of its frame.
        bytes: usize,
    },
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::TooDeep(key) => {
                write!(f, "the record {key} is nested deeper than {MAX_DEPTH} levels")
            }
            RecordError::TooLarge { key, bytes } => {
                write!(f, "the record {key} takes {bytes} bytes; {MAX_FRAME_BYTES} are allowed")
            }
        }
    }
}

impl std::error::Error for RecordError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::KeyBuilder;
    use serde_json::json;

    fn nested(levels: usize) -> Value {
        (1..levels).fold(json!(1), |inner, _| json!([inner]))
    }

    #[test]
    fn what_is_accepted_can_be_read_back_and_one_level_more_is_refused() {
        let key = KeyBuilder::new("s").finish();
        let record = Record::new(key, &nested(MAX_DEPTH)).unwrap();
        assert_eq!(Record::from_bytes(key, &record.payload), Some(record));
        let refusal = Record::new(key, &nested(MAX_DEPTH + 1));
        assert_eq!(refusal, Err(RecordError::TooDeep(key)));
    }

    #[test]
    fn a_payload_beyond_a_frame_is_refused() {
        let key = KeyBuilder::new("s").finish();
        let fits = MAX_FRAME_BYTES - FRAME_OVERHEAD - 2;
        assert!(Record::new(key, &json!("x".repeat(fits))).is_ok());
        let refusal = Record::new(key, &json!("x".repeat(fits + 1)));
        assert_eq!(refusal, Err(RecordError::TooLarge { key, bytes: MAX_FRAME_BYTES + 1 }));
    }
}
