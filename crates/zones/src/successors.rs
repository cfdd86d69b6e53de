//! The way from stored zone to stored zone, over the clocks that matter on either side.

use provoke_uppaal::machine::Computed;

use crate::active::{ActiveClocks, ClockStep, Follower};
use crate::bounds::BoundTable;
use crate::constraints::Alternatives;
use crate::dbm::{self, Constraint};
use crate::explorer::{Discrete, ZoneExplorer};

/// A set of states behind a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Successor {
    /// Which step, and which alternative of its guard.
    pub(crate) via: (u32, u32),
    pub(crate) target: Vec<i32>,
    /// Exactly where the step leads, with all delays.
    pub(crate) zone: Vec<i32>,
    /// The same without what no comparison can see.
    pub(crate) stored: Vec<i32>,
}

/// Successors in memory that is used again and again.
#[derive(Debug)]
pub(crate) struct Successors {
    list: Vec<Successor>,
    count: usize,
    from: ActiveClocks,
    to: ActiveClocks,
    follower: Follower,
    /// Memory for a guard.
    scratch: Vec<i32>,
}

impl Successors {
    /// None, of a network with so many clocks.
    pub(crate) fn new(clocks: usize) -> Successors {
        Successors {
            list: Vec::new(),
            count: 0,
            from: ActiveClocks::none(clocks),
            to: ActiveClocks::none(clocks),
            follower: Follower::default(),
            scratch: Vec::new(),
        }
    }

    pub(crate) fn all(&self) -> &[Successor] {
        &self.list[..self.count]
    }
}

impl ZoneExplorer<'_> {
    /// The sets of states behind all steps from a stored set, with their delays.
    pub(crate) fn successors(
        &mut self,
        discrete: &Discrete,
        zone: &[i32],
        table: &BoundTable,
        found: &mut Successors,
    ) -> Computed<()> {
        let processes = self.network.processes.len();
        table.activate(&discrete[..processes], &mut found.from);
        found.count = 0;
        let Successors { list, count, from, to, follower, scratch } = found;
        let from = &*from;
        let possible =
            |guard: &Alternatives| guard.iter().any(|g| is_possible(zone, from, g, scratch));
        self.steps(discrete, possible, |step| {
            table.activate(&step.target[..processes], to);
            for (alternative, guard) in step.guard.iter().enumerate() {
                if *count == list.len() {
                    list.push(Successor::default());
                }
                let next = &mut list[*count];
                let clocks = ClockStep {
                    guard,
                    resets: &step.resets,
                    invariant: &step.invariant,
                    delay: step.delay,
                };
                if follower.follow(zone, from, &clocks, to, &mut next.zone) {
                    next.via = (step.ordinal, alternative as u32);
                    next.target.clone_from(&step.target);
                    next.stored.clone_from(&next.zone);
                    dbm::extrapolate(&mut next.stored, to.n(), &to.bounds);
                    *count += 1;
                }
            }
            Ok(())
        })
    }

    /// A stored zone, or one on the way to be stored, as one of all clocks.
    pub(crate) fn widened(
        &self,
        discrete: &Discrete,
        zone: &[i32],
        table: &BoundTable,
    ) -> Vec<i32> {
        let mut found = Vec::new();
        self.active(discrete, table).widened(zone, &mut found);
        found
    }

    /// A zone of all clocks as it is stored.
    pub(crate) fn narrowed(
        &self,
        discrete: &Discrete,
        zone: &[i32],
        table: &BoundTable,
    ) -> Vec<i32> {
        let active = self.active(discrete, table);
        let mut found = active.narrowed(zone);
        dbm::extrapolate(&mut found, active.n(), &active.bounds);
        found
    }

    fn active(&self, discrete: &Discrete, table: &BoundTable) -> ActiveClocks {
        let mut active = ActiveClocks::none(self.network.clocks.len());
        let locations = &discrete[..self.network.processes.len()];
        table.activate(locations, &mut active);
        active
    }
}

/// Whether a zone meets constraints. Only several of them need a copy.
fn is_possible(
    zone: &[i32],
    active: &ActiveClocks,
    guard: &[Constraint],
    scratch: &mut Vec<i32>,
) -> bool {
    let n = active.n();
    let alone = |c: &Constraint| {
        let c = active.constraint(*c);
        dbm::add(zone[c.right as usize * n + c.left as usize], c.bound) >= dbm::ZERO
    };
    if !guard.iter().all(alone) || guard.len() <= 1 {
        return guard.iter().all(alone);
    }
    scratch.clear();
    scratch.extend_from_slice(zone);
    guard.iter().all(|c| dbm::constrain(scratch, n, active.constraint(*c)))
}
