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
use provoke_solve::engine::{Backend, Bmc, Budget, Verdict, without_copies};
use provoke_solve::{Limit, Policy, Start, Terms};
use rustc_hash::FxHashMap;

use crate::attempt::{Attempt, Source, inputs};
use crate::explore::Explorer;
use crate::generate::Options;
use crate::goal::Goals;

/// How many steps are searched from a state.
const STEPS: usize = 3;
/// From how many states in which its tag waits an obligation is tried.
const WAITING: usize = 2;
/// From how many other states.
const OTHERS: usize = 4;
/// How many states take turns in being those.
const ROTATION: usize = 64;

/// States to start from, by their positions in the explorer.
pub(crate) struct Archive {
    /// Rarely tried and deep ones first.
    others: Vec<usize>,
    /// For each obligation, states in which its tag waits.
    waiting: FxHashMap<usize, Vec<usize>>,
}

impl Archive {
    /// Chooses among all states of an explorer.
    pub(crate) fn new(explorer: &Explorer<'_>) -> Archive {
        let places = explorer.places().enumerate();
        let key = |(position, (checkpoint, visits)): (usize, (&_, u32))| {
            let checkpoint: &provoke_criteria::Checkpoint = checkpoint;
            (visits, Reverse(checkpoint.state.steps_done()), position)
        };
        let mut order: Vec<_> = places.map(key).collect();
        order.sort_unstable();
        let mut others: Vec<usize> = order.into_iter().map(|(_, _, position)| position).collect();
        let mut waiting: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for &position in &others {
            for (_, obligations) in explorer.place(position).waiting() {
                for obligation in obligations {
                    let known = waiting.entry(*obligation).or_default();
                    if known.len() < WAITING && known.last() != Some(&position) {
                        known.push(position);
                    }
                }
            }
        }
        others.truncate(ROTATION);
        Archive { others, waiting }
    }

    /// Whether there is no state to start from.
    pub(crate) fn is_empty(&self) -> bool {
        self.others.is_empty()
    }

    /// The states to try for an obligation; which of the others depends on its number, so that
    /// all of them are tried.
    fn starts(&self, obligation: usize) -> Vec<usize> {
        let mut starts = self.waiting.get(&obligation).cloned().unwrap_or_default();
        let from = obligation * OTHERS;
        for turn in from..from + OTHERS.min(self.others.len()) {
            let position = self.others[turn % self.others.len()];
            if !starts.contains(&position) {
                starts.push(position);
            }
        }
        starts
    }
}

/// Tries the obligation at a position of the list from a few states.
pub(crate) fn from_archive(
    system: &System,
    (position, obligation): (usize, &Obligation),
    options: &Options,
    backend: &Backend,
    explorer: &Explorer<'_>,
    archive: &Archive,
    limit: Limit,
) -> Option<Attempt> {
    let mut terms = Terms::new();
    let mut goals = Goals::new(system, options.masking, &options.oracle, &mut terms);
    let question = goals.question(&mut terms, obligation);
    let (question, _) = without_copies(&mut terms, &question, &[]);
    let mut budget = Budget::new(limit);
    for start in archive.starts(position) {
        let place = explorer.place(start);
        let waits = place.waiting().filter(|(_, tags)| tags.contains(&position));
        let slots: Vec<usize> = waits.map(|(slot, _)| slot).collect();
        let from = Start::At(goals.symbols_at(&mut terms, &place.state, &slots));
        let solver = Box::new(backend.solver());
        let mut search = Bmc::new(&question, from, Policy::Inline, solver);
        if let Verdict::Reached(found) = search.search(&mut terms, STEPS, &mut budget) {
            let random = Random::for_part(options.seed, &obligation.id);
            let mut steps = explorer.way_to(start);
            steps.extend(inputs(&mut goals, &mut terms, &found.steps, random));
            return Some(Attempt::Test { steps, source: Source::Archive });
        }
    }
    None
}
