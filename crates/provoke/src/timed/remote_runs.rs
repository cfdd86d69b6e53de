//! Random runs that other processes do.
//!
//! A run's random numbers come from its number, so it does not matter who does it: outcomes are
//! counted in the order of the numbers, and the answer is that of one process.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use provoke_base::{Control, Error};
use provoke_stats::StoppingRuleKind;
use provoke_stochastic::{RunRecord, RunSource, RunValue};
use provoke_store::{KeyBuilder, RunIdentity};
use provoke_work::RangeRunner;
use serde_json::json;

use super::NetworkModel;
use super::options::TimedEstimateOptions;
use crate::request::{NetworkText, Request};

/// An estimate asks for at most so many at once, and for all of the last ones.
const MOST_AT_ONCE: u64 = 16_384;

/// Workers that do random runs, and what came of these.
pub(super) struct RemoteRuns {
    runner: RangeRunner,
    failure: RefCell<Option<Error>>,
    failed: Arc<AtomicBool>,
}

impl RemoteRuns {
    /// The workers that are to do the runs, if that is wanted.
    pub(super) fn new(
        model: &NetworkModel,
        options: &TimedEstimateOptions,
        control: &Control,
    ) -> Result<Option<RemoteRuns>, Error> {
        let Some(workers) = &options.work.workers else { return Ok(None) };
        let (text, folder) = (NetworkText::new(model), options.work.store.as_deref());
        let request = Request::TimedEstimate { model: text, options: options.clone() };
        let identity = identity(model, options);
        let runner =
            RangeRunner::new("random runs", &identity, folder, workers, &request, control)?;
        Ok(Some(RemoteRuns { runner, failure: RefCell::new(None), failed: Arc::default() }))
    }

    /// The runs for one of the questions, which are ended by a rule.
    pub(super) fn question(&self, at: usize, rule: StoppingRuleKind) -> QuestionRuns<'_> {
        let end =
            if let StoppingRuleKind::Fixed(runs) = rule { Some(runs + MOST_AT_ONCE) } else { None };
        QuestionRuns { remote: self, at, end }
    }

    /// Set when others do not work any more.
    pub(super) fn failed(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.failed)
    }

    /// Why others could not work.
    pub(super) fn failure(&self) -> Result<(), Error> {
        self.failure.borrow_mut().take().map_or(Ok(()), Err)
    }
}

/// The runs for a question.
pub(super) struct QuestionRuns<'r> {
    remote: &'r RemoteRuns,
    at: usize,
    /// Where the numbers of runs end, if that is known.
    end: Option<u64>,
}

impl RunSource for QuestionRuns<'_> {
    fn runs(&self, numbers: Range<u64>) -> Vec<RunValue> {
        const SIZE: u64 = RangeRunner::SIZE;
        let mut all = Vec::new();
        for range in numbers.start / SIZE..=(numbers.end - 1) / SIZE {
            let record: Option<RunRecord> =
                self.remote.runner.range(self.at, range, self.end).unwrap_or_else(|failure| {
                    self.remote.failed.store(true, Ordering::SeqCst);
                    self.remote.failure.borrow_mut().get_or_insert(failure);
                    None
                });
            let runs = record.map(|record| record.runs()).unwrap_or_default();
            let is_whole = runs.len() as u64 == SIZE;
            let inside = |(at, _): &(u64, RunValue)| numbers.contains(&(range * SIZE + at));
            all.extend((0..).zip(runs).filter(inside).map(|(_, run)| run));
            if !is_whole {
                break;
            }
        }
        all
    }
}

/// What must be equal for runs to be used again.
pub(super) fn identity(model: &NetworkModel, options: &TimedEstimateOptions) -> RunIdentity {
    let key = KeyBuilder::new("provoke/network/1")
        .part("text", model.file.text.as_bytes())
        .json("queries", &json!(model.queries))
        .finish();
    RunIdentity::new(json!({
        "command": "timed estimate", "version": env!("CARGO_PKG_VERSION"),
        "model": key.to_string(), "seed": options.seed,
    }))
}
