//! Where a network can be behind inputs and outputs: sets of states, as zones.
//!
//! A tester that looks at a moment sees what was due by then: states that have to move on at once
//! are not seen. So a location that must be left at 5100 is not seen behind a wait of 5100, although
//! a run may be in it at that very instant.

use std::collections::BTreeMap;

use provoke_uppaal::Network;
use provoke_uppaal::machine::{Computed, NetworkFault};
use provoke_uppaal::moves::Part;
use provoke_uppaal::network::{Condition, Urgency};
use provoke_zones::dbm::{self, Constraint};
use provoke_zones::explorer::{ZoneExplorer, follow};
use rustc_hash::FxHashMap;

use crate::tester::automaton::{edge, opened, place, process};
use crate::tester::interface::{Act, What};
use crate::tester::uses::Uses;

/// States with the same locations and variables.
#[derive(Clone, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub(crate) struct Set {
    /// Locations, then variables.
    pub(crate) discrete: Vec<i32>,
    /// What clocks may be.
    pub(crate) zone: Vec<i32>,
}

/// More sets behind one input are refused.
const MAX_SETS: usize = 20_000;

/// A network with a tester that may send anything at any time.
pub(crate) struct Arena {
    network: Network,
    /// The edges of the tester by channel.
    sends: BTreeMap<u32, u32>,
}

impl Arena {
    /// The arena of a network, for tests that use these channels.
    pub(crate) fn new(network: &Network, inputs: impl Iterator<Item = u32>) -> Arena {
        let inputs: Vec<u32> = inputs.collect();
        let (mut opened, _) = opened(network, inputs.iter().copied());
        let mut sends = BTreeMap::new();
        let mut edges = Vec::new();
        for channel in inputs {
            sends.entry(channel).or_insert_with(|| {
                edges.push(edge(0, 0, Condition::truth(), Some(channel), Vec::new()));
                edges.len() as u32 - 1
            });
        }
        let idle = place("Idle".into(), Urgency::Normal, Condition::truth());
        opened.processes.push(process(vec![idle], edges));
        Arena { network: opened, sends }
    }
}

/// Follows sets of states.
pub(crate) struct ZoneFollower<'a> {
    arena: &'a Arena,
    explorer: ZoneExplorer<'a>,
    /// The tester, and its clock in zones.
    tester: u32,
    clock: u16,
    /// Edges that were taken, if somebody wants to know.
    pub(crate) taken: Option<std::collections::BTreeSet<Part>>,
}

