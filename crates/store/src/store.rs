//! A folder of finished work.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::damage::{Damage, DamageKind};
use crate::error::{FileError, StoreError};
use crate::frame;
use crate::identity::RunIdentity;
use crate::key::Key;
use crate::layout;
use crate::manifest;
use crate::record::Record;
use crate::records::Records;
use crate::segment;
use crate::writer::Writer;

/// The records of a run, and the segment to which this process adds its own.
///
/// What other processes append after the store was opened is seen by [`Store::refresh`].
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    identity: RunIdentity,
    records: Records,
    damage: Vec<Damage>,
    writer: Writer,
    /// How far each segment was read.
    read: BTreeMap<PathBuf, u64>,
}

/// What became of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AppendOutcome {
    /// It was written.
    New,
    /// An equal one was there already.
    Known,
}

impl Store {
    /// Opens the store of a run, or makes `folder` one.
    pub fn open(folder: impl AsRef<Path>, identity: &RunIdentity) -> Result<Store, StoreError> {
        manifest::establish(folder.as_ref(), identity)?;
        Store::load(folder.as_ref(), identity.clone())
    }

    /// Opens a store whatever its run is.
    pub fn read(folder: impl AsRef<Path>) -> Result<Store, StoreError> {
        let identity = manifest::read(folder.as_ref())?;
        Store::load(folder.as_ref(), identity)
    }

    fn load(folder: &Path, identity: RunIdentity) -> Result<Store, StoreError> {
        let records = Records::new(identity.volatile_members());
        let writer = Writer::new(layout::segments_folder(folder));
        let damage = Vec::new();
        let read = BTreeMap::new();
        let mut store = Store { folder: folder.into(), identity, records, damage, writer, read };
        for path in layout::segments(folder)? {
            store.load_segment(path.into())?;
        }
        Ok(store)
    }

    /// Reads what a segment holds behind what was read of it before. Returns how many records
    /// are new.
    fn load_segment(&mut self, path: Arc<Path>) -> Result<usize, StoreError> {
        let from = self.read.get(&*path).copied().unwrap_or(0);
        let failed = || FileError::when("read", &path);
        let mut file = File::open(&path).map_err(failed())?;
        file.seek(SeekFrom::Start(from)).map_err(failed())?;
        let segment = segment::read(BufReader::with_capacity(1 << 16, file), &path);
        let segment = segment.map_err(failed())?;
        self.read.insert(path.to_path_buf(), from + segment.settled);
        let moved = |damage: Damage| Damage { offset: from + damage.offset, ..damage };
        self.damage.extend(segment.damage.into_iter().map(moved));
        let mut new = 0;
        for record in segment.records {
            new += usize::from(self.records.add(record, &path)?);
        }
        Ok(new)
    }

    /// Reads what other processes have appended since. Returns how many records are new.
    ///
    /// A frame that is half written is no damage: it is read when it is whole.
    pub fn refresh(&mut self) -> Result<usize, StoreError> {
        let mut new = 0;
        for path in layout::segments(&self.folder)? {
            new += self.load_segment(path.into())?;
        }
        self.damage.retain(|damage| damage.kind != DamageKind::Truncated);
        Ok(new)
    }

    /// Appends to a segment called `name`, or `name-2` and so on if that exists; without this
    /// it is called `run`. Writers on one folder may share a name, but not a segment.
    pub fn writing_to(mut self, name: &str) -> Result<Store, StoreError> {
        self.writer.rename(name)?;
        Ok(self)
    }

    /// Asks the disk for durability once `interval` has passed since the first record that is
    /// not durable, so that a power failure costs little more than that. A killed process
    /// costs nothing in any case.
    pub fn sync_every(mut self, interval: Duration) -> Store {
        self.writer.sync_every(interval);
        self
    }

    /// Stores a record, unless an equal one is there. When this returns, it outlives the process.
    pub fn append(&mut self, key: Key, payload: &Value) -> Result<AppendOutcome, StoreError> {
        let record = Record::new(key, payload)?;
        if self.records.holds(&record, &self.writer.path())? {
            return Ok(AppendOutcome::Known);
        }
        self.writer.append(&frame::encode(&record.key, &record.payload))?;
        self.records.add(record, &self.writer.path())?;
        Ok(AppendOutcome::New)
    }

    /// Returns when the disk has all that was appended.
    pub fn sync(&mut self) -> Result<(), StoreError> {
        Ok(self.writer.sync()?)
    }

    /// The payload under a key.
    pub fn get(&self, key: &Key) -> Option<Value> {
        self.records.get(key)
    }

    /// Whether there is a record under a key.
    pub fn contains(&self, key: &Key) -> bool {
        self.records.contains(key)
    }

    /// The keys, ascending.
    pub fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        self.records.keys()
    }

    /// The records in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (Key, Value)> + '_ {
        self.records.values()
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What could not be read when the store was opened; its records are to be done again.
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// What the run is.
    pub fn identity(&self) -> &RunIdentity {
        &self.identity
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn into_contents(self) -> (Records, Vec<Damage>) {
        (self.records, self.damage)
    }
}
