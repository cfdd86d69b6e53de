//! Answers to questions about all runs.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use provoke_base::StopReason;
use provoke_uppaal::machine::{Computed, NetworkFault};
use provoke_uppaal::network::{Condition, Extreme, ExtremeOperand, Network, Question};
use provoke_uppaal::trace::TimedTrace;

use crate::bounds::{BoundTable, meant};
use crate::dbm::{self, Constraint};
use crate::explorer::{self, ZoneExplorer};
use crate::liveness::{Lived, Liveness};
use crate::obstacle::{self, asks_for_deadlock};
use crate::retrace::{self, Stretch};
use crate::search::{Ended, Explored, Goal, SearchEffort, explore};

/// What is said of a question.
#[derive(Clone, Debug)]
pub struct QueryAnswer {
    /// Yes or no; none if it is not known.
    pub holds: Option<bool>,
    /// Why it is not known.
    pub reason: Option<NoAnswer>,
    /// Zones stored.
    pub states: usize,
    /// A run that shows it.
    pub trace: Option<TimedTrace>,
    /// What `sup` and `inf` ask for, in order.
    pub extremes: Vec<Bound>,
}

/// Why something is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoAnswer {
    /// In words.
    pub text: String,
    /// A place of the model, if one is to blame.
    pub span: Option<provoke_base::Span>,
    /// What ended the search, if it did not come to its end.
    pub stop: Option<StopReason>,
}

/// The end of a range of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// There is no value.
    None,
    /// The value is reached.
    Reached(i64),
    /// The value is approached.
    Approached(i64),
    /// There is no end.
    Unbounded,
}

impl QueryAnswer {
    fn unknown(
        text: impl Into<String>,
        span: Option<provoke_base::Span>,
        states: usize,
    ) -> QueryAnswer {
        let reason = Some(NoAnswer { text: text.into(), span, stop: None });
        QueryAnswer { holds: None, reason, states, trace: None, extremes: Vec::new() }
    }

    fn stopped(stop: StopReason, states: usize) -> QueryAnswer {
        let reason = Some(NoAnswer { text: stop.to_string(), span: None, stop: Some(stop) });
        QueryAnswer { reason, ..QueryAnswer::unknown("", None, states) }
    }

    fn fault(fault: &NetworkFault, states: usize) -> QueryAnswer {
        let named = fault.span != provoke_base::Span::default();
        QueryAnswer::unknown(fault.message.clone(), named.then_some(fault.span), states)
    }

    fn known(holds: bool, states: usize, trace: Option<TimedTrace>) -> QueryAnswer {
        QueryAnswer { holds: Some(holds), reason: None, states, trace, extremes: Vec::new() }
    }
}

/// Answers a question.
pub fn verify(network: &Network, question: &Question, effort: SearchEffort<'_>) -> QueryAnswer {
    if let Some((span, what)) = obstacle::obstacle(network) {
        return QueryAnswer::unknown(format!("zones cannot follow {what}"), Some(span), 0);
    }
    let conditions: Vec<&Condition> = match question {
        Question::Possibly(p) | Question::Always(p) => vec![p],
        Question::PotentiallyAlways(p, q) | Question::Eventually(p, q) => vec![p, q],
        Question::LeadsTo(p, q, r) => vec![p, q, r],
        Question::Extreme(extreme) => vec![&extreme.condition],
        _ => return QueryAnswer::unknown("this question is for `provoke timed estimate`", None, 0),
    };
    if let Some(span) = conditions.iter().find_map(|condition| obstacle::diagonal(condition)) {
        return QueryAnswer::unknown(
            "zones cannot follow a comparison of two clocks",
            Some(span),
            0,
        );
    }
    match question {
        Question::Possibly(condition) => reach(network, condition, true, effort),
        Question::Always(opposite) => reach(network, opposite, false, effort),
        Question::PotentiallyAlways(p, not_p) => stay(network, p, not_p, true, effort),
        Question::Eventually(p, not_p) => stay(network, not_p, p, false, effort),
        Question::LeadsTo(p, q, not_q) => leads_to(network, p, q, not_q, effort),
        Question::Extreme(extreme) => extremes(network, extreme, effort),
        _ => unreachable!("answered above"),
    }
}

