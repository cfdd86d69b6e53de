//! Bounded search: the shortest run from a start to the goal.

use provoke_model::Value;
use rustc_hash::FxHashSet;

use super::budget::Budget;
use super::verdict::{GoalVerdict, GoalWitness, UndecidedReason};
use crate::solver::{Solver, SolverAnswer, UnknownReason};
use crate::term::{SymbolId, Term, TermId, Terms};
use crate::transition::Transition;
use crate::unroll::{Start, UnrollPolicy, Unrolling};

/// Searches at most `depth` steps from `start`, the fewest first. `solver` is new.
pub fn bmc(
    terms: &mut Terms,
    transition: &Transition,
    start: Start,
    policy: UnrollPolicy,
    solver: Box<dyn Solver>,
    depth: usize,
    budget: &mut Budget,
) -> GoalVerdict {
    Bmc::new(transition, start, policy, solver).search(terms, depth, budget)
}

/// A bounded search that can be continued.
pub struct Bmc<'t> {
    transition: &'t Transition,
    unrolling: Unrolling<'t>,
    solver: Box<dyn Solver>,
    /// What the solver was told: constraints and equations.
    asserted: Vec<TermId>,
    equations: usize,
    /// The steps whose constraint was asserted.
    constrained: usize,
    clear: usize,
    /// Whether a step computes numbers that no run has: from there on nothing is asked, since solvers
    /// would compute them whatever their limit is.
    outgrown: bool,
}

impl<'t> Bmc<'t> {
    /// A search that has not begun, with a solver of its own.
    pub fn new(
        transition: &'t Transition,
        start: Start,
        policy: UnrollPolicy,
        solver: Box<dyn Solver>,
    ) -> Bmc<'t> {
        let unrolling = Unrolling::new(transition, start, policy, "");
        let asserted = Vec::new();
        let (equations, constrained, clear, outgrown) = (0, 0, 0, false);
        Bmc { transition, unrolling, solver, asserted, equations, constrained, clear, outgrown }
    }

    /// The same search, with these inputs given in the first steps; others are still chosen.
    pub fn with_inputs(mut self, given: Vec<Vec<(TermId, Value)>>) -> Bmc<'t> {
        self.unrolling = self.unrolling.with_inputs(given);
        self
    }

    /// In this many first steps the goal cannot hold.
    pub fn clear(&self) -> usize {
        self.clear
    }

    /// Continues until the first `depth` steps are searched.
    pub fn search(&mut self, terms: &mut Terms, depth: usize, budget: &mut Budget) -> GoalVerdict {
        while self.clear < depth {
            match self.check(terms, self.transition.goal, self.clear, budget) {
                SolverAnswer::Unsat => self.clear += 1,
                SolverAnswer::Sat => return self.reached(terms),
                SolverAnswer::Unknown(reason) => {
                    return self.unknown(UndecidedReason::Solver(reason));
                }
            }
        }
        self.unknown(UndecidedReason::Depth)
    }

    /// No verdict yet.
    pub fn unknown(&self, why: UndecidedReason) -> GoalVerdict {
        GoalVerdict::Unknown { why, depth: self.clear }
    }

    /// Whether `goal`, a term over the transition's symbols, can hold in a step. A run may end
    /// there, so no step before one that was asked about can be asked about any more: the
    /// solver knows what holds in the later one.
    pub fn check(
        &mut self,
        terms: &mut Terms,
        goal: TermId,
        step: usize,
        budget: &mut Budget,
    ) -> SolverAnswer {
        assert!(self.constrained <= step + 1, "a step before one that was asked about");
        let outgrown = terms.outgrown;
        while self.constrained <= step {
            let constraint = self.unrolling.constraint(terms, self.constrained);
            self.assert(terms, constraint);
            self.constrained += 1;
        }
        let goal = self.unrolling.at(terms, goal, step);
        let equations = self.unrolling.equations(terms, step)[self.equations..].to_vec();
        self.outgrown |= terms.outgrown > outgrown;
        if self.outgrown {
            return SolverAnswer::Unknown(UnknownReason::Incomplete(
                "numbers grow without bounds".into(),
            ));
        }
        self.equations += equations.len();
        equations.into_iter().for_each(|equation| self.assert(terms, equation));
        if terms.is_bool(goal, false) {
            return SolverAnswer::Unsat;
        }
        budget.check(&mut *self.solver, terms, &[goal])
    }

    fn assert(&mut self, terms: &Terms, term: TermId) {
        if !terms.is_bool(term, true) {
            self.solver.assert(terms, term);
            self.asserted.push(term);
        }
    }

    fn reached(&mut self, terms: &mut Terms) -> GoalVerdict {
        match self.witness(terms, self.transition.goal, self.clear) {
            Some(witness) => GoalVerdict::Reached(witness),
            None => {
                let reason =
                    UnknownReason::Incomplete("a value of the solution is irrational".into());
                self.unknown(UndecidedReason::Solver(reason))
            }
        }
    }

    /// The run to `goal` in a step that the last [`Bmc::check`] found; `None` if a value cannot
    /// be written down. Inputs that were given are left out.
    pub fn witness(&mut self, terms: &mut Terms, goal: TermId, step: usize) -> Option<GoalWitness> {
        let mut roots = self.asserted.clone();
        roots.push(self.unrolling.at(terms, goal, step));
        let relevant: FxHashSet<SymbolId> = terms.symbols_in(&roots).into_iter().collect();
        let state: Vec<_> = self.transition.state.iter().map(|var| var.symbol).collect();
        let start = self.values(terms, &relevant, &state, 0)?;
        let inputs = &self.transition.inputs;
        let chosen = |step| self.values(terms, &relevant, inputs, step);
        Some(GoalWitness { start, steps: (0..=step).map(chosen).collect::<Option<_>>()? })
    }

    fn values(
        &mut self,
        terms: &mut Terms,
        relevant: &FxHashSet<SymbolId>,
        symbols: &[TermId],
        step: usize,
    ) -> Option<Vec<(TermId, Value)>> {
        let mut values = Vec::new();
        for &symbol in symbols {
            let here = self.unrolling.at(terms, symbol, step);
            if matches!(terms.get(here), Term::Symbol(id) if relevant.contains(id)) {
                values.push((symbol, self.solver.value(terms, here)?));
            }
        }
        Some(values)
    }
}
