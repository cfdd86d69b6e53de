//! The benchmark models: evaluators and measurements agree with each other.

mod common;

use common::benchmark;
use provoke_base::Random;
use provoke_criteria::{
    Counting, Criterion, EffectFate, ExactChange, ExactMeasurement, Masking, Measurement, Oracle,
    TagFollower, obligations,
};
use provoke_model::{System, Value};
use provoke_sim::{Dense, Simulator};
use provoke_testkit::{files, random_system, shared};

fn models() -> Vec<String> {
    let Some(folder) = shared("models/lustre/single_node") else { return Vec::new() };
    let name = |file: &std::path::PathBuf| file.file_stem().unwrap().to_string_lossy().into_owned();
    files(&folder, "lus").iter().map(name).collect()
}

fn random_test(seed: u64, system: &System, steps: usize) -> Vec<Vec<Value>> {
    let mut random = Random::new(seed);
    (0..steps).map(|_| random_system::inputs(&mut random, system)).collect()
}

#[test]
fn the_dense_evaluator_computes_every_variable_as_the_reference_does() {
    for name in models() {
        let written = benchmark(&name).unwrap();
        // The reference computes shared expressions again and again, so it gets fewer steps.
        let inlined = provoke_lustre::transform::inline(&written);
        for (system, steps) in [(inlined, 3), (written, 20)] {
            let mut simulator = Simulator::new(&system);
            let mut dense = Dense::new(&system);
            for inputs in random_test(1, &system, steps) {
                let expected = simulator.step(&inputs);
                assert_eq!(dense.step(&inputs), expected, "{name}");
                if expected.is_err() {
                    break;
                }
                for (var, value) in simulator.values().entries() {
                    assert_eq!(dense.var(var).to_value(), *value, "{name} {var:?}");
                }
            }
        }
    }
}

#[test]
fn what_is_covered_was_reached_and_its_way_is_found() {
    for name in models() {
        let system = benchmark(&name).unwrap();
        let wanted = obligations(&system, Criterion::named("omcdc").unwrap(), Counting::Published);
        let mut tagged = Measurement::new(&system, &wanted, Masking::Strict, &Oracle::Outputs);
        let mut changed = ExactMeasurement::new(
            &system,
            &wanted,
            ExactChange::Step,
            Masking::Strict,
            &Oracle::Outputs,
        );
        let test = random_test(2, &system, 20);
        let covered = tagged.run_test(&test).covered;
        changed.run_test(&test);
        let both = tagged.coverage().statuses.iter().zip(&changed.coverage().statuses);
        for (by_tags, by_change) in both {
            assert!(by_tags.covered.is_none() || by_tags.reached <= by_tags.covered, "{name}");
            assert!(by_change.covered.is_none() || by_change.reached <= by_change.covered);
        }
        let mut follower = TagFollower::new(&system, Masking::Strict, &Oracle::Outputs);
        let fates = follower.follow(covered.iter().map(|&position| &wanted[position]), &test);
        assert!(fates.iter().all(|fate| matches!(fate, EffectFate::Visible(_))), "{name}");
    }
}

#[test]
fn the_maximum_oracle_sees_whatever_the_outputs_show() {
    for name in ["Microwave01", "SteamBoilerNoArr1", "fast_2"] {
        let Some(system) = benchmark(name) else { return };
        let wanted = obligations(&system, Criterion::named("omcdc").unwrap(), Counting::Published);
        let new = |oracle| Measurement::new(&system, &wanted, Masking::Strict, &oracle);
        let (mut outputs, mut maximum) = (new(Oracle::Outputs), new(Oracle::Maximum));
        for seed in 0..10 {
            let test = random_test(seed, &system, 30);
            outputs.run_test(&test);
            maximum.run_test(&test);
        }
        let missed = maximum.coverage().uncovered().find(|&o| outputs.coverage().is_covered(o));
        assert_eq!(missed, None, "{name}");
        assert!(maximum.coverage().covered() > outputs.coverage().covered(), "{name}");
    }
}
