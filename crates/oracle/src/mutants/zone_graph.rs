//! What a network can do while a tester sends anything at any time: sets of states, as zones, and
//! the steps between them, in a form that can be compared.

use std::collections::{BTreeMap, BTreeSet};

use provoke_uppaal::Network;
use provoke_uppaal::machine::Computed;
use provoke_uppaal::moves::Part;
use provoke_uppaal::network::{Base, Condition, NetworkExpr, Stmt, Urgency};
use provoke_zones::bounds::BoundTable;
use provoke_zones::constraints::Alternatives;
use provoke_zones::dbm::{self, Constraint};
use provoke_zones::explorer::{ZoneExplorer, ZoneStep, follow};
use provoke_zones::obstacle;
use rustc_hash::FxHashMap;

use crate::tester::automaton::{edge, opened, place, process};
use crate::tester::uses::{Uses, positions};

/// More sets of states are not looked at.
const MOST_SETS: usize = 1000;

/// Sets of states: locations and variables, and what clocks may be.
type States = Vec<(Vec<i32>, Vec<i32>)>;

/// A network beside a tester that sends anything at any time.
pub(crate) struct Storm {
    network: Network,
    /// The constants behind which clocks are not told apart. Any will do: sets only become larger.
    table: BoundTable,
    /// Variables that are only counted up: what they are changes nothing, only that they change.
    counters: BTreeSet<usize>,
}

impl Storm {
    /// The storm of these channels; `None` if zones cannot follow the network. To be compared with
    /// another network, it should tell clocks apart as that one does.
    pub(crate) fn new(network: &Network, inputs: &[u32], like: Option<&Network>) -> Option<Storm> {
        // Who comes first may be somebody outside of the part that is looked at.
        if obstacle::obstacle(network).is_some() || network.priorities.is_some() {
            return None;
        }
        let stormy = |network: &Network| {
            let (mut open, _) = opened(network, inputs.iter().copied());
            open.clocks.pop();
            let edges = inputs.iter().map(|c| edge(0, 0, Condition::truth(), Some(*c), Vec::new()));
            let idle = place("Storm".into(), Urgency::Normal, Condition::truth());
            open.processes.push(process(vec![idle], edges.collect()));
            open
        };
        let network = stormy(network);
        let places = |network: &Network| -> Vec<usize> {
            network.processes.iter().map(|process| process.locations.len()).collect()
        };
        let alike =
            |like: &Network| like.clocks == network.clocks && places(like) == places(&network);
        let like = like.map(stormy).filter(alike);
        let table = BoundTable::new(like.as_ref().unwrap_or(&network), &[], true);
        let counters = counters(&network);
        Some(Storm { network, table, counters })
    }

    /// Locations and variables with counters as they were at the beginning.
    fn without_counts(&self, discrete: &[i32]) -> Vec<i32> {
        let mut discrete = discrete.to_vec();
        let cells = self.network.processes.len();
        for cell in &self.counters {
            discrete[cells + cell] = self.network.cells[*cell].initial as i32;
        }
        discrete
    }

    fn start(&self) -> Computed<States> {
        Ok(ZoneExplorer::new(&self.network).initial()?.into_iter().collect())
    }

