//! Deep runs by repetition: a few steps that move a number towards where a comparison of the
//! goal changes, and change nothing else, are done again and again.

use provoke_model::{BinaryOp, Value};

use super::backend::Backend;
use super::bmc::bmc;
use super::budget::Budget;
use super::evaluator::Evaluator;
use super::solver_pair::SolverPair;
use super::verdict::{GoalVerdict, GoalWitness};
use crate::solver::{Solver, SolverAnswer};
use crate::term::{Sort, Term, TermId, Terms};
use crate::transition::Transition;
use crate::unroll::{Start, UnrollPolicy, Unrolling};

/// How many steps lead to the end of the first round, at most.
const MAX_LASSO: usize = 7;
/// Longer runs are no tests.
const MAX_STEPS: usize = 70_000;
/// How many steps may follow the rounds.
const LAST_STEPS: usize = 2;
/// How many comparisons of the goal are tried.
const MAX_ATOMS: usize = 4;

/// Looks for a run that repeats a few of its steps and then reaches the goal.
pub(super) fn accelerate(
    terms: &mut Terms,
    transition: &Transition,
    backend: &Backend,
    budget: &mut Budget,
) -> Option<GoalWitness> {
    for atom in comparisons(terms, transition.goal) {
        for others in [Others::Same, Others::NotLess, Others::SameTruth] {
            let mut lassos = Lassos::new(terms, transition, atom, others, backend);
            for (begin, end) in rounds() {
                let Some(lasso) = lassos.find(terms, begin, end, budget) else { continue };
                let witness = repeat(terms, transition, &lasso, backend, budget);
                if witness.is_some() {
                    return witness;
                }
            }
        }
    }
    None
}

/// Where a round may begin and end, short runs first.
fn rounds() -> impl Iterator<Item = (usize, usize)> {
    (2..=MAX_LASSO).flat_map(|end| (1..end).rev().map(move |begin| (begin, end)))
}

/// The comparisons of numbers in the logical part of a term.
fn comparisons(terms: &Terms, goal: TermId) -> Vec<TermId> {
    let logical = terms.reachable(&[goal], |id| terms.sort(id) != Sort::Bool);
    let compares =
        |id: &TermId| matches!(terms.get(*id), Term::Binary(BinaryOp::Lt | BinaryOp::Le, ..));
    logical.into_iter().rev().filter(compares).take(MAX_ATOMS).collect()
}

/// What may happen in a round to the state that is not compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Others {
    Same,
    /// Numbers may also grow: more tokens enable no less.
    NotLess,
    /// Numbers may change in any way; whether the round goes on will be seen.
    SameTruth,
}

/// Runs whose last steps are a round.
struct Lassos<'t> {
    transition: &'t Transition,
    unrolling: Unrolling<'t>,
    solver: SolverPair,
    /// What holds in each step; only that of the steps that a run has is asked for.
    constraints: Vec<TermId>,
    atom: TermId,
    others: Others,
}

/// Inputs up to a round and in it, and the comparison that it moves.
struct Lasso {
    start: Vec<(TermId, Value)>,
    stem: Vec<Vec<(TermId, Value)>>,
    round: Vec<Vec<(TermId, Value)>>,
    atom: TermId,
}

