//! What Z3 says when it is asked, or why it says nothing.

use std::ffi::c_int;

use super::context::Failure;
use super::{Api, L_FALSE, L_TRUE, RawContext};
use crate::solver::{Limit, UnknownReason};

/// The answer to a check or a query.
pub(crate) struct Outcome {
    pub(crate) verdict: Option<bool>,
    /// Why there is no verdict.
    pub(crate) reason: UnknownReason,
    /// How much work it was.
    pub(crate) work: u32,
}

impl Outcome {
    /// Newer versions say "canceled" whatever the cause was, and older ones name a wrong one
    /// when the work is done, so what we know ourselves comes first.
    pub(super) fn new(
        answer: Result<c_int, Failure>,
        stopped: Option<UnknownReason>,
        work: u32,
        limit: Limit,
        explanation: String,
    ) -> Outcome {
        let verdict = match answer {
            Ok(L_TRUE) => Some(true),
            Ok(L_FALSE) => Some(false),
            _ => None,
        };
        let exhausted = limit.rlimit.is_some() && work >= rlimit_of(limit);
        let reason = match (stopped, answer) {
            (Some(stopped), _) => stopped,
            (None, _) if exhausted => UnknownReason::Budget,
            (None, Err(failure)) => failure.into(),
            // If neither we nor the budget cancelled it, the memory limit did.
            (None, Ok(_)) if explanation.contains("mem") || explanation.contains("cancel") => {
                UnknownReason::OutOfMemory
            }
            (None, Ok(_)) => UnknownReason::Incomplete(explanation),
        };
        Outcome { verdict, reason, work }
    }
}

/// The limit of work as Z3 takes it: 0 is none.
pub(crate) fn rlimit_of(limit: Limit) -> u32 {
    limit.rlimit.map_or(0, |units| u32::try_from(units).unwrap_or(u32::MAX))
}

/// What an interrupt from another thread needs.
#[derive(Clone, Copy)]
pub(super) struct Stoppable<T: Copy> {
    pub(super) api: &'static Api,
    pub(super) context: RawContext,
    pub(super) object: T,
}

// SAFETY: only Z3's interrupt functions are called with it on another thread, and those are
// made for that.
unsafe impl<T: Copy> Send for Stoppable<T> {}

impl<T: Copy> Stoppable<T> {
    /// The whole of it: closures would otherwise capture its fields, which are not `Send`.
    pub(super) fn get(&self) -> Stoppable<T> {
        *self
    }
}
