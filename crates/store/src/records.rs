//! The records of a store: one per key.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use crate::conflict::RecordConflict;
use crate::difference::differences;
use crate::key::Key;
use crate::record::Record;

/// Records in the order of their keys, each with the segment it came from.
#[derive(Debug)]
pub(crate) struct Records {
    volatile: BTreeSet<String>,
    held: BTreeMap<Key, Held>,
}

#[derive(Debug)]
struct Held {
    payload: Box<[u8]>,
    segment: Arc<Path>,
}

impl Records {
    /// No records; members of a payload that are named in `volatile` will not be compared.
    pub(crate) fn new(volatile: &BTreeSet<String>) -> Records {
        Records { volatile: volatile.clone(), held: BTreeMap::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.held.len()
    }

    pub(crate) fn contains(&self, key: &Key) -> bool {
        self.held.contains_key(key)
    }

    pub(crate) fn get(&self, key: &Key) -> Option<Value> {
        self.held.get(key).map(|held| value(&held.payload))
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        self.held.keys().copied()
    }

    /// The canonical payloads in the order of their keys.
    pub(crate) fn payloads(&self) -> impl Iterator<Item = (Key, &[u8])> {
        self.held.iter().map(|(key, held)| (*key, &*held.payload))
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = (Key, Value)> + '_ {
        self.payloads().map(|(key, payload)| (key, value(payload)))
    }

    /// Whether an equal record is held already; a different one is a conflict.
    pub(crate) fn holds(
        &self,
        record: &Record,
        segment: &Path,
    ) -> Result<bool, Box<RecordConflict>> {
        let Some(held) = self.held.get(&record.key) else { return Ok(false) };
        if held.payload == record.payload {
            return Ok(true);
        }
        let differences = differences(&self.settled(&held.payload), &self.settled(&record.payload));
        if differences.is_empty() {
            return Ok(true);
        }
        let (first, second) = (held.segment.to_path_buf(), segment.to_path_buf());
        Err(Box::new(RecordConflict { key: record.key, first, second, differences }))
    }

    /// Adds a record unless it is held already; the earlier one stays. Says whether it is new.
    pub(crate) fn add(
        &mut self,
        record: Record,
        segment: &Arc<Path>,
    ) -> Result<bool, Box<RecordConflict>> {
        if self.holds(&record, segment)? {
            return Ok(false);
        }
        let held = Held { payload: record.payload, segment: segment.clone() };
        self.held.insert(record.key, held);
        Ok(true)
    }

    /// Adds all records of another store. Returns how many are new.
    pub(crate) fn absorb(&mut self, other: Records) -> Result<usize, Box<RecordConflict>> {
        let mut new = 0;
        for (key, Held { payload, segment }) in other.held {
            new += usize::from(self.add(Record { key, payload }, &segment)?);
        }
        Ok(new)
    }

    /// The payload without what may differ from run to run. Only members of the payload itself
    /// are left out: further down, names may be the user's, and a signal may be called `seconds`.
    fn settled(&self, payload: &[u8]) -> Value {
        let mut value = value(payload);
        if let Value::Object(members) = &mut value {
            members.retain(|name, _| !self.volatile.contains(name));
        }
        value
    }
}

fn value(payload: &[u8]) -> Value {
    serde_json::from_slice(payload).expect("records hold JSON")
}
