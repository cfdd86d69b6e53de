//! The solver that the user chose, or two of them, as one.

use std::time::{Duration, Instant};

use provoke_model::Value;

use crate::interrupter::Interrupter;
use crate::smtlib::SmtLib;
use crate::solver::{Limit, Solver, SolverAnswer, UnknownReason};
use crate::term::{TermId, Terms};
use crate::z3::Z3;

/// Yices counts no work, so it gets time instead: about as long as Z3 needs for so many units.
const UNITS_PER_MILLISECOND: u64 = 2_000;
/// In less a process does not even start.
const LEAST_TIME: Duration = Duration::from_millis(20);

/// Z3, Yices, or Z3 and then Yices where Z3 has no answer.
pub struct SolverPair {
    z3: Option<Z3>,
    yices: Option<SmtLib>,
    interrupter: Interrupter,
    /// Whether the last answer is that of Yices.
    by_yices: bool,
    yices_spent: u64,
}

impl SolverPair {
    /// At least one of them is there.
    pub(super) fn new(
        z3: Option<Z3>,
        yices: Option<SmtLib>,
        interrupter: Interrupter,
    ) -> SolverPair {
        SolverPair { z3, yices, interrupter, by_yices: false, yices_spent: 0 }
    }

    /// What Yices says; `None` if it is not used.
    fn ask_yices(
        &mut self,
        terms: &Terms,
        assumptions: &[TermId],
        limit: Limit,
    ) -> Option<SolverAnswer> {
        let yices = self.yices.as_mut()?;
        if limit.rlimit == Some(0) {
            return Some(SolverAnswer::Unknown(UnknownReason::Budget));
        }
        let start = Instant::now();
        let time = limit.rlimit.map(|units| Duration::from_millis(units / UNITS_PER_MILLISECOND));
        let time = time.map(|time| time.max(LEAST_TIME));
        let by_work = time.is_some_and(|time| limit.time.is_none_or(|limit| time < limit));
        let allowed = if by_work { time } else { limit.time };
        let answer = yices.check(terms, assumptions, Limit { rlimit: None, time: allowed });
        let millis = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.yices_spent += (millis + 1).saturating_mul(UNITS_PER_MILLISECOND);
        self.by_yices = true;
        Some(match answer {
            SolverAnswer::Unknown(UnknownReason::Timeout) if by_work => {
                SolverAnswer::Unknown(UnknownReason::Budget)
            }
            answer => answer,
        })
    }
}

impl Solver for SolverPair {
    fn assert(&mut self, terms: &Terms, term: TermId) {
        self.z3.iter_mut().for_each(|z3| z3.assert(terms, term));
        self.yices.iter_mut().for_each(|yices| yices.assert(terms, term));
    }

    fn check(&mut self, terms: &Terms, assumptions: &[TermId], limit: Limit) -> SolverAnswer {
        self.by_yices = false;
        let first = self.z3.as_mut().map(|z3| z3.check(terms, assumptions, limit));
        match first {
            Some(SolverAnswer::Unknown(why)) if why != UnknownReason::Interrupted => {
                match self.ask_yices(terms, assumptions, limit) {
                    Some(answer @ (SolverAnswer::Sat | SolverAnswer::Unsat)) => answer,
                    _ => SolverAnswer::Unknown(why),
                }
            }
            Some(answer) => answer,
            None => self.ask_yices(terms, assumptions, limit).expect("one of them is there"),
        }
    }

    fn value(&mut self, terms: &Terms, term: TermId) -> Option<Value> {
        match (self.by_yices, &mut self.z3, &mut self.yices) {
            (false, Some(z3), _) => z3.value(terms, term),
            (true, _, Some(yices)) => yices.value(terms, term),
            _ => None,
        }
    }

    fn core(&self) -> Vec<TermId> {
        match (self.by_yices, &self.z3, &self.yices) {
            (false, Some(z3), _) => z3.core(),
            (true, _, Some(yices)) => yices.core(),
            _ => Vec::new(),
        }
    }

    fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    fn spent(&self) -> Option<u64> {
        let z3 = self.z3.as_ref().and_then(Solver::spent).unwrap_or(0);
        Some(z3.saturating_add(self.yices_spent))
    }
}
