//! From candidates to lemmas: what does not hold after a step is given up until the rest is
//! inductive (Flanagan and Leino's Houdini; equations are weakened as in Karr's analysis).

use std::rc::Rc;

use provoke_model::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use super::affine::Affine;
use super::backend::Backend;
use super::budget::Budget;
use super::candidates::Candidates;
use super::later::LaterCheck;
use super::lemmas::Lemmas;
use super::merge::MergedTransition;
use super::samples::StateSamples;
use super::walk::Walk;
use crate::solver::{SolverAnswer, UnknownReason};
use crate::term::{TermId, Terms};
use crate::transition::Transition;

/// What fraction of the budget all candidates get together, and then each kind alone.
const TOGETHER_PERCENT: u32 = 80;
const ALONE_PERCENT: u32 = 40;
/// What fraction one check gets, at first and when it was too much.
const CHECK_PERCENT: u32 = 30;
const RETRY_PERCENT: u32 = 3;
/// How many claims one check looks at, at most.
const GROUP: usize = 64;

/// The largest part of what `samples` suggest that is inductive: it holds after the first step
/// and every later step keeps it, under the constraint of `transition`, which is the whole
/// system, so that all its goals can use the lemmas.
pub fn learn(
    terms: &mut Terms,
    transition: &Transition,
    samples: &StateSamples,
    backend: &Backend,
    budget: &mut Budget,
) -> Lemmas {
    let merged = MergedTransition::new(terms, transition);
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
    Houdini { check, pool, walk: None }.run(terms, budget).unwrap_or_default()
}

fn strongest(
    terms: &mut Terms,
    transition: &Transition,
    samples: &StateSamples,
    backend: &Backend,
    budget: &mut Budget,
) -> Vec<TermId> {
    let Candidates { single, affine, pairs, guarded, guarded_affine } =
        Candidates::new(terms, transition, samples, &|| {
            budget.is_spent() || backend.interrupter.is_interrupted()
        });
    let open = [single.clone(), pairs.clone(), guarded.clone()].concat();
    let hulls = [affine.clone(), guarded_affine.clone()].concat();
    let together = Pool { proven: Vec::new(), open, affine: hulls };
    let mut run = |terms: &mut Terms, pool: Pool, percent| {
        budget.with_part(percent, |budget| {
            let check = LaterCheck::new(terms, transition, backend);
            let claims = pool.candidates(terms);
            let walk = Some(Walk::new(terms, transition, &claims));
            Houdini { check, pool, walk }.run(terms, budget)
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

impl Pool {
    fn candidates(&self, terms: &mut Terms) -> Vec<TermId> {
        let mut candidates = self.open.clone();
        for hull in &self.affine {
            candidates.extend(hull.equations(terms));
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates
    }

    /// Gives up what does not hold in a state; whether anything was.
    fn weaken(&mut self, mut value: impl FnMut(TermId) -> Option<Value>) -> bool {
        let before = self.open.len();
        self.open.retain(|term| value(*term) != Some(Value::Bool(false)));
        let mut changed = self.open.len() < before;
        for hull in &mut self.affine {
            if hull.guard().is_some_and(|guard| value(guard) != Some(Value::Bool(true))) {
                continue;
            }
            let symbols = hull.symbols().to_vec();
            let row: Option<Vec<_>> = symbols.into_iter().map(&mut value).collect();
            changed |= row.is_some_and(|row| hull.add(&row));
        }
        changed
    }

    /// Gives up claims, whatever state refutes them.
    fn drop(&mut self, terms: &mut Terms, claims: &[TermId]) {
        self.open.retain(|term| !claims.contains(term));
        self.affine.retain(|hull| !hull.equations(terms).iter().any(|term| claims.contains(term)));
    }
}

/// Claims that the rest of the pool keeps true, each with those of the pool that this takes.
type Kept = FxHashMap<TermId, Rc<[TermId]>>;

struct Houdini<'t> {
    check: LaterCheck<'t>,
    pool: Pool,
    /// Tries out what follows a state that refutes something; `None` where that costs more than
    /// it brings.
    walk: Option<Walk>,
}

impl Houdini<'_> {
    /// What is inductive together with what was proven before; `None` if the budget is spent.
    fn run(mut self, terms: &mut Terms, budget: &mut Budget) -> Option<Vec<TermId>> {
        self.settle(terms, true, budget)?;
        self.settle(terms, false, budget)?;
        Some(self.pool.candidates(terms))
    }

    /// Gives up claims until the first step, or every later one, leads to a state in which all
    /// of the rest hold. A claim is looked at again only if what kept it true was given up.
    fn settle(&mut self, terms: &mut Terms, first: bool, budget: &mut Budget) -> Option<()> {
        let mut kept = Kept::default();
        let mut size = GROUP;
        loop {
            let candidates = self.pool.candidates(terms);
            let open = candidates.iter().filter(|claim| !kept.contains_key(claim));
            let group: Vec<TermId> = open.copied().take(size).collect();
            if group.is_empty() {
                return Some(());
            }
            let percent = if size == GROUP { CHECK_PERCENT } else { RETRY_PERCENT };
            let answer = budget.with_part(percent, |budget| {
                self.counterexample(terms, &candidates, &group, first, budget)
            });
            match answer {
                SolverAnswer::Unsat => {
                    let reason: Rc<[TermId]> = match first {
                        true => Rc::new([]),
                        false => self.check.core_of_later(terms, &candidates).into(),
                    };
                    kept.extend(group.into_iter().map(|claim| (claim, reason.clone())));
                    size = (size * 2).min(GROUP);
                    continue;
                }
                SolverAnswer::Sat => self.weaken(terms, &group, first),
                SolverAnswer::Unknown(UnknownReason::Interrupted) => return None,
                SolverAnswer::Unknown(_) if budget.is_spent() => return None,
                SolverAnswer::Unknown(_) if group.len() > 1 => {
                    size = group.len() / 4 + 1;
                    continue;
                }
                SolverAnswer::Unknown(_) => self.pool.drop(terms, &group),
            }
            let left: FxHashSet<TermId> = self.pool.candidates(terms).into_iter().collect();
            kept.retain(|_, reason| reason.iter().all(|term| left.contains(term)));
        }
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
    ) -> SolverAnswer {
        let all = terms.all(claims);
        let wrong = terms.not(all);
        if first {
            return self.check.after_first(terms, wrong, budget);
        }
        let before = [&self.pool.proven, candidates].concat();
        self.check.after_later(terms, &before, wrong, budget)
    }

    /// Gives up what does not hold in the state just found, nor in states that follow it: what
    /// is left holds in the state, so a step from there must keep it as any other.
    fn weaken(&mut self, terms: &mut Terms, group: &[TermId], first: bool) {
        let check = &mut self.check;
        if !self.pool.weaken(|term| check.value_after(terms, term, first)) {
            // The solution has values that cannot be written down; whatever failed is among
            // these.
            return self.pool.drop(terms, group);
        }
        if let Some(walk) = &mut self.walk {
            let state = walk.state().iter().map(|symbol| check.value_after(terms, *symbol, first));
            if let Some(state) = state.collect() {
                walk.from(state, |value| {
                    self.pool.weaken(value);
                });
            }
        }
    }
}
