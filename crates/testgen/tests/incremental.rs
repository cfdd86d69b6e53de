//! The incremental method: what it finds, that it is confirmed, and what it leaves to search.

mod common;

use common::{backend, options, run};
use provoke_base::{Random, SourceFile};
use provoke_criteria::{
    Counting, Criterion, Masking, Measurement, Obligation, Oracle, obligations,
};
use provoke_model::System;
use provoke_testgen::{GenerationMethod, GenerationResult, ObligationVerdict, TestSource};
use provoke_testkit::random_system::{Shape, system};

fn load(text: &str) -> System {
    let loaded = provoke_lustre::load(&SourceFile::new("model.lus", text), None);
    loaded.system.expect("a valid model")
}

fn omcdc(system: &System) -> Vec<Obligation> {
    obligations(system, Criterion::named("omcdc").expect("a criterion"), Counting::Precise)
}

/// The one obligation with this id, and what the incremental method finds for it.
fn one(system: &System, id: &str) -> Option<GenerationResult> {
    let backend = backend()?;
    let wanted: Vec<Obligation> = omcdc(system).into_iter().filter(|o| o.id == id).collect();
    assert_eq!(wanted.len(), 1, "no obligation {id}");
    Some(run(system, &wanted, &backend, &options(GenerationMethod::Incremental, 1)))
}

#[test]
fn worked_example_of_the_thesis() {
    let path = provoke_testkit::repository().join("models/delay_chain.lus");
    let system = load(&std::fs::read_to_string(path).expect("an example model"));
    let Some(found) = one(&system, "v2:omcdc:1T") else { return };
    assert_eq!(found.outcomes, [ObligationVerdict::Covered(0)]);
    assert_eq!(found.tests[0].source, TestSource::Incremental);
    // Through v3 and v4, or through v4 at once.
    assert!([3, 4].contains(&found.tests[0].steps.len()), "{:?}", found.tests);
}

#[test]
fn inputs_that_earlier_steps_left_open_are_chosen_when_a_step_needs_them() {
    // The tag waits in `held` while `key`, which nothing fixed, has to have been true before.
    let system = load(
        "node main(a, key : bool) returns (out : bool);
         var held, unlocked : bool;
         let
           held = false -> pre a;
           unlocked = false -> pre key;
           out = held and unlocked;
         tel;",
    );
    let Some(found) = one(&system, "held:omcdc:1T") else { return };
    assert_eq!(found.outcomes, [ObligationVerdict::Covered(0)]);
    assert_eq!(found.tests[0].source, TestSource::Incremental);
    assert_eq!(found.tests[0].steps.len(), 2);
}

#[test]
fn what_goes_in_circles_is_left_to_search() {
    // The tag has to stay in one delay until the counter has run, which the visited set forbids.
    let system = load(
        "node main(a : bool) returns (out : bool);
         var kept : bool; n : int;
         let
           n = 0 -> pre n + 1;
           kept = if n = 1 then a else (false -> pre kept);
           out = if n >= 4 then kept else false;
         tel;",
    );
    let wanted: Vec<_> = omcdc(&system).into_iter().filter(|o| o.text == "a").collect();
    let Some(backend) = backend() else { return };
    let found = run(&system, &wanted, &backend, &options(GenerationMethod::Incremental, 1));
    assert!(found.outcomes.iter().all(|o| matches!(o, ObligationVerdict::Covered(_))), "{found:?}");
    assert!(found.tests.iter().all(|test| test.source == TestSource::Search), "{found:?}");
}

#[test]
fn promises_of_the_environment_are_kept() {
    let system = load(
        "node main(a, b, c : bool) returns (out : bool);
         var held : bool;
         let
           assert not (a and b) and (c or b);
           held = false -> pre (a and not b);
           out = false -> pre held;
         tel;",
    );
    let Some(backend) = backend() else { return };
    let wanted = omcdc(&system);
    let found = run(&system, &wanted, &backend, &options(GenerationMethod::Incremental, 1));
    for test in &found.tests {
        let mut measurement = Measurement::new(&system, &wanted, Masking::Strict, &Oracle::Outputs);
        assert!(measurement.run_test(&test.steps).breaches.is_empty(), "{test:?}");
    }
    assert!(found.tests.iter().any(|test| test.source == TestSource::Incremental));
}

#[test]
fn both_parts_contribute_and_every_test_covers_what_it_claims() {
    let Some(backend) = backend() else { return };
    let mut by_source = [0, 0];
    for seed in 0..24 {
        let shape = if seed % 2 == 0 { Shape::BOOLEAN } else { Shape::MIXED };
        let system = system(&mut Random::new(seed), shape);
        let wanted = omcdc(&system);
        let found = run(&system, &wanted, &backend, &options(GenerationMethod::Incremental, 1));
        assert_eq!(
            found,
            run(&system, &wanted, &backend, &options(GenerationMethod::Incremental, 2)),
            "seed {seed}"
        );
        let mut again = Measurement::new(&system, &wanted, Masking::Strict, &Oracle::Outputs);
        for test in &found.tests {
            assert_eq!(again.run_test(&test.steps).covered, test.covers, "seed {seed}");
            match test.source {
                TestSource::Incremental => by_source[0] += 1,
                TestSource::Search => by_source[1] += 1,
                other => panic!("seed {seed}: {}", other.word()),
            }
        }
    }
    assert!(by_source.iter().all(|count| *count > 0), "{by_source:?}");
}
