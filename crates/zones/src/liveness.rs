//! Runs that never leave a condition: an endless loop, a stay without end, or a place where neither
//! time nor anything else goes on.
//!
//! A depth-first search over zones that are cut at the condition. Zones may only be left out when
//! a zone that holds them was looked at to the end; a loop is found when a zone comes back at least
//! as large. Constants count in both directions, since deadlocks must be told apart.

use provoke_base::StopReason;
use provoke_uppaal::machine::Computed;
use provoke_uppaal::network::Condition;
use rustc_hash::FxHashMap;

use crate::bounds::BoundTable;
use crate::constraints::Alternatives;
use crate::dbm::{self, Constraint};
use crate::explorer::{ZoneExplorer, ZoneStep};
use crate::search::{Path, SearchStop, ZoneCount};

/// A run that never leaves the condition.
#[derive(Clone, Debug)]
pub(crate) struct Endless {
    /// Its steps, from where the search began.
    pub(crate) path: Path,
    /// The steps from here on can be repeated for ever.
    pub(crate) repeats_from: Option<usize>,
}

/// What came of a search.
pub(crate) enum Lived {
    Endless(Endless),
    None,
    Stopped(StopReason),
}

/// The search; what was looked at to the end is remembered from one start to the next.
pub(crate) struct Liveness<'a> {
    table: &'a BoundTable,
    keep: &'a Condition,
    avoid: &'a Condition,
    done: FxHashMap<Vec<i32>, Vec<Vec<i32>>>,
    stop: &'a SearchStop<'a>,
    bytes: usize,
    used: usize,
    /// Zones looked at.
    pub(crate) states: usize,
}

struct Frame {
    key: Vec<i32>,
    zone: Vec<i32>,
    /// How it was reached from the frame below.
    via: Option<(u32, u32)>,
    /// Targets that are left.
    next: Vec<Target>,
}

struct Target {
    via: Option<(u32, u32)>,
    key: Vec<i32>,
    zone: Vec<i32>,
}

