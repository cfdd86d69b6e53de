//! Mutants that no test can tell from the model, or from another mutant, where zones decide it.

use std::collections::{BTreeMap, BTreeSet};

use provoke_timed::Network;
use provoke_timed::bounds::BoundTable;
use provoke_timed::dbm;
use provoke_timed::machine::Computed;
use provoke_timed::moves::Part;
use provoke_timed::network::{Condition, Urgency};
use provoke_timed::obstacle;
use provoke_timed::zones::{Explorer, Step, follow};
use rustc_hash::FxHashMap;

use crate::cone::{Influence, restricted};
use crate::interface::Interface;
use crate::mutant::{Change, Mutant};
use crate::tester::{edge, opened, place, process};

/// What is known of a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Known {
    /// Nothing: a test may tell it from the model.
    Open,
    /// The same automaton as that of another mutant.
    Duplicate(usize),
    /// No output differs, for this reason.
    Equivalent(&'static str),
}

/// More sets of states are not looked at.
const MOST_SETS: usize = 1000;

/// Says of each mutant what zones decide; `observe` are the variables that can be seen.
pub fn known(network: &Network, mutants: &[Mutant], observed: &[usize]) -> Vec<Known> {
    let influence = Influence::new(network);
    let mut seen: BTreeMap<(usize, String), usize> = BTreeMap::new();
    let mut reached: BTreeMap<usize, Option<BTreeSet<Part>>> = BTreeMap::new();
    let mut silent: BTreeMap<Part, bool> = BTreeMap::new();
    let mut found = Vec::new();
    for mutant in mutants {
        let changed = mutant.apply(network);
        let text = format!("{:?}", Parts(&changed, mutant.process));
        if text == format!("{:?}", Parts(network, mutant.process)) {
            found.push(Known::Equivalent("nothing is changed"));
            continue;
        }
        if let Some(first) = seen.get(&(mutant.process, text.clone())) {
            found.push(Known::Duplicate(*first));
            continue;
        }
        seen.insert((mutant.process, text), mutant.id);
        let cone = influence.around(mutant.process, observed);
        let reached = reached
            .entry(mutant.process)
            .or_insert_with(|| taken(&restricted(network, &cone)).ok().flatten());
        let Some(part) = changed_edge(mutant) else {
            found.push(Known::Open);
            continue;
        };
        if reached.as_ref().is_some_and(|reached| !reached.contains(&part)) {
            found.push(Known::Equivalent("the edge is never taken"));
            continue;
        }
        // What comes behind the edge shows nothing, in the model and in the mutant.
        let is_silent = |network: &Network| {
            let network = restricted(network, &cone);
            matches!(silent_behind(&network, part, observed), Ok(Some(true)))
        };
        let model = *silent.entry(part).or_insert_with(|| is_silent(network));
        found.push(match model && is_silent(&changed) {
            true => Known::Equivalent("behind the edge no output ever changes"),
            false => Known::Open,
        });
    }
    found
}

/// Locations and edges of a process, for comparing.
struct Parts<'n>(&'n Network, usize);

impl std::fmt::Debug for Parts<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let process = &self.0.processes[self.1];
        for location in &process.locations {
            write!(f, "{:?};", location.invariant)?;
        }
        for edge in &process.edges {
            let to: Vec<_> = edge.branches.iter().map(|b| (b.target, &b.update)).collect();
            write!(f, "{} {:?} {:?} {to:?};", edge.source, edge.guard, edge.sync)?;
        }
        Ok(())
    }
}

/// The edge whose effect, and nothing else, is changed.
fn changed_edge(mutant: &Mutant) -> Option<Part> {
    let edge = match &mutant.change {
        Change::Target(edge, ..) | Change::Sink(edge, _) | Change::Reset(edge, ..) => *edge,
        _ => return None,
    };
    Some(Part { process: mutant.process as u32, edge: edge as u32 })
}

/// A network whose tester sends anything at any time.
fn stormy(network: &Network) -> Network {
    let inputs: Vec<u32> = Interface::new(network).inputs.values().copied().collect();
    let (mut open, _) = opened(network, inputs.iter().copied());
    open.clocks.pop();
    let edges = inputs.iter().map(|c| edge(0, 0, Condition::truth(), Some(*c), Vec::new()));
    let idle = place("Storm".into(), Urgency::Normal, Condition::truth());
    open.processes.push(process(vec![idle], edges.collect()));
    open
}

type States = Vec<(Vec<i32>, Vec<i32>)>;

/// All that can be reached from some sets; `None` if that is too much. `step` sees all steps.
fn explore(
    network: &Network,
    start: States,
    mut step: impl FnMut(&Step, &[i32], &[i32]) -> bool,
) -> Computed<Option<()>> {
    let mut explorer = Explorer::new(network);
    let table = BoundTable::new(network, &[], true);
    let n = explorer.n;
    let mut passed: FxHashMap<Vec<i32>, Vec<Vec<i32>>> = FxHashMap::default();
    let (mut waiting, mut count) = (start, 0);
    while let Some((discrete, mut zone)) = waiting.pop() {
        explorer.extrapolate(&mut zone, &discrete, &table);
        let known = passed.entry(discrete.clone()).or_default();
        if known.iter().any(|other| dbm::is_inside(&zone, other)) {
            continue;
        }
        known.push(zone.clone());
        count += 1;
        if count > MOST_SETS {
            return Ok(None);
        }
        let mut go_on = true;
        explorer.steps(
            &discrete,
            |_| true,
            |taken| {
                for guard in &taken.guard {
                    let mut next = zone.clone();
                    if follow(&mut next, n, guard, taken) {
                        go_on &= step(taken, &taken.target, &next);
                        waiting.push((taken.target.clone(), next));
                    }
                }
                Ok(())
            },
        )?;
        if !go_on {
            return Ok(None);
        }
    }
    Ok(Some(()))
}

/// The edges that can be taken at all; `None` if it cannot be said.
fn taken(network: &Network) -> Computed<Option<BTreeSet<Part>>> {
    if obstacle::obstacle(network).is_some() {
        return Ok(None);
    }
    let network = stormy(network);
    let mut found = BTreeSet::new();
    let start: States = Explorer::new(&network).initial()?.into_iter().collect();
    let all = explore(&network, start, |step, _, _| {
        found.extend(step.parts.iter().map(|(part, _)| *part));
        true
    })?;
    Ok(all.map(|()| found))
}

/// Whether nothing that can be seen changes once an edge was taken.
fn silent_behind(network: &Network, edge: Part, observed: &[usize]) -> Computed<Option<bool>> {
    if obstacle::obstacle(network).is_some() {
        return Ok(None);
    }
    let network = stormy(network);
    let mut behind: BTreeMap<Vec<i32>, States> = BTreeMap::new();
    let cells = network.processes.len();
    let shown = |discrete: &[i32]| -> Vec<i32> {
        observed.iter().map(|cell| discrete[cells + cell]).collect()
    };
    let start: States = Explorer::new(&network).initial()?.into_iter().collect();
    let all = explore(&network, start, |step, target, zone| {
        if step.parts.iter().any(|(part, _)| *part == edge) {
            let sets = behind.entry(shown(target)).or_default();
            sets.push((target.to_vec(), zone.to_vec()));
        }
        true
    })?;
    if all.is_none() {
        return Ok(None);
    }
    for (values, sets) in behind {
        let same = explore(&network, sets, |_, target, _| shown(target) == values)?;
        if same.is_none() {
            return Ok(Some(false));
        }
    }
    Ok(Some(true))
}