impl<'a> ZoneFollower<'a> {
    /// Follows in an arena.
    pub(crate) fn new(arena: &'a Arena) -> ZoneFollower<'a> {
        let network = &arena.network;
        ZoneFollower {
            arena,
            explorer: ZoneExplorer::new(network),
            tester: network.processes.len() as u32 - 1,
            clock: network.clocks.len() as u16,
            taken: None,
        }
    }

    /// Where the network is at the beginning, once it has done what it must.
    pub(crate) fn begin(&mut self) -> Computed<Vec<Set>> {
        let network = &self.arena.network;
        let locations = network.processes.iter().map(|process| process.initial as i32);
        let cells = network.cells.iter().map(|cell| cell.initial as i32);
        let discrete: Vec<i32> = locations.chain(cells).collect();
        let mut zone = dbm::origin(self.explorer.n);
        let Some(invariant) = self.explorer.invariant_of(&discrete)? else {
            return Ok(Vec::new());
        };
        if !self.explorer.constrain(&mut zone, &invariant) {
            return Ok(Vec::new());
        }
        self.wait(&[Set { discrete, zone }], (0, 0))
    }

    /// Where it can be behind an input, whatever is seen.
    pub(crate) fn input(&mut self, sets: &[Set], what: What) -> Computed<Vec<Set>> {
        match what {
            What::Wait(time) => self.wait(sets, (time, time)),
            What::Phase(time) => self.wait(sets, (0, time)),
            What::Send(channel) => {
                let sent = self.send(sets, channel)?;
                self.wait(&sent, (0, 0))
            }
        }
    }

    /// Where it can be behind a step, given what was seen.
    pub(crate) fn act(&mut self, sets: &[Set], act: &Act) -> Computed<Vec<Set>> {
        let mut behind = self.input(sets, act.what)?;
        behind.retain(|set| self.shows(set, &act.out));
        Ok(behind)
    }

    /// Where it can be behind steps from the beginning; none if no run looks so.
    pub(crate) fn acts(&mut self, acts: &[Act]) -> Computed<Vec<Set>> {
        let mut sets = self.begin()?;
        for act in acts {
            sets = self.act(&sets, act)?;
        }
        Ok(sets)
    }

    /// The value of a variable.
    pub(crate) fn value(&self, set: &Set, cell: usize) -> i64 {
        i64::from(set.discrete[self.tester as usize + 1 + cell])
    }

    fn shows(&self, set: &Set, out: &[(usize, i64)]) -> bool {
        out.iter().all(|&(cell, value)| self.value(set, cell) == value)
    }

    /// The location of a process.
    pub(crate) fn location(&self, set: &Set, process: usize) -> usize {
        set.discrete[process] as usize
    }

    fn send(&mut self, sets: &[Set], channel: u32) -> Computed<Vec<Set>> {
        let n = self.explorer.n;
        let wanted = Part { process: self.tester, edge: self.arena.sends[&channel] };
        let mut found = Vec::new();
        for set in sets {
            let possible = |_: &_| true;
            let taken = &mut self.taken;
            self.explorer.steps(&set.discrete, possible, |step| {
                if step.parts[0].0 != wanted {
                    return Ok(());
                }
                for guard in &step.guard {
                    let mut zone = set.zone.clone();
                    if arrive(&mut zone, n, guard, step) {
                        note(taken, step);
                        found.push(Set { discrete: step.target.clone(), zone });
                    }
                }
                Ok(())
            })?;
        }
        Ok(found)
    }

    /// All that can happen while the tester waits for a time within the window.
    fn wait(&mut self, sets: &[Set], (from, to): (i64, i64)) -> Computed<Vec<Set>> {
        let n = self.explorer.n;
        let mut passed: FxHashMap<Vec<i32>, Vec<Vec<i32>>> = FxHashMap::default();
        let mut waiting: Vec<Set> = Vec::new();
        let clock = self.clock;
        let limit = Constraint { left: clock, right: 0, bound: dbm::at_most(to) };
        for set in sets {
            let mut set = set.clone();
            dbm::reset(&mut set.zone, n, clock as usize, 0);
            if self.explorer.allows_delay(&set.discrete)? {
                dbm::up(&mut set.zone, n);
                let Some(invariant) = self.explorer.invariant_of(&set.discrete)? else { continue };
                self.explorer.constrain(&mut set.zone, &invariant);
                dbm::constrain(&mut set.zone, n, limit);
            }
            waiting.push(set);
        }
        let (mut found, mut next, mut count) = (Vec::new(), Vec::new(), 0);
        while let Some(set) = waiting.pop() {
            let known = passed.entry(set.discrete.clone()).or_default();
            if known.iter().any(|zone| dbm::is_inside(&set.zone, zone)) {
                continue;
            }
            known.retain(|zone| !dbm::is_inside(zone, &set.zone));
            known.push(set.zone.clone());
            count += 1;
            if count > MAX_SETS {
                let message = format!("more than {MAX_SETS} sets of states behind one input");
                return Err(Box::new(NetworkFault {
                    message,
                    span: provoke_base::Span::default(),
                }));
            }
            self.seen(&set, from, &mut found)?;
            let (tester, taken) = (self.tester, &mut self.taken);
            self.explorer.steps(
                &set.discrete,
                |_| true,
                |step| {
                    if step.parts[0].0.process == tester {
                        return Ok(());
                    }
                    for guard in &step.guard {
                        let mut zone = set.zone.clone();
                        if follow(&mut zone, n, guard, step) && dbm::constrain(&mut zone, n, limit)
                        {
                            note(taken, step);
                            next.push(Set { discrete: step.target.clone(), zone });
                        }
                    }
                    Ok(())
                },
            )?;
            waiting.append(&mut next);
        }
        Ok(without_smaller(found))
    }

    /// What a tester sees of a set from a time on: states in which time can go on.
    fn seen(&mut self, set: &Set, from: i64, found: &mut Vec<Set>) -> Computed<()> {
        let n = self.explorer.n;
        if !self.explorer.allows_delay(&set.discrete)? {
            return Ok(());
        }
        let Some(mut all) = self.explorer.invariant_of(&set.discrete)? else { return Ok(()) };
        // A bound that is strict leaves time to go on.
        all.iter_mut().filter(|c| c.right == 0).for_each(|c| c.bound &= !1);
        all.push(Constraint { left: 0, right: self.clock, bound: dbm::at_most(-from) });
        let mut zone = set.zone.clone();
        if self.explorer.constrain(&mut zone, &all) {
            dbm::reset(&mut zone, n, self.clock as usize, 0);
            found.push(Set { discrete: set.discrete.clone(), zone });
        }
        Ok(())
    }

    /// The same sets with a process somewhere else: its own clocks may have any value that its new
    /// location allows.
    pub(crate) fn moved(
        &mut self,
        sets: &[Set],
        process: usize,
        location: usize,
    ) -> Computed<Vec<Set>> {
        let n = self.explorer.n;
        let network = &self.arena.network;
        let own = Uses::of_process(network, &network.processes[process]).clocks_set;
        let mut found = Vec::new();
        for set in sets {
            let mut set = set.clone();
            set.discrete[process] = location as i32;
            own.iter().for_each(|clock| free(&mut set.zone, n, clock + 1));
            let Some(invariant) = self.explorer.invariant_of(&set.discrete)? else { continue };
            if self.explorer.constrain(&mut set.zone, &invariant) {
                found.push(set);
            }
        }
        let found = without_smaller(found);
        self.wait(&found, (0, 0))
    }
}

fn note(
    taken: &mut Option<std::collections::BTreeSet<Part>>,
    step: &provoke_zones::explorer::ZoneStep,
) {
    if let Some(taken) = taken {
        taken.extend(step.parts.iter().map(|(part, _)| *part));
    }
}

/// The zone behind a step without delays; false if it is empty.
fn arrive(
    zone: &mut [i32],
    n: usize,
    guard: &[Constraint],
    step: &provoke_zones::explorer::ZoneStep,
) -> bool {
    let all =
        |zone: &mut [i32], list: &[Constraint]| list.iter().all(|c| dbm::constrain(zone, n, *c));
    if !all(zone, guard) {
        return false;
    }
    for &(clock, value) in &step.resets {
        dbm::reset(zone, n, clock as usize + 1, value);
    }
    all(zone, &step.invariant)
}

/// Lets a clock have any value.
fn free(zone: &mut [i32], n: usize, clock: usize) {
    for other in 0..n {
        if other != clock {
            zone[clock * n + other] = dbm::INFINITY;
            zone[other * n + clock] = zone[other * n];
        }
    }
}

/// Sets that lie in others are left out; the order is fixed.
fn without_smaller(mut sets: Vec<Set>) -> Vec<Set> {
    sets.sort();
    sets.dedup();
    let inside =
        |a: &Set, b: &Set| a.discrete == b.discrete && a != b && dbm::is_inside(&a.zone, &b.zone);
    let keep: Vec<bool> = sets.iter().map(|a| !sets.iter().any(|b| inside(a, b))).collect();
    let mut keep = keep.into_iter();
    sets.retain(|_| keep.next().unwrap_or(true));
    sets
}
