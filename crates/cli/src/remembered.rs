//! What solvers found, kept in the folder of the results: the same command goes on where an
//! interrupted one was.

use std::path::Path;
use std::sync::Mutex;

use provoke_criteria::Obligation;
use provoke_model::{System, Value};
use provoke_store::{Identity, Key, KeyBuilder, Shard, Store};
use provoke_testgen::{Attempt, Effort, Memory, ProofSummary, Source};
use serde_json::{Value as Json, json};

use crate::outcome::Failure;
use crate::output::Output;

/// Attempts in a store on disk.
pub(crate) struct Remembered<'a> {
    system: &'a System,
    store: Mutex<Store>,
    shard: Shard,
    /// The first thing that went wrong while writing; the run itself goes on.
    trouble: Mutex<Option<String>>,
}

impl<'a> Remembered<'a> {
    /// Opens or creates the store in a folder. `run` is what must be equal for attempts to be
    /// used again.
    pub(crate) fn open(
        folder: &Path,
        system: &'a System,
        run: Json,
        shard: Option<Shard>,
        output: &Output,
    ) -> Result<Remembered<'a>, Failure> {
        let wrong = |error: provoke_store::StoreError| Failure::Input {
            message: format!("{}: {error}", folder.display()),
            hint: Some("choose another folder with -o, or remove this one".to_string()),
        };
        let store = Store::open(folder, &Identity::new(run)).map_err(wrong)?;
        for damage in store.damage() {
            output.warning(&format!("{damage}; what is lost is done again"));
        }
        let store = store.writing_to("run").map_err(wrong)?;
        let (store, trouble) = (Mutex::new(store), Mutex::new(None));
        Ok(Remembered { system, store, shard: shard.unwrap_or(Shard::WHOLE), trouble })
    }

    /// What went wrong while writing.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.trouble.lock().expect("no thread panicked").clone()
    }

    fn row(&self, values: &[Value]) -> Json {
        let ty = |position: usize| self.system.vars[self.system.inputs[position]].ty;
        let show =
            |(position, value): (usize, &Value)| value.show(ty(position), &self.system.enums);
        values.iter().enumerate().map(show).collect()
    }

    fn read_row(&self, row: &Json) -> Option<Vec<Value>> {
        let inputs = self.system.inputs.iter().map(|var| self.system.vars[*var].ty);
        let cells = row.as_array()?;
        if cells.len() != self.system.inputs.len() {
            return None;
        }
        let read = |(cell, ty): (&Json, _)| Value::parse(cell.as_str()?, ty, &self.system.enums);
        cells.iter().zip(inputs).map(read).collect()
    }

    fn record(&self, attempt: &Attempt) -> Json {
        match attempt {
            Attempt::Test { steps, source } => {
                let steps: Vec<Json> = steps.iter().map(|row| self.row(row)).collect();
                json!({"test": steps, "source": source.word()})
            }
            Attempt::Proof(proof) => {
                json!({"proof": {"engine": proof.engine, "k": proof.k, "lemmas": proof.lemmas}})
            }
            Attempt::Nothing { reason, depth, .. } => {
                json!({"nothing": {"reason": reason, "depth": depth}})
            }
        }
    }

    /// The attempt that a record holds; `None` for what is not one.
    fn read(&self, record: &Json) -> Option<Attempt> {
        let number = |json: &Json| json.as_u64().and_then(|n| usize::try_from(n).ok());
        if let Some(steps) = record.get("test") {
            let steps = steps.as_array()?.iter().map(|row| self.read_row(row));
            let source = Source::named(record["source"].as_str()?)?;
            return Some(Attempt::Test { steps: steps.collect::<Option<_>>()?, source });
        }
        if let Some(proof) = record.get("proof") {
            let engine = proof["engine"].as_str()?.to_string();
            let (k, lemmas) = (number(&proof["k"])?, number(&proof["lemmas"])?);
            return Some(Attempt::Proof(ProofSummary { engine, k, lemmas }));
        }
        let nothing = record.get("nothing")?;
        let reason = nothing["reason"].as_str()?.to_string();
        let depth = number(&nothing["depth"])?;
        Some(Attempt::Nothing { reason, depth, cut_short: false })
    }
}

fn key(obligation: &Obligation, effort: Effort) -> Key {
    let work = effort.limit.rlimit.unwrap_or(0);
    KeyBuilder::new("provoke/attempt/1")
        .part("obligation", obligation.id.as_bytes())
        .json("effort", &json!({"depth": effort.depth, "k": effort.k, "work": work}))
        .finish()
}

impl Memory for Remembered<'_> {
    fn is_ours(&self, obligation: &Obligation) -> bool {
        // By the id alone, so that adding obligations moves none of the others.
        let key = KeyBuilder::new("provoke/share/1").part("obligation", obligation.id.as_bytes());
        self.shard.takes(&key.finish())
    }

    fn recall(&self, obligation: &Obligation, effort: Effort) -> Option<Attempt> {
        let store = self.store.lock().expect("no thread panicked");
        let record = store.get(&key(obligation, effort))?;
        self.read(&record)
    }

    fn keep(&self, obligation: &Obligation, effort: Effort, attempt: &Attempt) {
        let record = self.record(attempt);
        let mut store = self.store.lock().expect("no thread panicked");
        if let Err(error) = store.append(key(obligation, effort), &record) {
            let mut trouble = self.trouble.lock().expect("no thread panicked");
            trouble.get_or_insert(error.to_string());
        }
    }
}
