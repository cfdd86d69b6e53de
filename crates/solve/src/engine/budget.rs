//! How much work several checks may do together.

use std::time::Instant;

use crate::solver::{Limit, Solver, SolverAnswer};
use crate::term::{TermId, Terms};

/// What is left of a [`Limit`] that many checks share. With a limit of work alone the same
/// calls get the same answers on every machine.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    units: Option<u64>,
    deadline: Option<Instant>,
}

impl Budget {
    /// All of `limit`; its time runs from now.
    pub fn new(limit: Limit) -> Budget {
        // A time beyond what the clock can show is no limit.
        let deadline = limit.time.and_then(|time| Instant::now().checked_add(time));
        Budget { units: limit.rlimit, deadline }
    }

    /// What is left.
    pub fn left(&self) -> Limit {
        let time = self.deadline.map(|end| end.saturating_duration_since(Instant::now()));
        Limit { rlimit: self.units, time }
    }

    /// Whether nothing is left.
    pub fn is_spent(&self) -> bool {
        let left = self.left();
        left.rlimit == Some(0) || left.time.is_some_and(|time| time.is_zero())
    }

    /// Notes that `units` of work were done.
    pub fn spend(&mut self, units: u64) {
        self.units = self.units.map(|left| left.saturating_sub(units));
    }

    /// Lets `work` use at most so many per cent of what is left.
    pub fn with_part<T>(&mut self, percent: u32, work: impl FnOnce(&mut Budget) -> T) -> T {
        if percent >= 100 {
            return work(self);
        }
        let left = self.left();
        let mut part = Budget::new(Limit {
            rlimit: left.rlimit.map(|units| units / 100 * u64::from(percent)),
            time: left.time.map(|time| time / 100 * percent),
        });
        let before = part.units;
        let result = work(&mut part);
        self.spend(before.unwrap_or(0).saturating_sub(part.units.unwrap_or(0)));
        result
    }

    /// A check on this budget.
    pub fn check(
        &mut self,
        solver: &mut dyn Solver,
        terms: &Terms,
        assumptions: &[TermId],
    ) -> SolverAnswer {
        let before = solver.spent().unwrap_or(0);
        let answer = solver.check(terms, assumptions, self.left());
        self.spend(solver.spent().unwrap_or(0) - before);
        answer
    }
}
