//! The results of tasks in a store: recalled where they are known, kept as soon as they are there.

use std::collections::BTreeSet;
use std::path::Path;

use provoke_base::{Control, Error, ErrorCode};
use provoke_store::{Key, RunIdentity, Store, StoreError};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The results of tasks, by their keys.
pub struct Ledger {
    store: Store,
    /// What earlier runs did.
    earlier: BTreeSet<Key>,
    resumed: usize,
}

impl Ledger {
    /// Opens or creates the ledger in a folder; `segment` names the file that this process writes.
    pub fn open(
        folder: &Path,
        identity: &RunIdentity,
        segment: &str,
        control: &Control,
    ) -> Result<Ledger, Error> {
        let wrong = |error: StoreError| unusable(folder, &error);
        let store = Store::open(folder, identity).map_err(wrong)?;
        for damage in store.damage() {
            control.warn(format!("{damage}; what is lost is done again"));
        }
        Ok(Ledger::new(store.writing_to(segment).map_err(wrong)?))
    }

    /// What a store holds.
    pub fn new(store: Store) -> Ledger {
        let earlier = store.keys().collect();
        Ledger { store, earlier, resumed: 0 }
    }

    /// How many results were recalled that an earlier run had kept.
    pub fn resumed(&self) -> usize {
        self.resumed
    }

    /// The store behind it.
    pub fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    /// The store alone, for who keeps no count.
    pub(crate) fn into_store(self) -> Store {
        self.store
    }

    /// The result of a task, if it is known.
    pub fn recall<T: DeserializeOwned>(&mut self, key: &Key) -> Option<T> {
        let known = serde_json::from_value(self.store.get(key)?).ok()?;
        self.resumed += usize::from(self.earlier.contains(key));
        Some(known)
    }

    /// Keeps the result of a task.
    pub fn keep(&mut self, key: Key, record: &impl Serialize) -> Result<(), Error> {
        self.store.append(key, &plain(record)).map(drop).map_err(|error| {
            let message = format!("cannot keep what was done: {error}");
            let hint = "check the folder and the space left on the disk";
            Error::new(ErrorCode::CannotWrite, message).hint(hint)
        })
    }
}

/// A record as it is kept.
pub(crate) fn plain(record: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(record).expect("records are plain data")
}

/// A store that cannot be used.
pub(crate) fn unusable(folder: &Path, error: &StoreError) -> Error {
    let message = format!("{}: {error}", folder.display());
    let hint = error.hint().unwrap_or("choose another folder, or remove this one");
    Error::new(ErrorCode::StoreUnusable, message).hint(hint)
}
