//! Proofs by k-induction: no run begins with the goal, and none comes to it after `k` steps
//! without.

use super::backend::Backend;
use super::bmc::Bmc;
use super::budget::Budget;
use super::later::{later, settled};
use super::solver_pair::SolverPair;
use super::verdict::{GoalVerdict, ProofResult, RestsOn, UndecidedReason};
use crate::solver::{Solver, SolverAnswer};
use crate::term::{TermId, Terms};
use crate::transition::Transition;
use crate::unroll::{Start, UnrollPolicy, Unrolling};

/// How k-induction goes about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Induction {
    /// The largest `k`; zero looks at single steps only.
    pub max_k: usize,
    /// Whether the states of a window must differ, which makes it complete for finite systems.
    pub simple_path: bool,
    /// How windows are expressed.
    pub policy: UnrollPolicy,
}

impl Default for Induction {
    fn default() -> Induction {
        Induction { max_k: 8, simple_path: true, policy: UnrollPolicy::Inline }
    }
}

/// Tries growing `k`. The lemmas hold in every later state and are over symbols of the
/// transition.
pub fn k_induction(
    terms: &mut Terms,
    transition: &Transition,
    lemmas: &[TermId],
    options: Induction,
    backend: &Backend,
    budget: &mut Budget,
) -> GoalVerdict {
    let solver = Box::new(backend.solver());
    let mut base = Bmc::new(transition, Start::Initial, options.policy, solver);
    induct(terms, transition, lemmas, options, backend, &mut base, budget)
}

/// k-induction on top of a search from the initial state that may have begun.
pub(super) fn induct(
    terms: &mut Terms,
    transition: &Transition,
    lemmas: &[TermId],
    options: Induction,
    backend: &Backend,
    base: &mut Bmc,
    budget: &mut Budget,
) -> GoalVerdict {
    let mut windows = Windows::new(terms, transition, lemmas, options, backend.solver());
    for k in 0..=options.max_k {
        // A goal first met in step n > k ends a window of k + 1 later steps, n - k and on: so
        // the steps 0 to k are left to the base.
        match base.search(terms, k + 1, budget) {
            GoalVerdict::Unknown { why: UndecidedReason::Depth, .. } => {}
            decided => return decided,
        }
        match windows.extend(terms, budget) {
            SolverAnswer::Unsat => {
                let is_plain = !windows.is_restricted()
                    || plain(terms, transition, lemmas, options, k, backend, budget);
                let rests_on = if is_plain { RestsOn::Nothing } else { RestsOn::DistinctStates };
                return GoalVerdict::Unreachable(ProofResult {
                    rests_on,
                    ..ProofResult::by_windows(k, lemmas)
                });
            }
            SolverAnswer::Sat => {}
            SolverAnswer::Unknown(reason) => return base.unknown(UndecidedReason::Solver(reason)),
        }
    }
    base.unknown(UndecidedReason::NotInductive)
}

/// Whether windows of `k` later steps exclude the goal even if a state may come twice: whoever
/// checks the proof need not know why it may not.
fn plain(
    terms: &mut Terms,
    transition: &Transition,
    lemmas: &[TermId],
    options: Induction,
    k: usize,
    backend: &Backend,
    budget: &mut Budget,
) -> bool {
    let options = Induction { simple_path: false, ..options };
    let mut windows = Windows::new(terms, transition, lemmas, options, backend.solver());
    (0..k).for_each(|_| {
        windows.add(terms);
    });
    windows.extend(terms, budget) == SolverAnswer::Unsat
}

/// Growing rows of later steps of which only the last reaches the goal.
struct Windows<'t> {
    unrolling: Unrolling<'t>,
    solver: SolverPair,
    lemmas: Vec<TermId>,
    /// What two states differ in when they differ; empty where they need not.
    distinguishing: Vec<TermId>,
    length: usize,
    equations: usize,
}

impl<'t> Windows<'t> {
    fn new(
        terms: &Terms,
        transition: &'t Transition,
        lemmas: &[TermId],
        options: Induction,
        solver: SolverPair,
    ) -> Windows<'t> {
        let settled = settled(terms, transition);
        let moving = |symbol: &TermId| settled.iter().all(|(other, _)| other != symbol);
        let state = transition.state.iter().map(|var| var.symbol);
        Windows {
            unrolling: later(terms, transition, options.policy),
            solver,
            lemmas: lemmas.to_vec(),
            distinguishing: state.filter(|s| options.simple_path && moving(s)).collect(),
            length: 0,
            equations: 0,
        }
    }

    /// Whether windows in which a state comes twice are left out.
    fn is_restricted(&self) -> bool {
        self.length > 1 && !self.distinguishing.is_empty()
    }

    /// Adds a step and asks whether there is such a window.
    fn extend(&mut self, terms: &mut Terms, budget: &mut Budget) -> SolverAnswer {
        let goal = self.add(terms);
        budget.check(&mut self.solver, terms, &[goal])
    }

    /// Adds a step; the goal there.
    fn add(&mut self, terms: &mut Terms) -> TermId {
        let step = self.length;
        if step > 0 {
            let before = self.unrolling.goal(terms, step - 1);
            let without = terms.not(before);
            self.solver.assert(terms, without);
            self.assert_simple(terms, step);
        }
        let constraint = self.unrolling.constraint(terms, step);
        self.solver.assert(terms, constraint);
        for &lemma in &self.lemmas {
            let lemma = self.unrolling.at(terms, lemma, step);
            self.solver.assert(terms, lemma);
        }
        let goal = self.unrolling.goal(terms, step);
        let equations = self.unrolling.equations(terms, step)[self.equations..].to_vec();
        self.equations += equations.len();
        equations.into_iter().for_each(|equation| self.solver.assert(terms, equation));
        self.length += 1;
        goal
    }

    /// The state before `step` is none of those before. A shortest run to the goal visits no
    /// state twice, so it is enough to exclude the others.
    fn assert_simple(&mut self, terms: &mut Terms, step: usize) {
        if self.distinguishing.is_empty() {
            return;
        }
        for earlier in 0..step {
            let mut differences = Vec::with_capacity(self.distinguishing.len());
            for &symbol in &self.distinguishing {
                let before = self.unrolling.at(terms, symbol, earlier);
                let now = self.unrolling.at(terms, symbol, step);
                differences.push(terms.ne(before, now));
            }
            let differ = terms.any(&differences);
            self.solver.assert(terms, differ);
        }
    }
}