/// Whether a condition is reachable; `holds` is the answer if it is.
fn reach(
    network: &Network,
    condition: &Condition,
    holds: bool,
    effort: SearchEffort<'_>,
) -> QueryAnswer {
    let deadlock = asks_for_deadlock(condition);
    let table = BoundTable::new(network, &[condition], deadlock);
    let is = |explorer: &mut ZoneExplorer<'_>, key: &[i32], zone: &[i32]| {
        Ok(!explorer.satisfying(key, zone, condition)?.is_empty())
    };
    let Explored { ended, stored } =
        explore(network, &table, &Goal { condition, is: &is, eager: !deadlock }, effort);
    match ended {
        Ended::Exhausted => QueryAnswer::known(!holds, stored, None),
        Ended::Stopped(why) => QueryAnswer::stopped(why, stored),
        Ended::Fault(fault) => QueryAnswer::fault(&fault, stored),
        Ended::Found(path) => match reach_trace(network, &path, condition) {
            Ok(Some(trace)) => QueryAnswer::known(holds, stored, Some(trace)),
            Ok(None) => QueryAnswer::unknown(NOT_REPLAYED, None, stored),
            Err(fault) => QueryAnswer::fault(&fault, stored),
        },
    }
}

const NOT_REPLAYED: &str = "a trace was found that could not be replayed: please report this";

fn reach_trace(
    network: &Network,
    path: &[(u32, u32)],
    condition: &Condition,
) -> Computed<Option<TimedTrace>> {
    let mut explorer = ZoneExplorer::new(network);
    let Some(stretches) = retrace::retrace(&mut explorer, &path.to_vec())? else { return Ok(None) };
    let (key, zone) = end_of(&mut explorer, &stretches)?;
    for part in explorer.satisfying(&key, &zone, condition)? {
        // All bounds of the part, which is not extrapolated, as constraints on the last moment.
        let last = as_constraints(&part, explorer.n);
        if let Some(trace) = retrace::timed(&mut explorer, &stretches, &last, None)? {
            return Ok(Some(trace));
        }
    }
    Ok(None)
}

/// The last set of states of a path, exactly.
fn end_of(
    explorer: &mut ZoneExplorer<'_>,
    stretches: &[Stretch],
) -> Computed<(Vec<i32>, Vec<i32>)> {
    let (mut key, mut zone) = explorer.initial()?.unwrap_or_default();
    for stretch in stretches {
        if let Stretch::Step(step, guard) = stretch {
            explorer::follow(&mut zone, explorer.n, guard, step);
            key.clone_from(&step.target);
        }
    }
    Ok((key, zone))
}

fn as_constraints(zone: &[i32], n: usize) -> Vec<Constraint> {
    let all = (0..n * n).filter(|at| at / n != at % n && zone[*at] != dbm::INFINITY);
    all.map(|at| Constraint { left: (at / n) as u16, right: (at % n) as u16, bound: zone[at] })
        .collect()
}

/// Whether a run can keep a condition for ever; `holds` is the answer if it can.
fn stay(
    network: &Network,
    keep: &Condition,
    avoid: &Condition,
    holds: bool,
    effort: SearchEffort<'_>,
) -> QueryAnswer {
    let table = BoundTable::new(network, &[keep, avoid], true);
    let mut liveness = Liveness::new(&table, keep, avoid, effort.stop, effort.bytes);
    let mut explorer = ZoneExplorer::new(network);
    let mut search = || {
        let Some((key, _)) = explorer.initial()? else { return Ok(Lived::None) };
        let origin = dbm::origin(explorer.n);
        liveness.from(&mut explorer, &key, &origin)
    };
    let lived = search();
    let states = liveness.states;
    match lived {
        Err(fault) => QueryAnswer::fault(&fault, states),
        Ok(Lived::Stopped(why)) => QueryAnswer::stopped(why, states),
        Ok(Lived::None) => QueryAnswer::known(!holds, states, None),
        Ok(Lived::Endless(endless)) => {
            let trace = match retrace::retrace(&mut explorer, &endless.path) {
                Ok(Some(stretches)) => {
                    retrace::timed(&mut explorer, &stretches, &[], endless.repeats_from)
                }
                other => other.map(|_| None),
            };
            // The answer does not hang on the trace: a condition on clocks may allow the steps at
            // other times only, and then none is shown.
            let trace = trace.ok().flatten().filter(|trace| keeps(network, trace, keep));
            QueryAnswer::known(holds, states, trace)
        }
    }
}

