//! Where tags that wait in delays are lost.
//!
//! How a tag travels on from a delay does not depend on the obligation that it came from, and
//! tags do not hinder each other. So it is found once for all obligations in which states a tag
//! in a delay may become visible: a step from there can lead it to a monitored variable, or into
//! a delay in a state in which it may. In all others it is lost for good. A tag that cannot
//! leave the step it starts in but so never becomes visible, and every search drops such tags.
//!
//! At first tags are thought to be lost in every state. Whenever the solver finds a way out from
//! such a state, what that remembers is added to the observable region, until there is no way out
//! from outside it.

use provoke_base::IndexVec;
use provoke_model::{ExprId, System};
use provoke_sim::interpreter::delays;
use provoke_solve::engine::{Backend, Budget, Example, MergedTransition, Sweep};
use provoke_solve::{Limit, Reading, TermId, Terms};

use crate::generate::StrategyOptions;
use crate::goal::Goals;
use crate::parallel::each_in_parallel;
use crate::state_regions::{DistinguishingDelays, Region};
use crate::system_lemmas::SystemLemmas;

/// How many delays share a solver.
const GROUP: usize = 8;

/// For each delay the states in which a tag in it may become visible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ObservableRegions(IndexVec<ExprId, Region>);

impl ObservableRegions {
    /// Nothing is known to be lost.
    pub(crate) fn none(system: &System) -> ObservableRegions {
        ObservableRegions(IndexVec::repeat(Region::everywhere(), system.exprs.len()))
    }

    /// The states in which a tag in a delay may become visible.
    pub(crate) fn region(&self, delay: ExprId) -> &Region {
        &self.0[delay]
    }

    /// Says in which states a tag in a delay may become visible.
    pub(crate) fn set(&mut self, delay: ExprId, region: Region) {
        self.0[delay] = region;
    }

    /// The delays, and all else that is no delay and loses nothing.
    pub(crate) fn delays(&self) -> impl Iterator<Item = ExprId> {
        self.0.ids()
    }

    /// The delays in which a tag is lost whatever the state.
    pub(crate) fn everywhere(&self) -> IndexVec<ExprId, bool> {
        let mut lost = IndexVec::repeat(false, self.0.len());
        for delay in self.0.ids() {
            lost[delay] = self.0[delay] == Region::Nowhere;
        }
        lost
    }

    /// For how many delays something is known.
    pub(crate) fn facts(&self) -> usize {
        self.0.iter().filter(|region| **region != Region::everywhere()).count()
    }
}

/// Finds where tags are lost.
pub(crate) fn find(
    system: &System,
    distinguishing: &DistinguishingDelays,
    means: (&StrategyOptions, &Backend, &SystemLemmas, Limit),
    stop: &(dyn Fn() -> bool + Sync),
) -> ObservableRegions {
    let mut observable = ObservableRegions::none(system);
    let mut doubtful = delays(system);
    doubtful.iter().for_each(|delay| observable.0[*delay] = Region::Nowhere);
    loop {
        let groups: Vec<&[ExprId]> = doubtful.chunks(GROUP).collect();
        let found = each_in_parallel(means.0.jobs, &groups, |_, group| {
            observable_regions(system, group, &observable, distinguishing, means, stop)
        });
        let mut grown = false;
        for (delay, region) in doubtful.iter().zip(found.into_iter().flatten()) {
            grown |= region != observable.0[*delay];
            observable.0[*delay] = region;
        }
        if !grown {
            return observable;
        }
        doubtful.retain(|delay| observable.0[*delay] != Region::everywhere());
    }
}

/// Where tags in some delays have a way out, as far as known where they are lost; everywhere if
/// that cannot be found.
fn observable_regions(
    system: &System,
    group: &[ExprId],
    observable: &ObservableRegions,
    distinguishing: &DistinguishingDelays,
    (options, backend, facts, limit): (&StrategyOptions, &Backend, &SystemLemmas, Limit),
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<Region> {
    if stop() {
        return vec![Region::everywhere(); group.len()];
    }
    let mut terms = Terms::new();
    let mut goals = Goals::new(system, options.masking, &options.oracle, &mut terms);
    goals.read(Reading::Possible);
    goals.end_tags_outside(observable);
    let ways_out: Vec<TermId> =
        group.iter().map(|delay| goals.comes_out(&mut terms, *delay)).collect();
    let memories: Vec<TermId> =
        distinguishing.delays().map(|delay| goals.encoder().memory(&mut terms, delay)).collect();
    let part = goals.part(&mut terms, &ways_out);
    let lemmas = facts.about(&mut terms, &part);
    let part = MergedTransition::new(&mut terms, &part);
    let mut sweep = Sweep::new(&mut terms, &part, 0, &lemmas, backend);
    let mut explore = |delay: ExprId, way_out: TermId| {
        let mut region = observable.region(delay).clone();
        let mut budget = Budget::new(limit);
        while !stop() {
            let inside = goals.in_region(&mut terms, &region);
            let outside = terms.not(inside);
            let surprise = terms.all(&[way_out, outside]);
            match sweep.example(&mut terms, surprise, &memories, &mut budget) {
                Example::Never => return region,
                Example::Here(values) if distinguishing.add(&mut region, &values) => {}
                Example::Here(_) | Example::Unknown => break,
            }
        }
        Region::everywhere()
    };
    group.iter().zip(ways_out).map(|(delay, way_out)| explore(*delay, way_out)).collect()
}
