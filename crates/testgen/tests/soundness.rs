//! Verdicts of the generator against exhaustive search on small Boolean systems.

mod common;

use std::collections::{BTreeSet, VecDeque};

use common::{backend, options, rows, run, systems, undefined};
use provoke_base::Random;
use provoke_criteria::{
    Checkpoint, Counting, Criterion, Masking, Measurement, Obligation, Oracle, obligations,
};
use provoke_model::{System, Value};
use provoke_sim::SimState;
use provoke_sim::interpreter::delays;
use provoke_testgen::{GenerationMethod, GenerationResult, ObligationVerdict};
use provoke_testkit::random_system::{Shape, system};

/// What any test can cover for certain.
fn coverable(system: &System, obligation: &Obligation) -> bool {
    let unknown = vec![Value::Unknown; delays(system).len()];
    coverable_from(system, obligation, &SimState::new(0, unknown))
}

/// What any test covers for some values of what is undefined.
fn possible(system: &System, obligation: &Obligation) -> bool {
    let undefined = undefined(system);
    let value = |bits: usize, i: usize| match undefined[i] {
        true => Value::Bool(bits >> i & 1 == 1),
        false => Value::Unknown,
    };
    let memory = |bits: usize| (0..undefined.len()).map(|i| value(bits, i)).collect();
    (0..1 << undefined.len())
        .any(|bits| coverable_from(system, obligation, &SimState::new(0, memory(bits))))
}

/// A search over all pairs of state and waiting tags, for one obligation at a time, since tags of
/// covered ones are no longer carried.
fn coverable_from(system: &System, obligation: &Obligation, start: &SimState) -> bool {
    let one = std::slice::from_ref(obligation);
    let fresh = Measurement::new(system, one, Masking::Strict, &Oracle::Outputs);
    let rows = rows(system);
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut open: VecDeque<Option<Checkpoint>> = VecDeque::from([None]);
    while let Some(from) = open.pop_front() {
        for row in &rows {
            let mut measurement = fresh.clone();
            match &from {
                None => measurement.begin_at(start),
                Some(checkpoint) => measurement.resume(checkpoint),
            }
            measurement.step(row).expect("Boolean systems have no faults");
            if measurement.coverage().is_covered(0) {
                return true;
            }
            let checkpoint = measurement.checkpoint();
            // The number of steps does not matter, beyond the first.
            let key = format!("{:?}", (checkpoint.state.memory(), waiting(&checkpoint)));
            if seen.insert(key) {
                open.push_back(Some(checkpoint));
            }
        }
    }
    false
}

/// Where tags wait, as text.
fn waiting(checkpoint: &Checkpoint) -> String {
    let text = format!("{checkpoint:?}");
    text.split("tags:").nth(1).unwrap_or_default().to_string()
}

fn criteria() -> [Criterion; 3] {
    ["mcdc", "omcdc", "obranch"].map(|word| Criterion::named(word).expect("a criterion"))
}

#[test]
fn verdicts_equal_exhaustive_search() {
    let Some(backend) = backend() else { return };
    let (mut covered, mut infeasible, mut between) = (0, 0, 0);
    for seed in 0..systems(60) {
        let shape = Shape { hazards: seed % 2 == 1, ..Shape::BOOLEAN };
        let system = system(&mut Random::new(seed), shape);
        let criterion = criteria()[seed as usize % 3];
        let wanted = obligations(&system, criterion, Counting::Precise);
        let found = run(&system, &wanted, &backend, &options(GenerationMethod::Hybrid, 2));
        for (obligation, outcome) in wanted.iter().zip(&found.outcomes) {
            let truth = coverable(&system, obligation);
            let context = || format!("seed {seed}, {}: {outcome:?}", obligation.id);
            match outcome {
                ObligationVerdict::Covered(_) => assert!(truth, "{}", context()),
                ObligationVerdict::Infeasible(_) => {
                    assert!(!possible(&system, obligation), "{}", context())
                }
                ObligationVerdict::Unknown { reason, .. } => {
                    let why = "only an undefined value can do that";
                    assert!(reason.starts_with(why) && !truth, "undecided: {}", context());
                    assert!(possible(&system, obligation), "{}", context());
                    between += 1;
                    continue;
                }
            }
            covered += usize::from(truth);
            infeasible += usize::from(!truth);
        }
    }
    assert!(covered > 100 && infeasible > 100, "{covered} covered, {infeasible} infeasible");
    assert!(between > 0, "nothing rested on an undefined value");
}

#[test]
fn every_test_covers_what_it_claims() {
    let Some(backend) = backend() else { return };
    for seed in 0..40 {
        let system = system(&mut Random::new(seed), Shape::MIXED);
        let wanted = obligations(&system, criteria()[1], Counting::Published);
        let found = run(&system, &wanted, &backend, &options(GenerationMethod::Hybrid, 2));
        let mut again = Measurement::new(&system, &wanted, Masking::Strict, &Oracle::Outputs);
        for test in &found.tests {
            assert_eq!(again.run_test(&test.steps).covered, test.covers, "seed {seed}");
        }
    }
}

#[test]
fn methods_and_jobs_agree() {
    let Some(backend) = backend() else { return };
    for seed in 0..15 {
        let system = system(&mut Random::new(seed), Shape::BOOLEAN);
        let wanted = obligations(&system, criteria()[1], Counting::Published);
        let one = run(&system, &wanted, &backend, &options(GenerationMethod::Hybrid, 1));
        let two = run(&system, &wanted, &backend, &options(GenerationMethod::Hybrid, 2));
        assert_eq!(one, two, "seed {seed}");
        let kinds = |found: &GenerationResult| -> Vec<bool> {
            found.outcomes.iter().map(|o| matches!(o, ObligationVerdict::Covered(_))).collect()
        };
        for method in [GenerationMethod::Regular, GenerationMethod::Incremental] {
            let other = run(&system, &wanted, &backend, &options(method, 2));
            assert_eq!(kinds(&one), kinds(&other), "seed {seed}, {}", method.word());
        }
    }
}