/// Whether a condition holds at every event of a trace.
fn keeps(network: &Network, trace: &TimedTrace, keep: &Condition) -> bool {
    if asks_for_deadlock(keep) {
        return true;
    }
    let mut reference = provoke_uppaal::reference::Reference::new(network, trace.scale);
    let events = trace.events.iter().map(|event| &event.state);
    let mut states = [&trace.initial, &trace.last].into_iter().chain(events);
    states.all(|state| reference.holds(state, keep).unwrap_or(false))
}

/// Whether `p` is always followed by `q`: no reachable state in `p` and not in `q` has a run that
/// keeps out of `q`.
fn leads_to(
    network: &Network,
    p: &Condition,
    q: &Condition,
    not_q: &Condition,
    effort: SearchEffort<'_>,
) -> QueryAnswer {
    let table = BoundTable::new(network, &[p, q, not_q], true);
    let begin = Condition::And(vec![p.clone(), not_q.clone()]);
    let liveness = Liveness::new(&table, not_q, q, effort.stop, effort.bytes / 2);
    let shared = Mutex::new((liveness, None::<Lived>));
    let is = |explorer: &mut ZoneExplorer<'_>, key: &[i32], zone: &[i32]| {
        let starts = explorer.satisfying(key, zone, &begin)?;
        let mut guard = shared.lock().expect("no thread panicked");
        let (liveness, found) = &mut *guard;
        for start in starts {
            match liveness.from(explorer, key, &start)? {
                Lived::None => {}
                other => {
                    *found = Some(other);
                    return Ok(true);
                }
            }
        }
        Ok(false)
    };
    // One thread: what the liveness search remembers must not depend on who came first.
    let effort = SearchEffort { jobs: 1, bytes: effort.bytes / 2, ..effort };
    let explored =
        explore(network, &table, &Goal { condition: &begin, is: &is, eager: false }, effort);
    let (liveness, found) = shared.into_inner().expect("no thread panicked");
    let states = explored.stored + liveness.states;
    match (explored.ended, found) {
        (Ended::Fault(fault), _) => QueryAnswer::fault(&fault, states),
        (Ended::Stopped(why), _) | (_, Some(Lived::Stopped(why))) => {
            QueryAnswer::stopped(why, states)
        }
        (Ended::Exhausted, _) => QueryAnswer::known(true, states, None),
        (Ended::Found(path), Some(Lived::Endless(endless))) => {
            let prefix = path.len();
            let mut whole = path;
            whole.extend(&endless.path);
            let repeats = endless.repeats_from.map(|from| from + prefix);
            let trace = leads_to_trace(network, &whole, prefix, &begin, repeats);
            QueryAnswer::known(false, states, trace.ok().flatten())
        }
        (Ended::Found(_), _) => QueryAnswer::known(false, states, None),
    }
}

fn leads_to_trace(
    network: &Network,
    path: &[(u32, u32)],
    prefix: usize,
    begin: &Condition,
    repeats_from: Option<usize>,
) -> Computed<Option<TimedTrace>> {
    let mut explorer = ZoneExplorer::new(network);
    let Some(mut stretches) = retrace::retrace(&mut explorer, &path.to_vec())? else {
        return Ok(None);
    };
    let (key, zone) = end_of(&mut explorer, &stretches[..prefix])?;
    for part in explorer.satisfying(&key, &zone, begin)? {
        let moment = Stretch::Moment(as_constraints(&part, explorer.n));
        stretches.insert(prefix, moment);
        if let Some(trace) = retrace::timed(&mut explorer, &stretches, &[], repeats_from)? {
            return Ok(Some(trace));
        }
        stretches.remove(prefix);
    }
    Ok(None)
}

/// Clocks beyond this are not followed.
const LARGEST_EXTREME: i32 = 1 << 20;

