//! How near tests came to killing a mutant that survived.
//!
//! The papers' four conditions: a test must *reach* the fault, *infect* the state, the
//! difference must *propagate*, and the oracle must *reveal* it. Survivors miss one of them.

use std::sync::Arc;

use provoke_base::IndexVec;
use provoke_model::{BinaryOp, ExprId, ExprKind, System};
use provoke_sim::batch::word;
use provoke_sim::{Batch, NodeId, RunSet, SimProgram};

use crate::mutant::Mutant;
use crate::score::{
    KillMoment, Race, ScoreOptions, TestInputs, differing, in_groups, inside, lane_of, members,
};
use crate::select::{Pair, Selection};

/// The condition that was met last; killed mutants meet one more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum MissStage {
    /// None: where the fault is, is never evaluated.
    Unreached,
    /// The fault is evaluated, and gives what the original gives.
    Reached,
    /// It gives something else, which changes no variable.
    Infected,
    /// A variable differs, but none that is monitored.
    Propagated,
}

provoke_base::words!(MissStage {
    Unreached = "not reached",
    Reached = "reached",
    Infected = "infected",
    Propagated = "propagated",
});

/// The nearest that a suite came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NearMiss {
    /// How far.
    pub stage: MissStage,
    /// Where first; `None` if not at all.
    pub at: Option<KillMoment>,
}

/// How near the tests come to killing each of the mutants.
pub fn misses(
    system: &System,
    survivors: &[&Mutant],
    tests: &[TestInputs],
    options: &ScoreOptions<'_>,
) -> Vec<NearMiss> {
    misses_until(system, survivors, tests, options, &|| false)
}

/// The same, until `stop` ends it early: then tests came at least as near.
pub fn misses_until(
    system: &System,
    survivors: &[&Mutant],
    tests: &[TestInputs],
    options: &ScoreOptions<'_>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<NearMiss> {
    let unreached = NearMiss { stage: MissStage::Unreached, at: None };
    if stop() {
        return vec![unreached; survivors.len()];
    }
    let (ways, tests) = (Ways::new(system), &*inside(system, tests));
    let groups = in_groups(system, survivors, options.jobs, &|_| {}, stop, |selection| {
        group(system, &ways, selection, tests, stop)
    });
    groups.into_iter().map(|miss| miss.unwrap_or(unreached)).collect()
}

fn group(
    system: &System,
    ways: &Ways,
    selection: &Selection,
    tests: &[TestInputs],
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<NearMiss> {
    let mut race = Race::new(selection, tests);
    let program = Arc::clone(race.batch.program());
    let computed = system.vars.entries().filter(|(_, var)| !var.role.is_from_outside());
    let nodes: Vec<NodeId> = computed.map(|(var, _)| program.definition(var)).collect();
    let probes: Vec<Vec<Probe>> = selection
        .sites
        .iter()
        .map(|pairs| pairs.iter().map(|pair| Probe::new(ways, selection, &program, pair)).collect())
        .collect();
    let mut misses =
        vec![NearMiss { stage: MissStage::Unreached, at: None }; selection.sites.len()];
    // No survivor comes farther than to a variable, so that those that did are done.
    let mut open = race.mutants;
    for (test, steps) in tests.iter().enumerate() {
        let mut running = open;
        if running == 0 || stop() {
            break;
        }
        race.run(steps, running, |batch, step, faulty| {
            running &= !faulty;
            let at = Some(KillMoment { test, step });
            let mut note = |mutant: usize, stage: MissStage| {
                if misses[mutant].stage < stage {
                    misses[mutant] = NearMiss { stage, at };
                }
            };
            for mutant in members(running) {
                let in_own_run = |runs: RunSet| runs >> lane_of(mutant) & 1 != 0;
                for probe in probes[mutant].iter().filter(|p| in_own_run(p.reached(batch))) {
                    let infected = in_own_run(batch.differ(probe.mutated, probe.original));
                    note(mutant, if infected { MissStage::Infected } else { MissStage::Reached });
                }
            }
            let propagated = differing(batch, &nodes) & running;
            members(propagated).for_each(|mutant| note(mutant, MissStage::Propagated));
            running &= !propagated;
            open &= !propagated;
            running
        });
    }
    misses
}

/// A site in a running batch.
struct Probe {
    mutated: NodeId,
    original: NodeId,
    /// Nodes that have these values where the site is evaluated.
    conditions: Vec<(NodeId, bool)>,
    /// Words of the runs in which it is evaluated, as far as the step decides.
    steps: Vec<u32>,
}

impl Probe {
    fn new(ways: &Ways, selection: &Selection, program: &SimProgram, pair: &Pair) -> Probe {
        let (mut conditions, mut steps) = (Vec::new(), Vec::new());
        for passage in ways.to(pair.origin) {
            match passage {
                Passage::When(condition, value) => {
                    conditions.push((program.node_of(selection.places[condition]), value));
                }
                Passage::First => steps.push(word::FIRST),
                Passage::Later => steps.push(word::LATER),
            }
        }
        let [mutated, original] = [pair.mutated, pair.original].map(|expr| program.node_of(expr));
        Probe { mutated, original, conditions, steps }
    }

    /// The runs in which the site is evaluated.
    fn reached(&self, batch: &Batch) -> RunSet {
        let words = batch.words();
        let in_time = self.steps.iter().fold(!0, |runs, word| runs & words[*word as usize]);
        self.conditions.iter().fold(in_time, |runs, (node, value)| {
            let Some(truth) = batch.truth(*node) else { return runs };
            let (is, known) = (words[truth.value as usize], words[truth.known as usize]);
            // What is unknown may be anything, so both sides are evaluated.
            runs & (!known | if *value { is } else { !is })
        })
    }
}

/// What must be so for the interpreter to evaluate an operand.
#[derive(Clone, Copy)]
enum Passage {
    When(ExprId, bool),
    First,
    Later,
}

/// Which expression each expression is part of.
struct Ways {
    parents: IndexVec<ExprId, Option<(ExprId, usize)>>,
    kinds: IndexVec<ExprId, ExprKind>,
}

impl Ways {
    fn new(system: &System) -> Ways {
        let mut parents = IndexVec::repeat(None, system.exprs.len());
        for (id, expr) in system.exprs.entries() {
            for (position, operand) in expr.kind.operands().enumerate() {
                parents[operand] = Some((id, position));
            }
        }
        let kinds = system.exprs.iter().map(|expr| expr.kind.clone()).collect();
        Ways { parents, kinds }
    }

    /// What lies between an expression and its equation. Equations, and what stands under
    /// `pre`, are evaluated in every step.
    fn to(&self, expr: ExprId) -> Vec<Passage> {
        let (mut passages, mut at) = (Vec::new(), expr);
        while let Some((parent, position)) = self.parents[at] {
            use BinaryOp::{And, Implies, Or};
            match (&self.kinds[parent], position) {
                (ExprKind::Pre(_), _) => break,
                (ExprKind::If(condition, ..), 1) => passages.push(Passage::When(*condition, true)),
                (ExprKind::If(condition, ..), 2) => passages.push(Passage::When(*condition, false)),
                (ExprKind::Binary(And | Implies, left, _), 1) => {
                    passages.push(Passage::When(*left, true));
                }
                (ExprKind::Binary(Or, left, _), 1) => passages.push(Passage::When(*left, false)),
                (ExprKind::Arrow(..), 0) => passages.push(Passage::First),
                (ExprKind::Arrow(..), _) => passages.push(Passage::Later),
                _ => {}
            }
            at = parent;
        }
        passages
    }
}
