//! Loop acceleration: inputs that lead from a state to one like it in which one number is larger,
//! repeated.
//!
//! A counter that must reach 32,767 is beyond every search and every random run. But a solver
//! finds a few steps after which all is as before and the counter is one ahead; simulation walks
//! them again and again, until the number has passed a constant of the model. The state behind
//! that is one more to start from.

use provoke_base::{Int, Random};
use provoke_model::{ExprId, ExprKind, System, Value};
use provoke_sim::interpreter::delays;
use provoke_sim::{CompactValue, Dense, SimState};
use provoke_solve::encode::literal;
use provoke_solve::engine::{Backend, Bmc, Budget, GoalVerdict, whole, without_copies};
use provoke_solve::{Limit, Start, Terms, UnrollPolicy};

use crate::attempt::inputs;
use crate::explore::{LONGEST, StateExplorer};
use crate::from_archive::Archive;
use crate::generate::StrategyOptions;
use crate::goal::Goals;
use crate::parallel::each_in_parallel;

/// How many steps a round of a loop has at most.
const STEPS: usize = 8;
/// How many steps all rounds together have at most.
const WALK: usize = 200_000;
/// From how many states loops are searched.
const STARTS: usize = 16;
/// After so many searches in vain a number is left where it is.
const IN_VAIN: usize = 3;

/// A number that no run has led as far as a constant of the model.
#[derive(Clone, Copy, Debug)]
struct Aim<'a> {
    slot: usize,
    /// What the delay of this slot remembers.
    remembers: &'a ExprKind,
    threshold: i64,
}

impl Aim<'_> {
    fn is_met(self, value: i64) -> bool {
        match self.threshold > 0 {
            true => value >= self.threshold,
            false => value <= self.threshold,
        }
    }
}

/// A loop from a state that the explorer kept.
pub(crate) struct AcceleratedLoop {
    pub(crate) place: usize,
    /// The inputs of one round.
    pub(crate) inputs: Vec<Vec<Value>>,
    /// How often it is repeated.
    pub(crate) times: usize,
    /// Where that leads.
    pub(crate) end: SimState,
}

/// Finds loops for all numbers that stay behind a constant which only long runs reach.
pub(crate) fn find(
    system: &System,
    explorer: &StateExplorer<'_>,
    (options, backend, limit): (&StrategyOptions, &Backend, Limit),
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<AcceleratedLoop> {
    let archive = Archive::of_all(explorer);
    let aims = aims(system, explorer);
    let found = each_in_parallel(options.jobs, &aims, |_, &aim| {
        let (mut second_best, mut in_vain) = (None, 0);
        for place in archive.states().take(STARTS).take_while(|_| !stop()) {
            let from = explorer.place(place);
            let round = search(system, from, aim, (options, backend), Budget::new(limit));
            in_vain += usize::from(round.is_none());
            if in_vain == IN_VAIN {
                break;
            }
            let walked = round.and_then(|round| walk(system, (place, from), round, aim));
            match walked {
                Some((accelerated, true)) => return Some(accelerated),
                Some((accelerated, false)) => second_best = second_best.or(Some(accelerated)),
                None => {}
            }
        }
        second_best
    });
    found.into_iter().flatten().collect()
}

/// Each remembered number once, though several delays may remember it.
fn aims<'a>(system: &'a System, explorer: &StateExplorer<'_>) -> Vec<Aim<'a>> {
    let far = |threshold: &i64| threshold.unsigned_abs() > LONGEST as u64;
    let thresholds: Vec<i64> = explorer.thresholds().iter().copied().filter(far).collect();
    let (mut found, mut seen) = (Vec::new(), Vec::new());
    for (slot, remembers) in remembered(system).into_iter().enumerate() {
        if seen.contains(&remembers) {
            continue;
        }
        seen.push(remembers);
        let values: Vec<i64> =
            explorer.places().filter_map(|(state, _)| number(&state.memory()[slot])).collect();
        for &threshold in &thresholds {
            let aim = Aim { slot, remembers, threshold };
            let is_on_the_way = |value: &i64| value.signum() == threshold.signum();
            if values.iter().any(is_on_the_way) && !values.iter().any(|value| aim.is_met(*value)) {
                found.push(aim);
            }
        }
    }
    found
}

/// What each delay remembers; the same for all delays of one variable.
fn remembered(system: &System) -> Vec<&ExprKind> {
    let operand = |delay: ExprId| match system.exprs[delay].kind {
        ExprKind::Pre(operand) => &system.exprs[operand].kind,
        _ => unreachable!("a delay"),
    };
    delays(system).into_iter().map(operand).collect()
}

fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Int(Int::Small(number)) => Some(*number),
        _ => None,
    }
}

/// A round after which everything known is as it was, but for the number aimed at.
fn search(
    system: &System,
    from: &SimState,
    aim: Aim<'_>,
    (options, backend): (&StrategyOptions, &Backend),
    mut budget: Budget,
) -> Option<Vec<Vec<Value>>> {
    let mut terms = Terms::new();
    let mut goals = Goals::new(system, options.masking, &options.oracle, &mut terms);
    let mut question = whole(goals.encoder(), &mut terms);
    let mut wanted = Vec::new();
    let slots = delays(system).into_iter().zip(remembered(system)).zip(from.memory());
    for ((delay, remembers), before) in slots {
        let memory = goals.encoder().memory(&mut terms, delay);
        let Some(before) = literal(&mut terms, before) else { continue };
        wanted.push(match (remembers == aim.remembers, aim.threshold > 0) {
            (true, true) => terms.lt(before, memory),
            (true, false) => terms.lt(memory, before),
            (false, _) => terms.eq(memory, before),
        });
    }
    question.goal = terms.all(&wanted);
    let (question, _) = without_copies(&mut terms, &question, &[]);
    let start = Start::At(goals.symbols_at(&mut terms, from, &[]));
    let mut bmc = Bmc::new(&question, start, UnrollPolicy::Inline, Box::new(backend.solver()));
    let GoalVerdict::Reached(found) = bmc.search(&mut terms, STEPS + 1, &mut budget) else {
        return None;
    };
    let random = Random::for_part(options.seed, "laps");
    let mut round = inputs(system, &mut goals, &mut terms, &found.steps, (random, options.fill));
    // The last step is the one that begins in the state behind the round.
    round.pop();
    Some(round)
}

/// Repeats a round until the number is where it is wanted; says whether all else stayed as it was.
fn walk(
    system: &System,
    (place, from): (usize, &SimState),
    round: Vec<Vec<Value>>,
    aim: Aim<'_>,
) -> Option<(AcceleratedLoop, bool)> {
    let mut dense = Dense::new(system);
    dense.restore(from);
    let before = dense.memory().to_vec();
    let is_other: Vec<bool> = remembered(system).iter().map(|r| *r != aim.remembers).collect();
    for times in 1..=WALK / round.len().max(1) {
        for row in &round {
            let breaches = dense.step(row).ok()?;
            if !breaches.is_empty() {
                return None;
            }
        }
        let CompactValue::Int(value) = dense.memory()[aim.slot] else { return None };
        if aim.is_met(value) {
            let mut others = before.iter().zip(dense.memory()).zip(is_other);
            let is_same = others.all(|((before, after), is_other)| !is_other || before == after);
            return Some((
                AcceleratedLoop { place, inputs: round, times, end: dense.state() },
                is_same,
            ));
        }
    }
    None
}