impl<'t> Lassos<'t> {
    fn new(
        terms: &mut Terms,
        transition: &'t Transition,
        atom: TermId,
        others: Others,
        backend: &Backend,
    ) -> Lassos<'t> {
        let mut unrolling = Unrolling::new(transition, Start::Initial, UnrollPolicy::Inline, "");
        let constraints = (0..=MAX_LASSO).map(|step| unrolling.constraint(terms, step)).collect();
        Lassos { transition, unrolling, solver: backend.solver(), constraints, atom, others }
    }

    fn find(
        &mut self,
        terms: &mut Terms,
        begin: usize,
        end: usize,
        budget: &mut Budget,
    ) -> Option<Lasso> {
        let mut round = self.round(terms, begin, end);
        // The step at the end is the first of the next round.
        round.extend(&self.constraints[..=end]);
        match budget.check(&mut self.solver, terms, &round) {
            SolverAnswer::Sat => self.read(terms, begin, end),
            SolverAnswer::Unsat | SolverAnswer::Unknown(_) => None,
        }
    }

    /// From `begin` to `end` the comparison comes nearer to its change.
    fn round(&mut self, terms: &mut Terms, begin: usize, end: usize) -> Vec<TermId> {
        let Term::Binary(_, a, b) = *terms.get(self.atom) else { unreachable!("a comparison") };
        let distance = terms.sub(a, b);
        let holds = self.unrolling.at(terms, self.atom, begin);
        let [before, after] = [begin, end].map(|step| self.unrolling.at(terms, distance, step));
        let (grows, shrinks) = (terms.lt(before, after), terms.lt(after, before));
        let mut all = vec![terms.ite(holds, grows, shrinks)];
        for &input in &self.transition.inputs {
            let [x, y] = [begin, end].map(|step| self.unrolling.at(terms, input, step));
            all.push(terms.eq(x, y));
        }
        for var in &self.transition.state {
            if self.is_compared(terms, var.symbol) || self.is_compared(terms, var.next) {
                continue;
            }
            let [x, y] = [begin, end].map(|step| self.unrolling.at(terms, var.symbol, step));
            match self.others {
                Others::NotLess if terms.sort(x) != Sort::Bool => all.push(terms.le(x, y)),
                Others::SameTruth if terms.sort(x) != Sort::Bool => {}
                _ => all.push(terms.eq(x, y)),
            }
        }
        all
    }

    /// Whether a term is a summand of the comparison, or may be.
    fn is_compared(&self, terms: &Terms, term: TermId) -> bool {
        use BinaryOp::{Add, Le, Lt, Mul, Sub};
        let mut open = vec![self.atom];
        while let Some(id) = open.pop() {
            if id == term {
                return true;
            }
            match *terms.get(id) {
                Term::Binary(Add | Sub | Mul | Lt | Le, a, b) | Term::Ite(_, a, b) => {
                    open.extend([a, b]);
                }
                _ => {}
            }
        }
        false
    }

    fn read(&mut self, terms: &mut Terms, begin: usize, end: usize) -> Option<Lasso> {
        let state: Vec<_> = self.transition.state.iter().map(|var| var.symbol).collect();
        let start = self.values(terms, &state, 0)?;
        let inputs = self.transition.inputs.clone();
        let steps: Option<Vec<_>> =
            (0..end).map(|step| self.values(terms, &inputs, step)).collect();
        let mut stem = steps?;
        let round = stem.split_off(begin);
        Some(Lasso { start, stem, round, atom: self.atom })
    }

    fn values(
        &mut self,
        terms: &mut Terms,
        symbols: &[TermId],
        step: usize,
    ) -> Option<Vec<(TermId, Value)>> {
        let mut value = |symbol: &TermId| {
            let here = self.unrolling.at(terms, *symbol, step);
            Some((*symbol, self.solver.value(terms, here)?))
        };
        symbols.iter().map(&mut value).collect()
    }
}

/// Repeats the round until the comparison changes, and searches from there.
fn repeat(
    terms: &mut Terms,
    transition: &Transition,
    lasso: &Lasso,
    backend: &Backend,
    budget: &mut Budget,
) -> Option<GoalWitness> {
    let mut evaluator = Evaluator::new(terms, transition, &[lasso.atom]);
    lasso.start.iter().for_each(|(symbol, value)| evaluator.set(*symbol, value.clone()));
    let mut steps: Vec<Vec<(TermId, Value)>> = Vec::new();
    let mut original = None;
    let rounds = lasso.round.iter().cycle().take(MAX_STEPS);
    for inputs in lasso.stem.iter().chain(rounds) {
        inputs.iter().for_each(|(symbol, value)| evaluator.set(*symbol, value.clone()));
        evaluator.compute();
        let holds = evaluator.value(lasso.atom).clone();
        if steps.len() == lasso.stem.len() {
            original = Some(holds.clone());
        }
        if original.as_ref().is_some_and(|original| *original != holds) {
            return finish(terms, transition, &evaluator, lasso, steps, backend, budget);
        }
        if *evaluator.value(transition.constraint) != Value::Bool(true) {
            return None;
        }
        evaluator.advance();
        steps.push(inputs.clone());
    }
    None
}

fn finish(
    terms: &mut Terms,
    transition: &Transition,
    evaluator: &Evaluator,
    lasso: &Lasso,
    mut steps: Vec<Vec<(TermId, Value)>>,
    backend: &Backend,
    budget: &mut Budget,
) -> Option<GoalWitness> {
    let here = |var: &crate::StateVar| (var.symbol, evaluator.value(var.symbol).clone());
    let start = Start::At(transition.state.iter().map(here).collect());
    let solver = Box::new(backend.solver());
    let found = bmc(terms, transition, start, UnrollPolicy::Inline, solver, LAST_STEPS, budget);
    let GoalVerdict::Reached(end) = found else { return None };
    steps.extend(end.steps);
    Some(GoalWitness { start: lasso.start.clone(), steps })
}
