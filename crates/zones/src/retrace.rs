//! Traces with times: the steps that a search took, at moments that fulfil every constraint.

use provoke_uppaal::machine::Computed;
use provoke_uppaal::moves::Part;
use provoke_uppaal::network::Network;
use provoke_uppaal::reference::Reference;
use provoke_uppaal::trace::{TimedTrace, TraceEvent};

use crate::constraints::Alternatives;
use crate::dbm::{self, Constraint};
use crate::explorer::{ZoneExplorer, ZoneStep, follow};
use crate::search::Path;

/// A stretch of a path whose times are open.
pub(crate) enum Stretch {
    Step(ZoneStep, Vec<Constraint>),
    /// At some moment the clocks fulfil this.
    Moment(Vec<Constraint>),
}

/// The steps of a path, found again without extrapolation; none if the zones were too coarse,
/// which would be an error of this program.
pub(crate) fn retrace(
    explorer: &mut ZoneExplorer<'_>,
    path: &Path,
) -> Computed<Option<Vec<Stretch>>> {
    let Some((mut key, mut zone)) = explorer.initial()? else { return Ok(None) };
    let mut found = Vec::new();
    for (ordinal, alternative) in path {
        let Some(step) = step_of(explorer, &key, &zone, *ordinal)? else { return Ok(None) };
        let guard = step.guard[*alternative as usize].clone();
        if !follow(&mut zone, explorer.n, &guard, &step) {
            return Ok(None);
        }
        key.clone_from(&step.target);
        found.push(Stretch::Step(step, guard));
    }
    Ok(Some(found))
}

/// The step of a set of states with this number.
pub(crate) fn step_of(
    explorer: &mut ZoneExplorer<'_>,
    key: &[i32],
    zone: &[i32],
    ordinal: u32,
) -> Computed<Option<ZoneStep>> {
    let n = explorer.n;
    let mut found = None;
    let possible = |guard: &Alternatives| {
        guard.iter().any(|g| {
            let mut copy = zone.to_vec();
            g.iter().all(|c| dbm::constrain(&mut copy, n, *c))
        })
    };
    explorer.steps(key, possible, |step| {
        if step.ordinal == ordinal {
            found = Some(step.clone());
        }
        Ok(())
    })?;
    Ok(found)
}

/// A bound on the difference of two moments.
struct Difference {
    later: usize,
    earlier: usize,
    bound: i32,
}

/// The constraints of a path on its moments: moment 0 is the beginning.
struct Moments {
    differences: Vec<Difference>,
    /// For each clock, when it was set last, and to what.
    set: Vec<(usize, i64)>,
}

impl Moments {
    fn at(&mut self, moment: usize, constraints: &[Constraint]) {
        for c in constraints {
            let (mut later, mut earlier, mut shift) = (moment, moment, 0);
            // A clock's value is the time since it was set, plus what it was set to.
            if c.left > 0 {
                let (since, value) = self.set[c.left as usize - 1];
                earlier = since;
                shift += value;
            }
            if c.right > 0 {
                let (since, value) = self.set[c.right as usize - 1];
                later = since;
                shift -= value;
            }
            let bound = c.bound - ((shift as i32) << 1);
            self.differences.push(Difference { later, earlier, bound });
        }
    }

    fn order(&mut self, earlier: usize, later: usize, at_once: bool) {
        self.differences.push(Difference { later: earlier, earlier: later, bound: dbm::ZERO });
        if at_once {
            self.differences.push(Difference { later, earlier, bound: dbm::ZERO });
        }
    }

    /// The earliest times, with so many parts to a unit.
    fn solve(&self, count: usize, scale: i64) -> Option<Vec<i64>> {
        let mut times = vec![0_i64; count];
        for _ in 0..=count {
            let mut changed = false;
            for d in &self.differences {
                let weak = dbm::is_weak(d.bound);
                let limit = i64::from(dbm::constant(d.bound)) * scale - i64::from(!weak);
                // later - earlier <= limit
                let least = times[d.later] - limit;
                if times[d.earlier] < least {
                    times[d.earlier] = least;
                    changed = true;
                }
            }
            if times[0] > 0 {
                return None;
            }
            if !changed {
                return Some(times);
            }
        }
        None
    }
}

/// Times for a path from the initial state, ending at a moment at which the last constraints
/// hold.
pub(crate) fn timed(
    explorer: &mut ZoneExplorer<'_>,
    stretches: &[Stretch],
    last: &[Constraint],
    repeats_from: Option<usize>,
) -> Computed<Option<TimedTrace>> {
    let network = explorer.network;
    let Some((key, _)) = explorer.initial()? else { return Ok(None) };
    let clocks = network.clocks.len();
    let mut moments = Moments { differences: Vec::new(), set: vec![(0, 0); clocks] };
    let mut invariant = explorer.invariant_of(&key)?.unwrap_or_default();
    let mut delay = explorer.allows_delay(&key)?;
    moments.at(0, &invariant);
    for (index, stretch) in stretches.iter().enumerate() {
        let moment = index + 1;
        moments.order(index, moment, !delay);
        moments.at(moment, &invariant);
        match stretch {
            Stretch::Moment(constraints) => moments.at(moment, constraints),
            Stretch::Step(step, guard) => {
                moments.at(moment, guard);
                for (clock, value) in &step.resets {
                    moments.set[*clock as usize] = (moment, *value);
                }
                invariant.clone_from(&step.invariant);
                delay = step.delay;
                moments.at(moment, &invariant);
            }
        }
    }
    let end = stretches.len() + 1;
    moments.order(end - 1, end, !delay);
    moments.at(end, &invariant);
    moments.at(end, last);
    // Round times are easier to read; with more parts than moments nothing is missed.
    for scale in [1, 2, 10, end as i64 + 2] {
        if let Some(times) = moments.solve(end + 1, scale) {
            return replay(network, scale, stretches, &times, repeats_from);
        }
    }
    Ok(None)
}

/// Does the steps at their times in the reference semantics; none if it refuses one of them.
fn replay(
    network: &Network,
    scale: i64,
    stretches: &[Stretch],
    times: &[i64],
    repeats_from: Option<usize>,
) -> Computed<Option<TimedTrace>> {
    let mut reference = Reference::new(network, scale);
    let Some(initial) = reference.initial()? else { return Ok(None) };
    let mut trace = TimedTrace {
        scale,
        initial: initial.clone(),
        events: Vec::new(),
        end: 0,
        last: initial.clone(),
        repeats_from,
    };
    let (mut now, mut state) = (0, initial);
    for (stretch, time) in stretches.iter().zip(&times[1..]) {
        let Some(waited) = reference.delayed(&state, time - now)? else { return Ok(None) };
        (now, state) = (*time, waited);
        let Stretch::Step(step, _) = stretch else { continue };
        let wanted: &[(Part, u32)] = &step.parts;
        let actions = reference.actions(&state)?;
        let Some((action, target)) = actions.into_iter().find(|(a, _)| a == wanted) else {
            return Ok(None);
        };
        state = target;
        let event = TraceEvent { time: *time, action, channel: step.channel, state: state.clone() };
        trace.events.push(event);
    }
    trace.end = *times.last().expect("a first moment");
    let Some(last) = reference.delayed(&state, trace.end - now)? else { return Ok(None) };
    trace.last = last;
    Ok(Some(trace))
}
