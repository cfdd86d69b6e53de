//! Where tags that wait in delays are lost.
//!
//! How a tag travels on from a delay does not depend on the obligation that it came from, and
//! tags do not hinder each other. So it is found once for all obligations in which states a tag
//! in a delay may become visible: a step from there can lead it to a monitored variable, or into
//! a delay in a state in which it may. In all others it is lost for good. A tag that cannot
//! leave the step it starts in but so never becomes visible, and every search drops such tags.
//!
//! At first every state is thought to be dark. Whenever the solver finds a way out from a dark
//! state, what it remembers is added to the light, until there is no way out from the dark.

use provoke_base::IndexVec;
use provoke_model::{ExprId, System};
use provoke_sim::interpreter::delays;
use provoke_solve::engine::{Backend, Budget, Example, MergedTransition, Sweep};
use provoke_solve::{Limit, Reading, TermId, Terms};

use crate::facts::Facts;
use crate::generate::Options;
use crate::goal::Goals;
use crate::light::{Region, Telling};
use crate::parallel::each_in_parallel;

/// How many delays share a solver.
const GROUP: usize = 8;

/// For each delay the states in which a tag in it may become visible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Dark(IndexVec<ExprId, Region>);

impl Dark {
    /// Nothing is known to be lost.
    pub(crate) fn none(system: &System) -> Dark {
        Dark(IndexVec::repeat(Region::everywhere(), system.exprs.len()))
    }

    /// The states in which a tag in a delay may become visible.
    pub(crate) fn light(&self, delay: ExprId) -> &Region {
        &self.0[delay]
    }

    /// Says in which states a tag in a delay may become visible.
    pub(crate) fn set(&mut self, delay: ExprId, light: Region) {
        self.0[delay] = light;
    }

    /// The delays, and all else that is no delay and loses nothing.
    pub(crate) fn delays(&self) -> impl Iterator<Item = ExprId> {
        self.0.ids()
    }

    /// The delays in which a tag is lost whatever the state.
    pub(crate) fn everywhere(&self) -> IndexVec<ExprId, bool> {
        let mut dark = IndexVec::repeat(false, self.0.len());
        for delay in self.0.ids() {
            dark[delay] = self.0[delay] == Region::Nowhere;
        }
        dark
    }

    /// For how many delays something is known.
    pub(crate) fn facts(&self) -> usize {
        self.0.iter().filter(|light| **light != Region::everywhere()).count()
    }
}

/// Finds where tags are lost.
pub(crate) fn find(
    system: &System,
    telling: &Telling,
    means: (&Options, &Backend, &Facts, Limit),
    stop: &(dyn Fn() -> bool + Sync),
) -> Dark {
    let mut dark = Dark::none(system);
    let mut doubtful = delays(system);
    doubtful.iter().for_each(|delay| dark.0[*delay] = Region::Nowhere);
    loop {
        let groups: Vec<&[ExprId]> = doubtful.chunks(GROUP).collect();
        let found = each_in_parallel(means.0.jobs, &groups, |_, group| {
            lit(system, group, &dark, telling, means, stop)
        });
        let mut grown = false;
        for (delay, region) in doubtful.iter().zip(found.into_iter().flatten()) {
            grown |= region != dark.0[*delay];
            dark.0[*delay] = region;
        }
        if !grown {
            return dark;
        }
        doubtful.retain(|delay| dark.0[*delay] != Region::everywhere());
    }
}

/// Where tags in some delays have a way out, as far as known where they are lost; everywhere if
/// that cannot be found.
fn lit(
    system: &System,
    group: &[ExprId],
    dark: &Dark,
    telling: &Telling,
    (options, backend, facts, limit): (&Options, &Backend, &Facts, Limit),
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<Region> {
    if stop() {
        return vec![Region::everywhere(); group.len()];
    }
    let mut terms = Terms::new();
    let mut goals = Goals::new(system, options.masking, &options.oracle, &mut terms);
    goals.read(Reading::Possible);
    goals.avoid(dark);
    let ways_out: Vec<TermId> =
        group.iter().map(|delay| goals.comes_out(&mut terms, *delay)).collect();
    let memories: Vec<TermId> =
        telling.delays().map(|delay| goals.encoder().memory(&mut terms, delay)).collect();
    let part = goals.part(&mut terms, &ways_out);
    let lemmas = facts.about(&mut terms, &part);
    let part = MergedTransition::new(&mut terms, &part);
    let mut sweep = Sweep::new(&mut terms, &part, 0, &lemmas, backend);
    let mut explore = |delay: ExprId, way_out: TermId| {
        let mut region = dark.light(delay).clone();
        let mut budget = Budget::new(limit);
        while !stop() {
            let light = goals.lit(&mut terms, &region);
            let dark = terms.not(light);
            let surprise = terms.all(&[way_out, dark]);
            match sweep.example(&mut terms, surprise, &memories, &mut budget) {
                Example::Never => return region,
                Example::Here(values) if telling.add(&mut region, &values) => {}
                Example::Here(_) | Example::Unknown => break,
            }
        }
        Region::everywhere()
    };
    group.iter().zip(ways_out).map(|(delay, way_out)| explore(*delay, way_out)).collect()
}