    /// All that can be reached from some sets; `None` if that is too much. `step` sees all steps, and
    /// says whether to go on.
    fn explore(
        &self,
        start: States,
        mut set: impl FnMut(&mut ZoneExplorer<'_>, &[i32], &[i32]) -> Computed<()>,
        mut step: impl FnMut(&ZoneStep, &[i32], &[i32]) -> bool,
    ) -> Computed<Option<()>> {
        let mut explorer = ZoneExplorer::new(&self.network);
        let n = explorer.n;
        let mut passed: FxHashMap<Vec<i32>, Vec<Vec<i32>>> = FxHashMap::default();
        let (mut waiting, mut count) = (start, 0);
        while let Some((discrete, mut zone)) = waiting.pop() {
            explorer.extrapolate(&mut zone, &discrete, &self.table);
            let known = passed.entry(discrete.clone()).or_default();
            if known.iter().any(|other| dbm::is_inside(&zone, other)) {
                continue;
            }
            known.push(zone.clone());
            count += 1;
            if count > MOST_SETS {
                return Ok(None);
            }
            set(&mut explorer, &discrete, &zone)?;
            let mut go_on = true;
            explorer.steps(
                &discrete,
                |_| true,
                |taken| {
                    for guard in &taken.guard {
                        let mut next = zone.clone();
                        if follow(&mut next, n, guard, taken) {
                            go_on &= step(taken, &taken.target, &next);
                            waiting.push((self.without_counts(&taken.target), next));
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
    pub(crate) fn taken(&self) -> Computed<Option<BTreeSet<Part>>> {
        let mut found = BTreeSet::new();
        let all = self.explore(
            self.start()?,
            |_, _, _| Ok(()),
            |step, _, _| {
                found.extend(step.parts.iter().map(|(part, _)| *part));
                true
            },
        )?;
        Ok(all.map(|()| found))
    }

    /// Whether nothing that can be seen changes once an edge was taken.
    pub(crate) fn silent_behind(&self, edge: Part, observed: &[usize]) -> Computed<Option<bool>> {
        let mut behind: BTreeMap<Vec<i32>, States> = BTreeMap::new();
        let cells = self.network.processes.len();
        let shown = |discrete: &[i32]| -> Vec<i32> {
            observed.iter().map(|cell| discrete[cells + cell]).collect()
        };
        let all = self.explore(
            self.start()?,
            |_, _, _| Ok(()),
            |step, target, zone| {
                if step.parts.iter().any(|(part, _)| *part == edge) {
                    let target = self.without_counts(target);
                    behind.entry(shown(&target)).or_default().push((target, zone.to_vec()));
                }
                true
            },
        )?;
        if all.is_none() {
            return Ok(None);
        }
        for (values, sets) in behind {
            let see = |_: &ZoneStep, target: &[i32], _: &[i32]| shown(target) == values;
            if self.explore(sets, |_, _, _| Ok(()), see)?.is_none() {
                return Ok(Some(false));
            }
        }
        Ok(Some(true))
    }

    /// All that can be reached and done, as text; `None` if it is too much. Two networks that differ
    /// in one process and have the same text do the same with the same probabilities: from each set,
    /// the same states allow time to pass, and the same steps with the same effect; and the process
    /// by itself could wait for as long, and act as early, as delays are drawn by what it alone wants.
    pub(crate) fn described(&self, process: usize) -> Computed<Option<String>> {
        let mut lines: Vec<String> = Vec::new();
        let all = self.explore(
            self.start()?,
            |explorer, discrete, zone| {
                lines.push(self.set(explorer, discrete, zone, process)?);
                Ok(())
            },
            |_, _, _| true,
        )?;
        lines.sort_unstable();
        lines.push(format!("{:?}", self.network.clocks));
        Ok(all.map(|()| lines.concat()))
    }

    /// The updates of a step that change counters: their effect is more than what is seen of it.
    fn counted(&self, step: &ZoneStep) -> Vec<&Stmt> {
        let updates = step.parts.iter().flat_map(|(part, branch)| {
            let edge = self.network.edge(*part);
            &edge.branches[*branch as usize].update
        });
        let counts = |stmt: &&Stmt| {
            let mut uses = Uses::default();
            uses.statements(&self.network, std::slice::from_ref(*stmt));
            self.counters.iter().any(|cell| uses.writes.contains(cell))
        };
        updates.filter(counts).collect()
    }

    fn set(
        &self,
        explorer: &mut ZoneExplorer<'_>,
        discrete: &[i32],
        zone: &[i32],
        process: usize,
    ) -> Computed<String> {
        let n = explorer.n;
        let part_of = |zone: &[i32], constraints: &[Constraint]| {
            let mut part = zone.to_vec();
            constraints.iter().all(|c| dbm::constrain(&mut part, n, *c)).then_some(part)
        };
        let parts_of = |zone: &[i32], alternatives: &Alternatives| {
            let parts = alternatives.iter().filter_map(|all| part_of(zone, all));
            parts.collect::<Vec<_>>()
        };
        let invariant = explorer.invariant_of(discrete)?.unwrap_or_default();
        let Some(here) = part_of(zone, &invariant) else { return Ok(String::new()) };
        let mut text = format!("{discrete:?} {here:?}");
        // What the process wants, whatever others allow.
        let mut later = here.clone();
        dbm::up(&mut later, n);
        let of = &self.network.processes[process];
        let location = discrete[process] as usize;
        let stays = explorer.alternatives_in(discrete, &of.locations[location].invariant)?;
        let stays = parts_of(&later, &stays);
        text += &format!(" {stays:?}");
        for edge in of.leaving[location].iter().map(|edge| &of.edges[*edge]) {
            if edge.leads() {
                let acts = explorer.alternatives_in(discrete, &edge.guard)?;
                let moments = stays.iter().map(|stay| parts_of(stay, &acts));
                text += &format!(" {:?}", moments.collect::<Vec<_>>());
            }
        }
        let mut steps = Vec::new();
        explorer.steps(
            discrete,
            |_| true,
            |step| {
                let when: Vec<_> =
                    step.guard.iter().filter_map(|all| part_of(&here, all)).collect();
                if !when.is_empty() {
                    let who: Vec<_> =
                        step.parts.iter().map(|(part, branch)| (part.process, branch)).collect();
                    let ZoneStep { channel, resets, target, invariant, .. } = step;
                    let counts = self.counted(step);
                    steps.push(format!(
                        "{channel:?} {who:?} {when:?} {resets:?} {target:?} {invariant:?} {counts:?}"
                    ));
                }
                Ok(())
            },
        )?;
        steps.sort_unstable();
        Ok(format!("{text} {steps:?}\n"))
    }
}

/// The variables that are counted up or down, and otherwise neither read nor written.
fn counters(network: &Network) -> BTreeSet<usize> {
    let (mut counted, mut used) = (BTreeSet::new(), BTreeSet::new());
    for process in &network.processes {
        let mut rest = process.clone();
        for branch in rest.edges.iter_mut().flat_map(|edge| &mut edge.branches) {
            branch.update.retain(|stmt| {
                let Stmt::Do(NetworkExpr::Step(place, ..)) = stmt else { return true };
                let (Base::Cell(first), [one]) = (place.base, &positions(&place.index)[..]) else {
                    return true;
                };
                counted.insert(first as usize + one);
                false
            });
        }
        let rest = Uses::of_process(network, &rest);
        used.extend(rest.reads.into_iter().chain(rest.writes));
    }
    counted.difference(&used).copied().collect()
}
