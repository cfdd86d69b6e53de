//! Short searches from states that simulation reached.
//!
//! Simulation gets far but cannot aim; a search aims but does not get far. So before whole tests
//! are searched for, an open obligation is tried a few steps from where its tag already waits,
//! and from states that are deep and were rarely tried. What is found depends on the states, so
//! it is not remembered: it is cheap, and a run that is resumed does it again.

use std::cmp::Reverse;

use provoke_base::Random;
use provoke_criteria::Obligation;
use provoke_model::System;
use provoke_solve::engine::{Backend, Bmc, Budget, GoalVerdict, without_copies};
use provoke_solve::{Limit, Start, Terms, UnrollPolicy};

use crate::attempt::{Attempt, TestSource, inputs};
use crate::explore::{StateExplorer, WaitingTag};
use crate::generate::StrategyOptions;
use crate::goal::Goals;
use crate::system_lemmas::SystemLemmas;

/// How many steps are searched from a state.
const STEPS: usize = 3;
/// From how many states an obligation is tried beside those in which its tag waits.
const OTHERS: usize = 4;
/// How many states take turns in being those.
const ROTATION: usize = 64;

/// States to start from, by their positions in the explorer.
pub(crate) struct Archive {
    places: Vec<usize>,
    /// From how many of them each obligation is tried.
    tried: usize,
}

impl Archive {
    /// Chooses among all states of an explorer: rarely tried and deep ones first.
    pub(crate) fn of_all(explorer: &StateExplorer<'_>) -> Archive {
        let places = explorer.places().enumerate();
        let mut order: Vec<_> = places
            .map(|(position, (state, visits))| (visits, Reverse(state.steps_done()), position))
            .collect();
        order.sort_unstable();
        let places: Vec<usize> =
            order.into_iter().map(|(_, _, position)| position).take(ROTATION).collect();
        Archive { tried: OTHERS.min(places.len()), places }
    }

    /// All of these are tried.
    pub(crate) fn of(places: Vec<usize>) -> Archive {
        Archive { tried: places.len(), places }
    }

    /// All of them.
    pub(crate) fn states(&self) -> impl Iterator<Item = usize> {
        self.places.iter().copied()
    }

    /// Whether there is no state to start from.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The states to try for an obligation; which of them depends on its number, so that all
    /// are tried.
    fn starts(&self, explorer: &StateExplorer<'_>, obligation: usize) -> Vec<WaitingTag> {
        let mut starts = explorer.waiting(obligation).to_vec();
        let from = obligation * self.tried;
        for turn in from..from + self.tried {
            let place = self.places[turn % self.places.len()];
            if starts.iter().all(|start| start.place != place) {
                starts.push(WaitingTag { place, slots: Vec::new() });
            }
        }
        starts
    }
}

/// Tries the obligation at a position of the list from a few states.
pub(crate) fn from_archive(
    system: &System,
    (position, obligation): (usize, &Obligation),
    options: &StrategyOptions,
    backend: &Backend,
    facts: &SystemLemmas,
    (explorer, archive): (&StateExplorer<'_>, &Archive),
    limit: Limit,
) -> Option<Attempt> {
    let mut terms = Terms::new();
    let mut goals = Goals::new(system, options.masking, &options.oracle, &mut terms);
    goals.end_tags_outside(&facts.observable);
    let question = goals.question(&mut terms, obligation);
    let (question, _) = without_copies(&mut terms, &question, &[]);
    let mut budget = Budget::new(limit);
    for WaitingTag { place, slots } in archive.starts(explorer, position) {
        let from = Start::At(goals.symbols_at(&mut terms, explorer.place(place), &slots));
        let solver = Box::new(backend.solver());
        let mut search = Bmc::new(&question, from, UnrollPolicy::Inline, solver);
        if let GoalVerdict::Reached(found) = search.search(&mut terms, STEPS, &mut budget) {
            let random = Random::for_part(options.seed, &obligation.id);
            let mut steps = explorer.way_to(place);
            let filled = (random, options.fill);
            steps.extend(inputs(system, &mut goals, &mut terms, &found.steps, filled));
            return Some(Attempt::test(steps, TestSource::Archive));
        }
    }
    None
}