impl<'a> Liveness<'a> {
    /// A search for runs that keep a condition; `avoid` is its opposite.
    pub(crate) fn new(
        table: &'a BoundTable,
        keep: &'a Condition,
        avoid: &'a Condition,
        stop: &'a SearchStop<'a>,
        bytes: usize,
    ) -> Liveness<'a> {
        let done = FxHashMap::default();
        Liveness { table, keep, avoid, done, stop, bytes, used: 0, states: 0 }
    }

    /// Searches from the states of a zone.
    pub(crate) fn from(
        &mut self,
        explorer: &mut ZoneExplorer<'_>,
        key: &[i32],
        zone: &[i32],
    ) -> Computed<Lived> {
        let mut starts = Vec::new();
        self.stays(explorer, key, zone, None, &mut starts)?;
        let mut stack: Vec<Frame> = Vec::new();
        let bottom = Frame { key: Vec::new(), zone: Vec::new(), via: None, next: starts };
        stack.push(bottom);
        while let Some(top) = stack.last_mut() {
            let Some(target) = top.next.pop() else {
                let frame = stack.pop().expect("seen above");
                self.finish(frame);
                continue;
            };
            if self.is_done(&target) {
                continue;
            }
            self.states += 1;
            if self.states.is_multiple_of(256)
                && let Some(why) = self.must_stop(&stack)
            {
                return Ok(Lived::Stopped(why));
            }
            let repeated = stack.iter().position(|frame| {
                frame.key == target.key && dbm::is_inside(&frame.zone, &target.zone)
            });
            let ends = repeated.is_some() || self.ends(explorer, &target.key, &target.zone)?;
            if ends {
                let mut path: Path = stack.iter().filter_map(|frame| frame.via).collect();
                path.extend(target.via);
                // The bottom frame and the start have no step of their own.
                let repeats_from = repeated.map(|position| position.saturating_sub(1));
                return Ok(Lived::Endless(Endless { path, repeats_from }));
            }
            let next = self.targets(explorer, &target)?;
            stack.push(Frame { key: target.key, zone: target.zone, via: target.via, next });
        }
        Ok(Lived::None)
    }

    fn must_stop(&self, stack: &[Frame]) -> Option<StopReason> {
        if self.used > self.bytes {
            return Some(StopReason::Memory(self.bytes >> 20));
        }
        let waiting = stack.iter().map(|frame| frame.next.len()).sum();
        (self.stop)(ZoneCount { stored: self.states, waiting })
    }

    fn is_done(&self, target: &Target) -> bool {
        let covered = |zones: &Vec<Vec<i32>>| zones.iter().any(|z| dbm::is_inside(&target.zone, z));
        self.done.get(&target.key).is_some_and(covered)
    }

    fn finish(&mut self, frame: Frame) {
        if frame.key.is_empty() {
            return;
        }
        self.used += 4 * (frame.key.len() + frame.zone.len()) + 64;
        let zones = self.done.entry(frame.key).or_default();
        zones.retain(|zone| !dbm::is_inside(zone, &frame.zone));
        zones.push(frame.zone);
    }

    /// Where the states of a zone can be at later times without leaving the condition.
    fn stays(
        &self,
        explorer: &mut ZoneExplorer<'_>,
        key: &[i32],
        zone: &[i32],
        via: Option<(u32, u32)>,
        found: &mut Vec<Target>,
    ) -> Computed<()> {
        let n = explorer.n;
        let delay = explorer.allows_delay(key)?;
        let invariant = explorer.invariant_of(key)?.unwrap_or_default();
        for entry in explorer.satisfying(key, zone, self.keep)? {
            let mut pieces = vec![entry.clone()];
            if delay {
                let later = elapsed(entry, n, &invariant);
                // Each entry is convex and keeps the condition, so what leaves it lies behind.
                let left = explorer.satisfying(key, &later, self.avoid)?;
                pieces = explorer.satisfying(key, &later, self.keep)?;
                for outside in left {
                    pieces = dbm::subtract_from_all(pieces, n, &elapsed(outside, n, &invariant));
                }
            }
            for mut zone in pieces {
                explorer.extrapolate(&mut zone, key, self.table);
                found.push(Target { via, key: key.to_vec(), zone });
            }
        }
        Ok(())
    }

    /// Whether a run can stay in the zone for ever, or gets stuck there.
    fn ends(&self, explorer: &mut ZoneExplorer<'_>, key: &[i32], zone: &[i32]) -> Computed<bool> {
        let n = explorer.n;
        let delay = explorer.allows_delay(key)?;
        if delay && (1..n).all(|i| zone[i * n] == dbm::INFINITY) {
            return Ok(true);
        }
        let invariant = explorer.invariant_of(key)?.unwrap_or_default();
        for part in explorer.deadlocked(key, zone, true)? {
            let later = if delay { elapsed(part.clone(), n, &invariant) } else { part.clone() };
            let mut rest = vec![part];
            for mut outside in explorer.satisfying(key, &later, self.avoid)? {
                dbm::down(&mut outside, n);
                rest = dbm::subtract_from_all(rest, n, &outside);
            }
            if !rest.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn targets(&self, explorer: &mut ZoneExplorer<'_>, source: &Target) -> Computed<Vec<Target>> {
        let n = explorer.n;
        let mut arrivals: Vec<Target> = Vec::new();
        let possible = |guard: &Alternatives| guard.iter().any(|g| meets(&source.zone, n, g));
        explorer.steps(&source.key, possible, |step| {
            for (alternative, guard) in step.guard.iter().enumerate() {
                if let Some(zone) = arrive(&source.zone, n, guard, step) {
                    let via = Some((step.ordinal, alternative as u32));
                    arrivals.push(Target { via, key: step.target.clone(), zone });
                }
            }
            Ok(())
        })?;
        let mut found = Vec::new();
        for arrival in arrivals {
            self.stays(explorer, &arrival.key, &arrival.zone, arrival.via, &mut found)?;
        }
        // The last one is looked at first.
        found.reverse();
        Ok(found)
    }
}

/// A zone with its delays.
fn elapsed(mut zone: Vec<i32>, n: usize, invariant: &[Constraint]) -> Vec<i32> {
    dbm::up(&mut zone, n);
    for constraint in invariant {
        dbm::constrain(&mut zone, n, *constraint);
    }
    zone
}

fn meets(zone: &[i32], n: usize, guard: &[Constraint]) -> bool {
    let mut copy = zone.to_vec();
    guard.iter().all(|constraint| dbm::constrain(&mut copy, n, *constraint))
}

/// The zone right behind a step, before time passes.
fn arrive(zone: &[i32], n: usize, guard: &[Constraint], step: &ZoneStep) -> Option<Vec<i32>> {
    let mut zone = zone.to_vec();
    let mut all = guard.iter();
    if !all.all(|constraint| dbm::constrain(&mut zone, n, *constraint)) {
        return None;
    }
    for &(clock, value) in &step.resets {
        dbm::reset(&mut zone, n, clock as usize + 1, value);
    }
    let mut all = step.invariant.iter();
    all.all(|constraint| dbm::constrain(&mut zone, n, *constraint)).then_some(zone)
}
