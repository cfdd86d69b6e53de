//! From candidates to lemmas: what does not hold after a step is given up until the rest is
//! inductive (Flanagan and Leino's Houdini; equations are weakened as in Karr's analysis).

use provoke_model::Value;

use super::affine::Affine;
use super::backend::Backend;
use super::budget::Budget;
use super::candidates::Candidates;
use super::later::LaterCheck;
use super::lemmas::Lemmas;
use super::merge::Merged;
use super::samples::Samples;
use crate::solver::{Answer, Reason};
use crate::term::{TermId, Terms};
use crate::transition::Transition;

/// What fraction of the budget all candidates get together, and then each kind alone.
const TOGETHER_PERCENT: u32 = 60;
const ALONE_PERCENT: u32 = 40;
/// What fraction one check gets.
const CHECK_PERCENT: u32 = 30;

/// The largest part of what `samples` suggest that is inductive: it holds after the first step
/// and every later step keeps it, under the constraint of `transition`, which is the whole
/// system, so that all its goals can use the lemmas.
pub fn learn(
    terms: &mut Terms,
    transition: &Transition,
    samples: &Samples,
    backend: &Backend,
    budget: &mut Budget,
) -> Lemmas {
    let merged = Merged::new(terms, transition);
    let lemmas = strongest(terms, &merged.transition, samples, backend, budget);
    Lemmas { terms: lemmas, copies: merged.copies }
}

/// The candidates that hold in every later state, given lemmas that do.
pub fn strengthen(
    terms: &mut Terms,
    transition: &Transition,
    lemmas: &[TermId],
    candidates: Vec<TermId>,
    backend: &Backend,
    budget: &mut Budget,
) -> Vec<TermId> {
    if candidates.is_empty() {
        return candidates;
    }
    let check = LaterCheck::new(terms, transition, backend);
    let pool = Pool { proven: lemmas.to_vec(), open: candidates, affine: Vec::new() };
    Houdini { check, pool }.run(terms, budget).unwrap_or_default()
}

fn strongest(
    terms: &mut Terms,
    transition: &Transition,
    samples: &Samples,
    backend: &Backend,
    budget: &mut Budget,
) -> Vec<TermId> {
    let Candidates { single, affine, pairs, guarded, guarded_affine } =
        Candidates::new(terms, transition, samples);
    let open = [single.clone(), pairs.clone(), guarded.clone()].concat();
    let hulls = [affine.clone(), guarded_affine.clone()].concat();
    let together = Pool { proven: Vec::new(), open, affine: hulls };
    let mut run = |terms: &mut Terms, pool: Pool, percent| {
        budget.with_part(percent, |budget| {
            let check = LaterCheck::new(terms, transition, backend);
            Houdini { check, pool }.run(terms, budget)
        })
    };
    if let Some(lemmas) = run(terms, together, TOGETHER_PERCENT) {
        return lemmas;
    }
    let mut proven = Vec::new();
    let kinds = [(single, vec![]), (vec![], affine), (pairs, vec![]), (guarded, guarded_affine)];
    for (open, affine) in kinds {
        let pool = Pool { proven: proven.clone(), open, affine };
        proven.extend(run(terms, pool, ALONE_PERCENT).unwrap_or_default());
    }
    proven
}

/// What may be inductive.
struct Pool {
    /// What is inductive by itself.
    proven: Vec<TermId>,
    open: Vec<TermId>,
    affine: Vec<Affine>,
}

struct Houdini<'t> {
    check: LaterCheck<'t>,
    pool: Pool,
}

impl Houdini<'_> {
    /// What is inductive together with what was proven before; `None` if the budget is spent.
    fn run(mut self, terms: &mut Terms, budget: &mut Budget) -> Option<Vec<TermId>> {
        for first in [true, false] {
            loop {
                let candidates = self.candidates(terms);
                if candidates.is_empty() {
                    return Some(candidates);
                }
                let answer = budget.with_part(CHECK_PERCENT, |budget| {
                    self.counterexample(terms, &candidates, &candidates, first, budget)
                });
                match answer {
                    Answer::Unsat => break,
                    Answer::Sat => self.weaken(terms, first),
                    Answer::Unknown(Reason::Interrupted) => return None,
                    Answer::Unknown(_) => return self.one_by_one(terms, budget),
                }
            }
        }
        Some(self.candidates(terms))
    }

    fn candidates(&self, terms: &mut Terms) -> Vec<TermId> {
        let mut candidates = self.pool.open.clone();
        for hull in &self.pool.affine {
            candidates.extend(hull.equations(terms));
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates
    }

    /// Whether a step leads to a state in which one of `claims` does not hold; a later step
    /// from a state in which `candidates` and what was proven before do.
    fn counterexample(
        &mut self,
        terms: &mut Terms,
        candidates: &[TermId],
        claims: &[TermId],
        first: bool,
        budget: &mut Budget,
    ) -> Answer {
        let all = terms.all(claims);
        let wrong = terms.not(all);
        if first {
            return self.check.after_first(terms, wrong, budget);
        }
        let before = [&self.pool.proven, candidates].concat();
        self.check.after_later(terms, &before, wrong, budget)
    }

    /// Gives up what does not hold in the state just found.
    fn weaken(&mut self, terms: &mut Terms, first: bool) {
        let check = &mut self.check;
        let before = self.pool.open.len();
        self.pool
            .open
            .retain(|term| check.value_after(terms, *term, first) == Some(Value::Bool(true)));
        let mut changed = self.pool.open.len() < before;
        for hull in &mut self.pool.affine {
            let outside = |guard| check.value_after(terms, guard, first) != Some(Value::Bool(true));
            if hull.guard().is_some_and(outside) {
                continue;
            }
            let symbols = hull.symbols().to_vec();
            let value = |symbol| check.value_after(terms, symbol, first);
            let row: Option<Vec<_>> = symbols.into_iter().map(value).collect();
            changed |= row.is_some_and(|row| hull.add(&row));
        }
        if !changed {
            // The solution has values that cannot be written down; whatever failed is among
            // these.
            self.pool.affine.clear();
            self.pool.open.clear();
        }
    }

    /// Each candidate by itself, for when the solver cannot decide them together: those that
    /// it does not confirm are given up.
    fn one_by_one(&mut self, terms: &mut Terms, budget: &mut Budget) -> Option<Vec<TermId>> {
        let mut left = self.candidates(terms);
        self.pool.affine.clear();
        left.retain(|&term| self.is_kept(terms, &[], term, true, budget));
        loop {
            let candidates = left.clone();
            left.retain(|&term| self.is_kept(terms, &candidates, term, false, budget));
            if budget.is_spent() {
                return None;
            }
            if left.len() == candidates.len() {
                return Some(left);
            }
        }
    }

    fn is_kept(
        &mut self,
        terms: &mut Terms,
        candidates: &[TermId],
        term: TermId,
        first: bool,
        budget: &mut Budget,
    ) -> bool {
        budget.with_part(CHECK_PERCENT / 10, |budget| {
            self.counterexample(terms, candidates, &[term], first, budget) == Answer::Unsat
        })
    }
}
