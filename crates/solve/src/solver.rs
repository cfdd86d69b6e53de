//! What every solver can do, and what it answers.

use std::time::Duration;

use provoke_model::Value;

use crate::interrupter::Interrupter;
use crate::term::{TermId, Terms};

/// Decides whether terms can hold together.
///
/// A solver remembers terms by their ids, so all calls on it are given the same [`Terms`].
pub trait Solver {
    /// From now on `term` must hold.
    fn assert(&mut self, terms: &Terms, term: TermId);

    /// Whether all asserted terms and the `assumptions` can hold together.
    fn check(&mut self, terms: &Terms, assumptions: &[TermId], limit: Limit) -> SolverAnswer;

    /// The value of `term` in the solution that the last check found; a symbol that does not
    /// matter gets one too. `None` if there is no solution or the value is irrational.
    fn value(&mut self, terms: &Terms, term: TermId) -> Option<Value>;

    /// Those assumptions of the last check that cannot hold together, after `Unsat`; not
    /// always the fewest.
    fn core(&self) -> Vec<TermId>;

    /// The handle that stops checks from another thread.
    fn interrupter(&self) -> Interrupter;

    /// The work done so far, in the units of [`Limit::work`]; `None` if the solver does not
    /// count it and knows only time limits.
    fn spent(&self) -> Option<u64>;
}

/// What a solver says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SolverAnswer {
    /// There is a solution.
    Sat,
    /// There is none.
    Unsat,
    /// Neither was found.
    Unknown(UnknownReason),
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnknownReason {
    /// The allowed work is done.
    Budget,
    /// The time is over.
    Timeout,
    /// Somebody stopped it.
    Interrupted,
    /// The solver gave up, in its own words.
    Incomplete(String),
    /// The solver failed, in its own words.
    Crashed(String),
    /// The memory limit is reached.
    OutOfMemory,
}

/// How much may be done for one goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// How many steps are searched.
    pub depth: usize,
    /// How long the window of an induction may be.
    pub k: usize,
    /// What solvers may do in all.
    pub limit: Limit,
}

/// How long a solver may try; the default is forever.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limit {
    /// Units of work, counted by the solver: the same limit gives the same answer on every
    /// machine.
    pub rlimit: Option<u64>,
    /// Wall-clock time.
    pub time: Option<Duration>,
}

impl Limit {
    /// At most `units` of work.
    pub fn work(units: u64) -> Limit {
        Limit { rlimit: Some(units), time: None }
    }

    /// At most this time.
    pub fn time(time: Duration) -> Limit {
        Limit { rlimit: None, time: Some(time) }
    }
}
