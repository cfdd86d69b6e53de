//! One look at short rows of steps for many goals.

use provoke_model::Value;

use super::backend::Backend;
use super::budget::Budget;
use super::later::later;
use super::merge::MergedTransition;
use super::solver_pair::SolverPair;
use super::verdict::ProofResult;
use crate::solver::{Limit, Solver, SolverAnswer};
use crate::term::{TermId, Terms};
use crate::unroll::{Start, UnrollPolicy, Unrolling};

/// Whether a goal can hold in a later step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Example {
    /// No.
    Never,
    /// Yes, with these values of the symbols that were asked for; those that do not matter or
    /// cannot be written down are left out.
    Here(Vec<(TermId, Value)>),
    /// The solver cannot tell.
    Unknown,
}

/// Into how many parts goals are divided that are not excluded together, as long as they are not few.
const PARTS: usize = 16;
const FEW: u64 = 16;

/// Asks about goals of one transition, one after the other. What the goals have in common is
/// told to the solver once, so a goal costs little more than its own terms.
pub struct Sweep<'t> {
    part: &'t MergedTransition,
    /// The first steps of a run, and a row of later ones; only the last of that is looked at.
    first: Unrolling<'t>,
    later: Unrolling<'t>,
    first_solver: SolverPair,
    later_solver: SolverPair,
    /// What holds in each of the first steps. A run may end in any of them, so a step is asked
    /// about with its own constraint and those before it, never with one that comes after.
    constraints: Vec<TermId>,
    last: usize,
    lemmas: Vec<TermId>,
}

impl<'t> Sweep<'t> {
    /// A look at steps with `before` steps before them. The lemmas hold in every later state and
    /// are, as the goals, over symbols of the transition before it was merged.
    pub fn new(
        terms: &mut Terms,
        part: &'t MergedTransition,
        before: usize,
        lemmas: &[TermId],
        backend: &Backend,
    ) -> Sweep<'t> {
        let transition = &part.transition;
        let lemmas = part.apply(terms, lemmas);
        let mut first = Unrolling::new(transition, Start::Initial, UnrollPolicy::Inline, "");
        let mut later = later(terms, transition, UnrollPolicy::Inline);
        let (mut first_solver, mut later_solver) = (backend.solver(), backend.solver());
        let constraints: Vec<TermId> =
            (0..=before).map(|step| first.constraint(terms, step)).collect();
        first_solver.assert(terms, constraints[0]);
        for step in 0..=before {
            let constraint = later.constraint(terms, step);
            later_solver.assert(terms, constraint);
            for &lemma in &lemmas {
                let lemma = later.at(terms, lemma, step);
                later_solver.assert(terms, lemma);
            }
        }
        let last = before;
        Sweep { part, first, later, first_solver, later_solver, constraints, last, lemmas }
    }

    /// A proof that `goal` holds in no step: not in the first ones, nor at the end of a row of
    /// later steps that the lemmas allow.
    pub fn exclude(
        &mut self,
        terms: &mut Terms,
        goal: TermId,
        budget: &mut Budget,
    ) -> Option<ProofResult> {
        let goal = self.part.apply(terms, &[goal])[0];
        self.exclude_merged(terms, goal, budget)
    }

    /// Goals in the terms of the merged transition: many of one decision are prepared together,
    /// since they share most of their terms.
    pub fn merged(&self, terms: &mut Terms, goals: &[TermId]) -> Vec<TermId> {
        self.part.apply(terms, goals)
    }

    /// The same as [`Sweep::exclude`] for a goal that [`Sweep::merged`] has prepared.
    pub fn exclude_merged(
        &mut self,
        terms: &mut Terms,
        goal: TermId,
        budget: &mut Budget,
    ) -> Option<ProofResult> {
        let here = self.later.at(terms, goal, self.last);
        let mut never = budget.check(&mut self.later_solver, terms, &[here]) == SolverAnswer::Unsat;
        for step in 0..=self.last {
            never = never && self.in_first(terms, goal, step, budget) == SolverAnswer::Unsat;
        }
        never.then(|| ProofResult {
            copies: self.part.equations(terms),
            ..ProofResult::by_windows(self.last, &self.lemmas)
        })
    }

    /// A proof for each of many goals, as [`Sweep::exclude_merged`] gives it, where they have much
    /// in common: one question excludes all of them or, if it does not, a few at a time do. Each goal
    /// gets as much as `limit` says, and what is asked of many as much as all of them; `stop` is
    /// asked before each question.
    pub fn exclude_all(
        &mut self,
        terms: &mut Terms,
        goals: &[TermId],
        limit: Limit,
        stop: &dyn Fn() -> bool,
    ) -> Vec<Option<ProofResult>> {
        if stop() {
            return vec![None; goals.len()];
        }
        let count = goals.len() as u64;
        let rlimit = limit.rlimit.map(|units| units.saturating_mul(count));
        let any = terms.any(goals);
        let proof = self.exclude_merged(terms, any, &mut Budget::new(Limit { rlimit, ..limit }));
        if proof.is_some() || count <= 1 {
            return vec![proof; goals.len()];
        }
        // Two such looks cost little beside one for each, and more of them would not.
        let part = if count > FEW { goals.len().div_ceil(PARTS) } else { 1 };
        goals.chunks(part).flat_map(|part| self.exclude_all(terms, part, limit, stop)).collect()
    }

    /// Whether `goal` can hold in one of the first steps.
    fn in_first(
        &mut self,
        terms: &mut Terms,
        goal: TermId,
        step: usize,
        budget: &mut Budget,
    ) -> SolverAnswer {
        let mut together = self.constraints[1..=step].to_vec();
        together.push(self.first.at(terms, goal, step));
        budget.check(&mut self.first_solver, terms, &together)
    }

    /// A later step in which `goal` holds, by what `symbols` are there.
    pub fn example(
        &mut self,
        terms: &mut Terms,
        goal: TermId,
        symbols: &[TermId],
        budget: &mut Budget,
    ) -> Example {
        let goal = self.part.apply(terms, &[goal])[0];
        let here = self.later.at(terms, goal, self.last);
        match budget.check(&mut self.later_solver, terms, &[here]) {
            SolverAnswer::Unsat => Example::Never,
            SolverAnswer::Unknown(_) => Example::Unknown,
            SolverAnswer::Sat => {
                let merged = self.part.apply(terms, symbols);
                let value = |(symbol, merged): (&TermId, TermId)| {
                    let here = self.later.at(terms, merged, self.last);
                    Some((*symbol, self.later_solver.value(terms, here)?))
                };
                Example::Here(symbols.iter().zip(merged).filter_map(value).collect())
            }
        }
    }
}
