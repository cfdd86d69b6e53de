//! Where tags that wait in delays are lost as long as promises are kept.
//!
//! A model that is told to expect something of its environment remembers whether that held so
//! far, and much holds only while it does. A tag on such a memory asks what would be if it were
//! the other way round, and becomes visible only where something is as it cannot be while the
//! promise is kept. Such states form no box of a few remembered values, but the lemmas under the
//! guard of the promise tell them apart: as long as all of these hold, though the guard may
//! not, the tag is lost.
//!
//! At first all that the lemmas of a guard say is thought to be kept wherever a tag waits. What
//! a step can break is given up; a delay from which a tag can get out all the same does
//! not lose it.

use provoke_base::IndexVec;
use provoke_model::{ExprId, System, Value};
use provoke_sim::interpreter::delays;
use provoke_solve::engine::{Backend, Budget, Example, MergedTransition, Sweep};
use provoke_solve::{Limit, Reading, TermId, Terms};

use crate::generate::StrategyOptions;
use crate::goal::{Goals, WaysOn, guarded};
use crate::parallel::each_in_parallel;
use crate::system_lemmas::SystemLemmas;

/// How many delays share a solver.
const GROUP: usize = 8;
/// How many guards are tried, those with the most lemmas.
const MAX_GUARDS: usize = 4;
/// Fewer lemmas are not worth a search.
const MIN_PROMISES: usize = 2;

/// What has to be kept for a tag to be lost, for each delay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LossUnderAssumption {
    /// The positions of the lemmas with the same guard.
    lemmas: Vec<usize>,
    /// Which of them are needed, by their positions in that list; `None` where a tag may become
    /// visible though all are kept.
    needed: IndexVec<ExprId, Option<Vec<usize>>>,
}

impl LossUnderAssumption {
    pub(crate) fn new(
        lemmas: Vec<usize>,
        needed: IndexVec<ExprId, Option<Vec<usize>>>,
    ) -> LossUnderAssumption {
        LossUnderAssumption { lemmas, needed }
    }

    /// The positions of the lemmas.
    pub(crate) fn lemmas(&self) -> &[usize] {
        &self.lemmas
    }

    /// What has to be kept for a tag in a delay to be lost.
    pub(crate) fn needed(&self, delay: ExprId) -> Option<&[usize]> {
        self.needed[delay].as_deref()
    }

    /// All promises: what the lemmas say where their guard holds.
    pub(crate) fn promises(&self, terms: &mut Terms, facts: &SystemLemmas) -> Vec<TermId> {
        let all = facts.all(terms);
        let body = |lemma: &usize| guarded(terms, all[*lemma]).expect("chosen by its guard").1;
        self.lemmas.iter().map(body).collect()
    }

    /// For how many delays something is known.
    pub(crate) fn facts(&self) -> usize {
        self.needed.iter().flatten().count()
    }

    /// The delays for which something is known.
    pub(crate) fn delays(&self) -> Vec<ExprId> {
        self.needed.ids().filter(|delay| self.needed[*delay].is_some()).collect()
    }

    fn give_up(&mut self, broken: &[(ExprId, usize)]) {
        for (delay, promise) in broken {
            if let Some(needed) = &mut self.needed[*delay] {
                needed.retain(|other| other != promise);
            }
        }
    }
}

type Means<'a> = (&'a StrategyOptions, &'a Backend, &'a SystemLemmas, Limit);

/// Finds where tags are lost under guards, for each of a few.
pub(crate) fn find(
    system: &System,
    means: Means<'_>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<LossUnderAssumption> {
    let facts = means.2;
    let ends = facts.observable.everywhere();
    let mut losses = Vec::new();
    for lemmas in by_guard(facts) {
        let mut loss = LossUnderAssumption::new(lemmas, IndexVec::repeat(None, system.exprs.len()));
        let all: Vec<usize> = (0..loss.lemmas.len()).collect();
        for delay in delays(system).into_iter().filter(|delay| !ends[*delay]) {
            loss.needed[delay] = Some(all.clone());
        }
        shrink(system, &mut loss, means, stop);
        if loss.facts() > 0 {
            losses.push(loss);
        }
    }
    losses
}

/// The positions of lemmas with the same guard, for the guards that have the most.
fn by_guard(facts: &SystemLemmas) -> Vec<Vec<usize>> {
    let mut terms = Terms::new();
    let mut guards: Vec<(TermId, Vec<usize>)> = Vec::new();
    for (position, lemma) in facts.all(&mut terms).into_iter().enumerate() {
        let Some((guard, _)) = guarded(&terms, lemma) else { continue };
        match guards.iter_mut().find(|(other, _)| *other == guard) {
            Some((_, lemmas)) => lemmas.push(position),
            None => guards.push((guard, vec![position])),
        }
    }
    let mut by_guard: Vec<Vec<usize>> = guards.into_iter().map(|(_, lemmas)| lemmas).collect();
    by_guard.retain(|lemmas| lemmas.len() >= MIN_PROMISES);
    by_guard.sort_by_key(|lemmas| std::cmp::Reverse(lemmas.len()));
    by_guard.truncate(MAX_GUARDS);
    by_guard
}

