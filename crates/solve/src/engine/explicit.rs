//! Explicit states: every choice of inputs in every state, breadth first. Where both are few
//! the answer is complete: a shortest run, or a proof whose invariant is the list of states.

use std::rc::Rc;

use provoke_model::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use super::bounds::{Bounds, beyond_bounds, conjuncts};
use super::budget::Budget;
use super::choices::{Choices, Doubt, Step};
use super::later::settled;
use super::verdict::{GoalVerdict, GoalWitness, ProofResult, RestsOn, UndecidedReason};
use crate::encode::literal;
use crate::interrupter::Interrupter;
use crate::solver::UnknownReason;
use crate::term::{TermId, Terms};
use crate::transition::Transition;
use crate::unroll::{Start, UnrollPolicy, Unrolling};

/// How much is enumerated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The choices of inputs in a step, and of undefined values before the first.
    pub choices: u64,
    /// The states.
    pub states: usize,
    /// The steps from all states together.
    pub steps: u64,
}

impl Extent {
    /// So little that it is done before a solver is asked.
    pub const TINY: Extent = Extent { choices: 256, states: 200, steps: 10_000 };
    /// As much as is done in seconds.
    pub const LARGE: Extent = Extent { choices: 4_096, states: 100_000, steps: 2_000_000 };
}

/// An invariant of more states than this is not written down.
const MAX_LISTED: usize = 4_096;
/// So many nodes are computed while a solver does one unit of work.
const NODES_PER_UNIT: u64 = 8;

/// Enumerates all runs, as far as `extent` and the budget go.
pub fn explicit(
    terms: &mut Terms,
    transition: &Transition,
    extent: Extent,
    interrupter: &Interrupter,
    budget: &mut Budget,
) -> GoalVerdict {
    let Some(starts) = starts(terms, transition, extent.choices) else {
        return unknown(UndecidedReason::NotEnumerable("too many undefined values"), 0);
    };
    let Some(choices) = Choices::new(terms, transition, extent.choices) else {
        return unknown(UndecidedReason::NotEnumerable("too many inputs"), 0);
    };
    let mut search = Search::new(choices, starts);
    match search.run(extent, interrupter, budget) {
        Ok(()) => GoalVerdict::Unreachable(search.proof(terms, transition)),
        Err(End::Reached(last)) => GoalVerdict::Reached(search.witness(transition, last)),
        Err(End::Unknown(why)) => unknown(why, search.depth),
    }
}

fn unknown(why: UndecidedReason, depth: usize) -> GoalVerdict {
    GoalVerdict::Unknown { why, depth }
}

type State = Rc<[Value]>;

/// The states before the first step. What has no value there and is looked at has each of its
/// type, or is left unknown where these have no bounds. `None` if they are more than `most`.
fn starts(terms: &mut Terms, transition: &Transition, most: u64) -> Option<Vec<State>> {
    let looked_at = looked_at_first(terms, transition);
    let bounds = Bounds::new(terms, &conjuncts(terms, transition.constraint));
    let mut starts: Vec<Vec<Value>> = vec![Vec::new()];
    for var in &transition.state {
        let values = match &var.initial {
            Some(value) => vec![value.clone()],
            None => match bounds.values(terms, var.symbol, most) {
                Some(values) if values.is_empty() || looked_at.contains(&var.symbol) => values,
                _ => vec![Value::Unknown],
            },
        };
        let longer = |start: Vec<Value>| {
            values.iter().map(move |value| [&start[..], std::slice::from_ref(value)].concat())
        };
        starts = starts.into_iter().flat_map(longer).collect();
        if starts.len() as u64 > most {
            return None;
        }
    }
    Some(starts.into_iter().map(State::from).collect())
}

/// The state variables whose value before the first step makes a difference, but for bounds.
fn looked_at_first(terms: &mut Terms, transition: &Transition) -> FxHashSet<TermId> {
    let mut first = Unrolling::new(transition, Start::Initial, UnrollPolicy::Inline, "");
    let mut roots = vec![first.goal(terms, 0)];
    let constraint = first.constraint(terms, 0);
    roots.extend(beyond_bounds(terms, constraint));
    for var in &transition.state {
        roots.push(first.at(terms, var.next, 0));
    }
    let used: FxHashSet<TermId> =
        terms.symbols_in(&roots).into_iter().map(|id| terms.symbol_term(id)).collect();
    let symbols = transition.state.iter().map(|var| var.symbol);
    symbols.filter(|symbol| used.contains(&first.at(terms, *symbol, 0))).collect()
}

/// Why a search ends before all states are known.
enum End {
    Reached(Move),
    Unknown(UndecidedReason),
}

/// A step from a state, by their numbers.
#[derive(Clone, Copy)]
struct Move {
    from: usize,
    choice: u64,
}

struct Search {
    choices: Choices,
    states: Vec<State>,
    numbers: FxHashMap<State, usize>,
    /// How each state was reached first; `None` before the first step.
    reached_by: Vec<Option<Move>>,
    /// Whether a step leads to it.
    is_later: Vec<bool>,
    starts: usize,
    /// In this many first steps the goal does not hold.
    depth: usize,
}

