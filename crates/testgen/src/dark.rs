//! Where tags that wait in delays are lost.
//!
//! How a tag travels on from a delay does not depend on the obligation that it came from, and
//! tags do not hinder each other. So it is found once for all obligations in which states a tag
//! in a delay is lost for good: in no step from there can it get to a monitored variable, nor
//! into a delay in a state in which it is not lost. A tag that cannot leave the step it starts
//! in but so never becomes visible, and every search drops such tags.

use provoke_base::IndexVec;
use provoke_model::{ExprId, System, Type, Value};
use provoke_sim::interpreter::delays;
use provoke_solve::engine::{Backend, Budget, Example, Sweep};
use provoke_solve::{Limit, TermId, Terms};

use crate::facts::Facts;
use crate::generate::Options;
use crate::goal::Goals;
use crate::parallel::in_parallel;

/// A number that was seen with more values than this is not asked for each of them.
const MAX_VALUES: usize = 8;
/// How many states are told apart for one delay.
const MAX_SHADES: usize = 320;
/// How many delays share a solver.
const GROUP: usize = 8;

/// States in which a tag is lost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Shade {
    /// All of them.
    Everywhere,
    /// Those in which a delay remembers this value, or those in which it does not.
    Where { delay: ExprId, value: Value, equal: bool },
}

/// For each delay the states in which a tag in it is lost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Dark(IndexVec<ExprId, Vec<Shade>>);

impl Dark {
    /// Nothing is known to be lost.
    pub(crate) fn none(system: &System) -> Dark {
        Dark(IndexVec::repeat(Vec::new(), system.exprs.len()))
    }

    /// The states in which a tag in a delay is lost.
    pub(crate) fn shades(&self, delay: ExprId) -> &[Shade] {
        &self.0[delay]
    }

    /// The delays in which a tag is lost whatever the state.
    pub(crate) fn everywhere(&self) -> IndexVec<ExprId, bool> {
        let mut dark = IndexVec::repeat(false, self.0.len());
        for delay in self.0.ids() {
            dark[delay] = self.0[delay].contains(&Shade::Everywhere);
        }
        dark
    }

    /// How many facts these are.
    pub(crate) fn facts(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    /// All that may be, as far as simulation tells: `seen` says from which delays a tag became
    /// visible, in the order of [`delays`], and `rows` what they remembered.
    fn claimed(system: &System, seen: &[bool], rows: &[Vec<Value>]) -> Dark {
        let mut dark = Dark::none(system);
        let partly = shades(system, rows);
        for (delay, seen) in delays(system).into_iter().zip(seen) {
            if !seen {
                dark.0[delay].push(Shade::Everywhere);
            }
            dark.0[delay].extend_from_slice(&partly);
        }
        dark
    }

    /// Without what follows from the rest.
    fn tidy(mut self) -> Dark {
        for shades in self.0.iter_mut() {
            if shades.contains(&Shade::Everywhere) {
                *shades = vec![Shade::Everywhere];
            }
        }
        self
    }
}

/// The states that are told apart by what a single delay remembers.
fn shades(system: &System, rows: &[Vec<Value>]) -> Vec<Shade> {
    let mut shades = Vec::new();
    for (slot, delay) in delays(system).into_iter().enumerate() {
        let values = match system.exprs[delay].ty {
            Type::Bool => vec![Value::Bool(true)],
            Type::Real => Vec::new(),
            Type::Int | Type::Enum(_) => few_values(rows, slot),
        };
        for value in values {
            let shade = |equal| Shade::Where { delay, value: value.clone(), equal };
            shades.extend([shade(true), shade(false)]);
        }
    }
    shades.truncate(MAX_SHADES);
    shades
}

/// The values that a delay was seen to remember, in the order they came; none if they are many.
fn few_values(rows: &[Vec<Value>], slot: usize) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::new();
    for row in rows {
        if row[slot].is_known() && !values.contains(&row[slot]) {
            values.push(row[slot].clone());
        }
        if values.len() > MAX_VALUES {
            return Vec::new();
        }
    }
    values
}

/// Finds where tags are lost. At first everything that simulation does not refute is claimed;
/// what cannot be proven with the rest is given up, until the rest proves itself.
pub(crate) fn find(
    system: &System,
    (seen, rows): (&[bool], &[Vec<Value>]),
    means: (&Options, &Backend, &Facts, Limit),
    stop: &(dyn Fn() -> bool + Sync),
) -> Dark {
    let mut dark = Dark::claimed(system, seen, rows);
    loop {
        let claimed: Vec<ExprId> =
            delays(system).into_iter().filter(|delay| !dark.0[*delay].is_empty()).collect();
        let groups: Vec<&[ExprId]> = claimed.chunks(GROUP).collect();
        let kept = in_parallel(means.0.jobs, &groups, |_, group| {
            still_dark(system, group, &dark, means, stop)
        });
        let before = dark.facts();
        for (delay, kept) in claimed.iter().zip(kept.into_iter().flatten()) {
            dark.0[*delay] = kept;
        }
        if dark.facts() == before {
            return dark.tidy();
        }
    }
}

/// What is left of the claims about some delays after one look at a single step.
fn still_dark(
    system: &System,
    group: &[ExprId],
    dark: &Dark,
    (options, backend, facts, limit): (&Options, &Backend, &Facts, Limit),
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<Vec<Shade>> {
    let mut terms = Terms::new();
    let mut goals = Goals::new(system, options.masking, &options.oracle, &mut terms);
    goals.avoid(dark);
    let ways_out: Vec<TermId> =
        group.iter().map(|delay| goals.comes_out(&mut terms, *delay)).collect();
    let lost: Vec<Vec<TermId>> = group.iter().map(|delay| goals.lost(&mut terms, *delay)).collect();
    let all = [ways_out.clone(), lost.concat()].concat();
    let part = goals.part(&mut terms, &all);
    let lemmas = facts.about(&mut terms, &part);
    let mut sweep = Sweep::new(&mut terms, &part, lemmas, backend);
    let mut kept = Vec::new();
    for ((delay, way_out), lost) in group.iter().zip(ways_out).zip(lost) {
        let mut claims: Vec<(Shade, TermId)> =
            dark.shades(*delay).iter().cloned().zip(lost).collect();
        let mut budget = Budget::new(limit);
        while !claims.is_empty() {
            let states: Vec<TermId> = claims.iter().map(|(_, state)| *state).collect();
            match sweep.example(&mut terms, way_out, &states, &mut budget) {
                _ if stop() => claims.clear(),
                Example::Never => break,
                Example::Unknown => claims.clear(),
                Example::Holds(refuted) => {
                    let mut refuted = refuted.into_iter();
                    claims.retain(|_| refuted.next() == Some(false));
                }
            }
        }
        kept.push(claims.into_iter().map(|(shade, _)| shade).collect());
    }
    kept
}