/// Gives up what can be broken, until nothing can.
fn shrink(
    system: &System,
    loss: &mut LossUnderAssumption,
    means: Means<'_>,
    stop: &(dyn Fn() -> bool + Sync),
) {
    loop {
        let doubtful = loss.delays();
        let groups: Vec<&[ExprId]> = doubtful.chunks(GROUP).collect();
        let found = each_in_parallel(means.0.jobs, &groups, |_, group| {
            looks(system, group, loss, means, stop)
        });
        let mut changed = false;
        for (delay, look) in doubtful.iter().zip(found.into_iter().flatten()) {
            changed |= look != Look::Lost(Vec::new());
            match look {
                Look::Out => loss.needed[*delay] = None,
                Look::Lost(broken) => loss.give_up(&broken),
            }
        }
        if !changed {
            return;
        }
    }
}

/// What a step can do with a tag while promises are kept.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Look {
    /// Bring it out, as far as known.
    Out,
    /// No more than break these promises where it goes.
    Lost(Vec<(ExprId, usize)>),
}

/// What a step can do with tags in some delays.
fn looks(
    system: &System,
    group: &[ExprId],
    loss: &LossUnderAssumption,
    (options, backend, facts, limit): Means<'_>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<Look> {
    if stop() {
        return vec![Look::Out; group.len()];
    }
    let mut terms = Terms::new();
    let mut goals = Goals::new(system, options.masking, &options.oracle, &mut terms);
    goals.read(Reading::Possible);
    goals.end_tags_outside(&facts.observable);
    let promises = loss.promises(&mut terms, facts);
    let after = goals.after(&mut terms, &promises);
    let ways: Vec<WaysOn> =
        group.iter().map(|delay| goals.ways_on(&mut terms, *delay, loss)).collect();
    let mut mentioned: Vec<TermId> = [&promises[..], &after].concat();
    mentioned.extend(ways.iter().flat_map(|ways| ways.into.iter().map(|into| into.1)));
    mentioned.extend(ways.iter().map(|ways| ways.out));
    let part = goals.part(&mut terms, &mentioned);
    let lemmas = facts.about(&mut terms, &part);
    let part = MergedTransition::new(&mut terms, &part);
    let mut sweep = Sweep::new(&mut terms, &part, 0, &lemmas, backend);
    let mut look = |delay: ExprId, ways: &WaysOn| {
        let mut loss = loss.clone();
        let mut budget = Budget::new(limit);
        let mut given_up = Vec::new();
        let inside = goals.in_region(&mut terms, facts.observable.region(delay));
        while !stop() {
            let here: Vec<TermId> =
                loss.needed(delay).unwrap_or_default().iter().map(|at| promises[*at]).collect();
            let here = terms.all(&here);
            let breaks = breaks(&mut terms, &loss, ways, &after);
            let surprise = terms.any(&[ways.out, breaks]);
            let surprise = terms.all(&[inside, here, surprise]);
            let asked: Vec<TermId> =
                ways.into.iter().map(|into| into.1).chain(after.iter().copied()).collect();
            match sweep.example(&mut terms, surprise, &asked, &mut budget) {
                Example::Never => return Look::Lost(given_up),
                Example::Unknown => break,
                Example::Here(values) => {
                    let broken = broken(&loss, ways, &after, &values);
                    if broken.is_empty() {
                        break;
                    }
                    loss.give_up(&broken);
                    given_up.extend(broken);
                }
            }
        }
        Look::Out
    };
    group.iter().zip(&ways).map(|(delay, ways)| look(*delay, ways)).collect()
}

/// Whether a tag goes where a promise is not kept that is needed there.
fn breaks(
    terms: &mut Terms,
    loss: &LossUnderAssumption,
    ways: &WaysOn,
    after: &[TermId],
) -> TermId {
    let mut any = Vec::new();
    for &(delay, way) in &ways.into {
        let needed = loss.needed(delay).expect("tags are lost in it");
        let kept: Vec<TermId> = needed.iter().map(|promise| after[*promise]).collect();
        let kept = terms.all(&kept);
        let broken = terms.not(kept);
        any.push(terms.all(&[way, broken]));
    }
    terms.any(&any)
}

/// The promises that are not kept where a tag goes, by the values of an example.
fn broken(
    loss: &LossUnderAssumption,
    ways: &WaysOn,
    after: &[TermId],
    values: &[(TermId, Value)],
) -> Vec<(ExprId, usize)> {
    let is = |term: TermId, wanted: bool| values.contains(&(term, Value::Bool(wanted)));
    let mut broken = Vec::new();
    for &(delay, _) in ways.into.iter().filter(|(_, way)| is(*way, true)) {
        let needed = loss.needed(delay).unwrap_or_default();
        let lost = needed.iter().filter(|promise| is(after[**promise], false));
        broken.extend(lost.map(|promise| (delay, *promise)));
    }
    broken
}
