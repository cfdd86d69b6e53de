//! Scores of drawn suites, taken from one matrix, against running each suite.

use std::collections::BTreeSet;

use provoke_base::{Random, SourceFile};
use provoke_criteria::{Counting, Criterion, Masking, Oracle, matrix, obligations};
use provoke_model::System;
use provoke_mutate::{Mutant, MutantFate, Score, ScoreOptions, TestInputs, mutants, score};
use provoke_study::{Kills, SuitePool};
use provoke_testkit::random_system;

fn model(name: &str) -> (SourceFile, System) {
    let path = provoke_testkit::repository().join("models").join(name);
    let file = SourceFile::from_bytes(name, std::fs::read(path).expect("a readable model"));
    let system = provoke_lustre::load(&file, None).system.expect("a model without errors");
    (file, system)
}

fn scores(
    system: &System,
    mutants: &[&Mutant],
    tests: &[TestInputs],
    oracle: &Oracle,
) -> Vec<Score> {
    let monitored = oracle.monitored(system);
    let options = ScoreOptions { monitored: &monitored, matrix: true, jobs: 1 };
    score(system, mutants, tests, &options, &|_| {})
}

/// The mutants that are killed, of those that count.
fn killed(scores: &[Score], counted: &[bool]) -> usize {
    let all = scores.iter().zip(counted);
    all.filter(|(score, counted)| **counted && !score.kills.is_empty()).count()
}

/// Which obligations tests cover together.
fn covered(system: &System, criterion: Criterion, tests: &[TestInputs]) -> BTreeSet<u32> {
    let obligations = obligations(system, criterion, Counting::Published);
    let rows = tests.iter().map(Vec::as_slice);
    let matrix = matrix(system, &obligations, Masking::Strict, &Oracle::Outputs, rows);
    matrix.tests.into_iter().flatten().collect()
}

#[test]
fn a_drawn_suite_covers_what_all_do_and_kills_what_its_tests_kill() {
    let mut shorter = 0;
    for name in ["microwave.lus", "elevator.lus", "infusion_pump.lus", "voter.lus"] {
        let (file, system) = model(name);
        let mut random = Random::new(3);
        let mut row = || random_system::inputs(&mut random, &system);
        let tests: Vec<TestInputs> = (0..12).map(|_| (0..20).map(|_| row()).collect()).collect();
        let mut some = mutants(&system, Some(&file), 1);
        some.retain(|mutant| mutant.invalid.is_none());
        let some: Vec<&Mutant> = some.iter().step_by(7).collect();
        let outputs = scores(&system, &some, &tests, &Oracle::Outputs);
        let maximum = scores(&system, &some, &tests, &Oracle::Maximum);
        let kills = Kills::new(tests.len(), &outputs, &maximum);
        let counted: Vec<bool> =
            outputs.iter().map(|score| !matches!(score.fate, MutantFate::Faulted(_))).collect();
        for word in ["omcdc", "branch"] {
            let criterion = Criterion::named(word).expect("a criterion");
            let asked = obligations(&system, criterion, Counting::Published);
            let pool = SuitePool::new(&system, &asked, Masking::Strict, &tests);
            let scored = pool.suites(&kills, 5, 3);
            for (number, scored) in scored.into_iter().enumerate() {
                let suite: Vec<TestInputs> = pool
                    .suite(5 + number as u64)
                    .into_iter()
                    .map(|test| tests[test.of][..test.steps].to_vec())
                    .collect();
                shorter += suite.iter().filter(|test| test.len() < 20).count();
                let [one, all] = [&suite, &tests].map(|tests| covered(&system, criterion, tests));
                assert_eq!(one, all, "{name}, {word}");
                assert_eq!(scored.tests, suite.len());
                assert_eq!(scored.steps, suite.iter().map(Vec::len).sum::<usize>());
                let again = |oracle| killed(&scores(&system, &some, &suite, &oracle), &counted);
                assert_eq!(scored.outputs, again(Oracle::Outputs), "{name}, {word}");
                assert_eq!(scored.maximum, again(Oracle::Maximum), "{name}, {word}");
            }
        }
    }
    assert!(shorter > 100, "{shorter} tests end before the generated ones");
}
