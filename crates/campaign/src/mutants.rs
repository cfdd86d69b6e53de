//! Mutants of one system: what is called equivalent never differs, what is killed does.

use std::collections::HashSet;

use provoke_base::SourceFile;
use provoke_base::rounds::NoLedger;
use provoke_criteria::Oracle;
use provoke_model::{ExprKind, Fault, System, Value, VarId};
use provoke_mutate::{
    Mutant, MutantChange, REPLACEMENTS, SurvivorFinding, SurvivorSearch, mutants, reference,
};
use provoke_sim::interpreter::delays;
use provoke_sim::{SimState, Simulator};
use provoke_solve::Effort;
use provoke_solve::engine::Engine;

use crate::counts::Counts;
use crate::inside::{Subject, Wrong, limit};

/// How many mutants of a system are decided, and how much is tried for each.
const MUTANTS: usize = 12;
const MAX_STEPS: usize = 4_000;

pub(crate) fn check(
    subject: &Subject<'_>,
    file: &SourceFile,
    counts: &mut Counts,
) -> Result<(), Wrong> {
    let system = subject.system;
    let all = mutants(system, Some(file), REPLACEMENTS);
    let valid: Vec<&Mutant> = all.iter().filter(|mutant| mutant.invalid.is_none()).collect();
    let every = valid.len().div_ceil(MUTANTS).max(1);
    let chosen: Vec<&Mutant> = valid.into_iter().step_by(every).collect();
    let monitored = Oracle::Outputs.monitored(system);
    let engine = subject.course.engine;
    let efforts = [Effort { depth: 6, k: 2, limit: limit(60_000) }];
    let search = SurvivorSearch {
        system,
        monitored: &monitored,
        tests: &[],
        backend: subject.backend,
        engine,
        learning: limit(100_000),
        efforts: &efforts,
        seed: subject.course.seed,
        jobs: 1,
        ledger: &NoLedger,
    };
    let found = search.run(&chosen, &|| false, &mut |_| {});
    let command = command(engine);
    for (mutant, finding) in chosen.iter().zip(&found.of) {
        let mutated = mutant.apply(system);
        let wrong = |kind: &str, detail: String| {
            Err(Wrong::new(kind, &command, format!("{}: {detail}", mutant.id)))
        };
        match finding {
            SurvivorFinding::Equivalent { engine, .. } => {
                counts.add("mutants equivalent");
                counts.add_proof(engine);
                if let Some(run) = difference(subject, mutant, &mutated, &monitored) {
                    return wrong("mutant equivalent although a run tells it apart", run);
                }
            }
            SurvivorFinding::Killed { test, step } => {
                counts.add("mutants killed");
                let steps = &found.tests[*test];
                let end = reference::run(system, &mutated, steps, &monitored);
                if end != reference::MutantRunEnd::Killed(*step) {
                    return wrong("mutant not killed by its test", format!("{end:?}: {steps:?}"));
                }
            }
            SurvivorFinding::Faulted { .. } => counts.add("mutants that fault"),
            SurvivorFinding::Unknown { .. } => counts.add("mutants unknown"),
        }
    }
    Ok(())
}

fn command(engine: Engine) -> String {
    format!("mutate suite.json --equivalence --kill --prover {}", engine.word())
}

/// A run in which a monitored value differs or the mutant faults, found by trying all.
pub(crate) fn difference(
    subject: &Subject<'_>,
    mutant: &Mutant,
    mutated: &System,
    monitored: &[VarId],
) -> Option<String> {
    let system = subject.system;
    let shared = shared_memory(system, mutant, mutated);
    let mut open: Vec<[SimState; 3]> = Vec::new();
    for (possible, known) in subject.space.first_states() {
        let of_mutant = shared.iter().map(|slot| match slot {
            Some(slot) => possible.memory()[*slot].clone(),
            None => Value::Unknown,
        });
        let of_mutant = SimState::new(0, of_mutant.collect());
        open.push([possible, known, of_mutant]);
    }
    let mut seen: HashSet<[Vec<Value>; 3]> = HashSet::new();
    let mut simulators = [Simulator::new(system), Simulator::new(system), Simulator::new(mutated)];
    let mut steps = 0;
    while let Some(states) = open.pop() {
        for row in &subject.space.rows {
            steps += 1;
            if steps > MAX_STEPS {
                return None;
            }
            let [original, known, other] = &mut simulators;
            let is_run = crate::judge::step(original, known, &states[0], &states[1], row);
            if is_run != Some(false) {
                continue;
            }
            other.restore(&states[2]);
            let differs = match other.step(row) {
                // Where the evaluator gives up, nothing was seen.
                Err(error) if error.fault == Fault::NumberTooLarge => continue,
                Err(error) => Some(format!("the mutant has a {error}")),
                Ok(_) => monitored.iter().find_map(|var| {
                    let (a, b) = (&original.values()[*var], &other.values()[*var]);
                    let differs = a.is_known() && b.is_known() && a != b;
                    differs.then(|| format!("{} is {a:?} and {b:?}", system.vars[*var].name))
                }),
            };
            if let Some(what) = differs {
                return Some(format!("{what} from {states:?} with {row:?}"));
            }
            let after = simulators.each_ref().map(|simulator| simulator.state().memory().to_vec());
            if seen.insert(after.clone()) {
                open.push(after.map(|memory| SimState::new(1, memory)));
            }
        }
    }
    None
}

/// For each delay of a mutant the place of the original's; what the fault adds has none, and is
/// not looked at in the first step.
fn shared_memory(system: &System, mutant: &Mutant, mutated: &System) -> Vec<Option<usize>> {
    let mut places = Vec::new();
    let mut slot = 0;
    for (id, expr) in system.exprs.entries() {
        if matches!(expr.kind, ExprKind::Pre(_)) {
            places.push(Some(slot));
            slot += 1;
        }
        let delays_it = |site: &&provoke_mutate::MutationSite| {
            site.expr == id && matches!(site.change, MutantChange::Delay { .. })
        };
        if mutant.sites.iter().any(|site| delays_it(&site)) {
            places.push(None);
        }
    }
    assert_eq!(places.len(), delays(mutated).len(), "every delay has its place");
    places
}
