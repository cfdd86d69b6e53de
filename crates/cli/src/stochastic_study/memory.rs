//! What an earlier run of the study did, kept in its folder part by part.

use std::path::Path;

use provoke_store::{Identity, Key, KeyBuilder, Store, StoreError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::outcome::Failure;
use crate::output::Output;

/// A table with its name and heading; the first row is its head.
#[derive(Serialize, Deserialize)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) rows: Vec<Vec<String>>,
}

/// What a part of the study came to.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Section {
    pub(crate) tables: Vec<Table>,
    pub(crate) notes: Vec<String>,
}

impl Section {
    /// Adds a table, or its rows to the one of that name.
    pub(crate) fn add(&mut self, table: Table) {
        match self.tables.iter_mut().find(|known| known.name == table.name) {
            Some(known) => known.rows.extend(table.rows.into_iter().skip(1)),
            None => self.tables.push(table),
        }
    }

    /// Adds all of another part.
    pub(crate) fn join(&mut self, other: Section) {
        other.tables.into_iter().for_each(|table| self.add(table));
        self.notes.extend(other.notes);
    }
}

/// Parts that are done.
pub(crate) struct Memory {
    store: Store,
    settings: Value,
    /// How many parts an earlier run did.
    pub(crate) resumed: usize,
}

impl Memory {
    /// Opens or makes the folder of a study with these settings.
    pub(crate) fn open(folder: &Path, settings: Value, output: &Output) -> Result<Memory, Failure> {
        let wrong = |error: StoreError| {
            let message = format!("{}: {error}", folder.display());
            Failure::input(message, "choose another folder with -o, or remove this one")
        };
        let run = json!({"study": "stochastic", "version": env!("CARGO_PKG_VERSION")});
        let store = Store::open(folder, &Identity::new(run)).map_err(wrong)?;
        for damage in store.damage() {
            output.warning(&format!("{damage}; what is lost is done again"));
        }
        let store = store.writing_to("study").map_err(wrong)?;
        Ok(Memory { store, settings, resumed: 0 })
    }

    /// The name of a part: all that it depends on.
    pub(crate) fn key(&self, network: &str, text: &str, part: &str) -> Key {
        KeyBuilder::new("provoke/study-stochastic/1")
            .part("name", network)
            .part("model", text)
            .part("part", part)
            .json("settings", &self.settings)
            .finish()
    }

    /// What came of a part earlier.
    pub(crate) fn recall<T: DeserializeOwned>(&mut self, key: &Key) -> Option<T> {
        let known = serde_json::from_value(self.store.get(key)?).ok()?;
        self.resumed += 1;
        Some(known)
    }

    /// Keeps what came of a part.
    pub(crate) fn keep(&mut self, key: Key, part: &impl Serialize) -> Result<(), String> {
        let record = serde_json::to_value(part).map_err(|error| error.to_string())?;
        let kept = self.store.append(key, &record);
        kept.map(drop).map_err(|error| format!("cannot keep what was done: {error}"))
    }
}