/// The largest or smallest values. Zones forget values beyond the constants that clocks are compared
/// with, so these are raised until the result lies below.
fn extremes(network: &Network, extreme: &Extreme, effort: SearchEffort<'_>) -> QueryAnswer {
    let mut table =
        BoundTable::new(network, &[&extreme.condition], asks_for_deadlock(&extreme.condition));
    let clocks: Vec<usize> = extreme
        .of
        .iter()
        .filter_map(|measured| match measured {
            ExtremeOperand::Clock(clock) => Some(meant(network, clock)),
            ExtremeOperand::Int(_) => None,
        })
        .flatten()
        .collect();
    let mut limit = clocks.iter().map(|clock| table.largest(*clock)).max().unwrap_or(0).max(1);
    loop {
        clocks.iter().for_each(|clock| table.widen(*clock, limit));
        let (explored, bounds) = extremes_within(network, extreme, &table, effort);
        let states = explored.stored;
        match explored.ended {
            Ended::Fault(fault) => return QueryAnswer::fault(&fault, states),
            Ended::Stopped(why) => return QueryAnswer::stopped(why, states),
            Ended::Found(_) | Ended::Exhausted => {}
        }
        let beyond = |bound: &Bound| match bound {
            Bound::Reached(value) | Bound::Approached(value) => *value > i64::from(limit),
            Bound::None | Bound::Unbounded => false,
        };
        let of_clocks = extreme.of.iter().zip(&bounds);
        let too_far = of_clocks
            .filter(|(measured, _)| matches!(measured, ExtremeOperand::Clock(_)))
            .any(|(_, bound)| beyond(bound));
        if !too_far {
            return QueryAnswer { extremes: bounds, ..QueryAnswer::known(true, states, None) };
        }
        if limit > LARGEST_EXTREME {
            let text = format!("the value is larger than {LARGEST_EXTREME}");
            return QueryAnswer::unknown(text, None, states);
        }
        limit = limit.saturating_mul(4);
    }
}

/// More than any bound of a zone.
const UNBOUNDED: i64 = 1 << 40;

/// The largest or smallest value of a clock in a zone, as a bound. A lower bound is an upper one of
/// the opposite; the sign keeps `>= c` below `> c`. A missing upper bound may only have been
/// forgotten, and then says no more than that the value is large; where time never stops, there
/// is none.
fn clock_extreme(
    explorer: &mut ZoneExplorer<'_>,
    key: &[i32],
    zone: &[i32],
    clock: usize,
    sup: bool,
) -> Computed<i64> {
    let n = explorer.n;
    if !sup {
        return Ok(1 - i64::from(zone[clock]));
    }
    let endless = (1..n).all(|i| zone[i * n] == dbm::INFINITY);
    if endless && explorer.allows_delay(key)? {
        return Ok(UNBOUNDED);
    }
    Ok(i64::from(zone[clock * n]))
}

/// One pass. Values are kept as bounds of zones, so that reached and approached ones compare.
fn extremes_within(
    network: &Network,
    extreme: &Extreme,
    table: &BoundTable,
    effort: SearchEffort<'_>,
) -> (Explored, Vec<Bound>) {
    let none = if extreme.sup { i64::MIN } else { i64::MAX };
    let found: Vec<AtomicI64> = extreme.of.iter().map(|_| AtomicI64::new(none)).collect();
    let note = |slot: &AtomicI64, value: i64| {
        let _ = match extreme.sup {
            true => slot.fetch_max(value, Ordering::Relaxed),
            false => slot.fetch_min(value, Ordering::Relaxed),
        };
    };
    let is = |explorer: &mut ZoneExplorer<'_>, key: &[i32], zone: &[i32]| {
        for part in explorer.satisfying(key, zone, &extreme.condition)? {
            for (slot, measured) in found.iter().zip(&extreme.of) {
                match measured {
                    ExtremeOperand::Int(expr) => note(slot, explorer.value_in(key, expr)? << 1 | 1),
                    ExtremeOperand::Clock(clock) => {
                        let clock = explorer.clock_in(key, clock)? as usize + 1;
                        note(slot, clock_extreme(explorer, key, &part, clock, extreme.sup)?);
                    }
                }
            }
        }
        Ok(false)
    };
    let eager = !asks_for_deadlock(&extreme.condition);
    let explored =
        explore(network, table, &Goal { condition: &extreme.condition, is: &is, eager }, effort);
    let bound = |(slot, measured): (&AtomicI64, &ExtremeOperand)| {
        let raw = slot.load(Ordering::Relaxed);
        let is_clock = matches!(measured, ExtremeOperand::Clock(_));
        if raw == none {
            Bound::None
        } else if raw == UNBOUNDED {
            Bound::Unbounded
        } else if raw & 1 == i64::from(extreme.sup || !is_clock) {
            Bound::Reached(raw >> 1)
        } else {
            Bound::Approached(raw >> 1)
        }
    };
    let bounds = found.iter().zip(&extreme.of).map(bound).collect();
    (explored, bounds)
}
