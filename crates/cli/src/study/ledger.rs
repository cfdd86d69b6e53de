//! The cases that are done, on disk and on the screen.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use provoke_store::{Identity, Key, Store, StoreError};
use provoke_study::{Case, Outcome, Seen};
use serde_json::json;

use crate::outcome::Failure;
use crate::output::Output;

/// What must be equal for cases to be used again.
pub(super) fn identity(study: &str) -> Identity {
    let run = json!({"study": study, "version": env!("CARGO_PKG_VERSION")});
    Identity::new(run).volatile(&["seconds"])
}

/// What was done, kept as soon as it is.
pub(super) struct Ledger<'o> {
    store: Store,
    output: &'o Output,
    cases: usize,
    /// What earlier runs did.
    earlier: BTreeSet<Key>,
    done: usize,
    resumed: usize,
}

impl<'o> Ledger<'o> {
    /// Opens or makes the folder of a study.
    pub(super) fn open(
        folder: &Path,
        study: &str,
        cases: usize,
        output: &'o Output,
    ) -> Result<Ledger<'o>, Failure> {
        let wrong = |error: StoreError| {
            let message = format!("{}: {error}", folder.display());
            Failure::input(message, "choose another folder with -o, or remove this one")
        };
        let store = Store::open(folder, &identity(study)).map_err(wrong)?;
        for damage in store.damage() {
            output.warning(&format!("{damage}; what is lost is done again"));
        }
        let store = store.writing_to("study").map_err(wrong)?;
        let earlier = store.keys().collect();
        Ok(Ledger { store, output, cases, earlier, done: 0, resumed: 0 })
    }

    /// Where others keep what they did.
    pub(super) fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    /// What came of a case earlier.
    pub(super) fn recall(&mut self, key: &Key) -> Option<Outcome> {
        let outcome = serde_json::from_value(self.store.get(key)?).ok()?;
        self.done += 1;
        self.resumed += usize::from(self.earlier.contains(key));
        Some(outcome)
    }

    /// Keeps what came of a case, and tells it.
    pub(super) fn keep(
        &mut self,
        key: Key,
        case: &Case,
        outcome: &Outcome,
        elapsed: Duration,
    ) -> Result<(), Failure> {
        let record = serde_json::to_value(outcome).expect("outcomes are plain data");
        self.store.append(key, &record).map_err(|error| {
            let message = format!("cannot keep what was done: {error}");
            Failure::input(message, "check the folder and the space left on the disk")
        })?;
        self.done += 1;
        let (done, cases, seconds) = (self.done, self.cases, elapsed.as_secs());
        self.output.note(&format!("[{done}/{cases}, {seconds} s] {}\n", told(case, outcome)));
        Ok(())
    }

    /// How many cases an earlier run did.
    pub(super) fn finish(self) -> usize {
        self.resumed
    }
}

/// A case and what came of it, in a line.
fn told(case: &Case, outcome: &Outcome) -> String {
    let Case { model, group, criterion, method, run } = case;
    let totals = &outcome.obligations;
    let what = format!("{model} ({group}), {criterion}, {} {}", method.word(), run + 1);
    let Some(covered) = totals.percent(totals.covered) else {
        return format!("{what}: it asks for nothing");
    };
    let percent = |seen| outcome.rate(seen).map_or("no".into(), |rate| format!("{rate:.2} %"));
    let late = if outcome.cut_short { ", out of time" } else { "" };
    format!(
        "{what}: {covered:.2} % of {} covered, {} tests, {} killed by outputs, {} by all, \
         {:.1} s{late}",
        totals.total,
        outcome.tests,
        percent(Seen::Outputs),
        percent(Seen::Maximum),
        outcome.seconds,
    )
}