impl Search {
    fn new(choices: Choices, starts: Vec<State>) -> Search {
        let mut search = Search {
            choices,
            starts: starts.len(),
            numbers: FxHashMap::default(),
            reached_by: vec![None; starts.len()],
            is_later: vec![false; starts.len()],
            states: starts,
            depth: 0,
        };
        for (number, state) in search.states.iter().enumerate() {
            search.numbers.insert(state.clone(), number);
        }
        search
    }

    /// Goes on until there is no new state.
    fn run(
        &mut self,
        extent: Extent,
        interrupter: &Interrupter,
        budget: &mut Budget,
    ) -> Result<(), End> {
        let (mut from, mut level_end, mut steps) = (0, self.states.len(), 0);
        while from < self.states.len() {
            self.steps_from(from, &mut steps)?;
            from += 1;
            if from == level_end {
                (self.depth, level_end) = (self.depth + 1, self.states.len());
            }
            budget.spend(self.choices.take_work() / NODES_PER_UNIT);
            if self.states.len() > extent.states || steps > extent.steps {
                return Err(End::Unknown(UndecidedReason::NotEnumerable("too many states")));
            }
            if interrupter.is_interrupted() {
                return Err(End::Unknown(UndecidedReason::Solver(UnknownReason::Interrupted)));
            }
            if budget.is_spent() {
                return Err(End::Unknown(UndecidedReason::Solver(UnknownReason::Budget)));
            }
        }
        Ok(())
    }

    fn steps_from(&mut self, from: usize, steps: &mut u64) -> Result<(), End> {
        let Search { choices, states, numbers, reached_by, is_later, starts, .. } = self;
        let (state, mut reached) = (states[from].clone(), None);
        let told = choices.steps(&state, from < *starts, &mut |step: Step| {
            *steps += 1;
            let here = Move { from, choice: step.choice };
            if step.is_goal {
                reached = Some(here);
                return false;
            }
            let next = State::from(step.next);
            match numbers.get(&next) {
                Some(&known) => is_later[known] = true,
                None => {
                    numbers.insert(next.clone(), states.len());
                    states.push(next);
                    reached_by.push(Some(here));
                    is_later.push(true);
                }
            }
            true
        });
        match (told, reached) {
            (_, Some(last)) => Err(End::Reached(last)),
            (Err(Doubt), None) => {
                Err(End::Unknown(UndecidedReason::NotEnumerable("values without bounds matter")))
            }
            (Ok(()), None) => Ok(()),
        }
    }

    /// The states after a step, listed, if they are not many.
    fn proof(&self, terms: &mut Terms, transition: &Transition) -> ProofResult {
        let numbers = (0..self.states.len()).filter(|number| self.is_later[*number]);
        let later: Vec<&State> = numbers.map(|number| &self.states[number]).collect();
        let invariant = (later.len() <= MAX_LISTED).then(|| listed(terms, transition, &later));
        let rests_on = if invariant.is_some() { RestsOn::Nothing } else { RestsOn::States };
        let (lemmas, copies) = (Vec::new(), Vec::new());
        ProofResult { engine: "explicit", k: 0, invariant, lemmas, copies, rests_on }
    }

    fn witness(&mut self, transition: &Transition, last: Move) -> GoalWitness {
        let (mut steps, mut at) = (Vec::new(), Some(last));
        let mut start = last.from;
        while let Some(Move { from, choice }) = at {
            let first = self.reached_by[from].is_none();
            steps.push(self.choices.inputs(&self.states[from], first, choice));
            (start, at) = (from, self.reached_by[from]);
        }
        steps.reverse();
        let free = transition.state.iter().zip(self.states[start].iter());
        let free = free.filter(|(var, value)| var.initial.is_none() && value.is_known());
        let start = free.map(|(var, value)| (var.symbol, value.clone())).collect();
        GoalWitness { start, steps }
    }
}

/// That the state is one of these; what is the same in every later state anyway is left out.
fn listed(terms: &mut Terms, transition: &Transition, states: &[&State]) -> TermId {
    let settled = settled(terms, transition);
    let is_open = |symbol: TermId| !settled.iter().any(|(other, _)| *other == symbol);
    let memories = transition.state.iter().enumerate();
    let memories = memories.map(|(at, var)| (at, var.symbol)).filter(|(_, s)| is_open(*s));
    one_of(terms, &memories.collect::<Vec<_>>(), states)
}

/// That what is remembered is as in one of these states, by one memory after the other: states that go on
/// alike share what is said about the rest.
fn one_of(terms: &mut Terms, memories: &[(usize, TermId)], states: &[&State]) -> TermId {
    let Some((&(at, symbol), rest)) = memories.split_first() else {
        return terms.bool(!states.is_empty());
    };
    let mut by_value: Vec<(&Value, Vec<&State>)> = Vec::new();
    let mut positions: FxHashMap<&Value, usize> = FxHashMap::default();
    for state in states {
        let value = &state[at];
        let position = *positions.entry(value).or_insert(by_value.len());
        match by_value.get_mut(position) {
            Some((_, same)) => same.push(state),
            None => by_value.push((value, vec![state])),
        }
    }
    let mut any = Vec::with_capacity(by_value.len());
    for (value, same) in by_value {
        let others = one_of(terms, rest, &same);
        any.push(match literal(terms, value) {
            Some(value) => {
                let is = terms.eq(symbol, value);
                terms.all(&[is, others])
            }
            // It may be anything.
            None => others,
        });
    }
    terms.any(&any)
}
