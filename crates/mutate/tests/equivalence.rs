//! Each mutant is killed, proven equivalent, or unknown; and that is true.

use provoke_base::rounds::NoLedger;
use provoke_base::{Random, SourceFile};
use provoke_model::System;
use provoke_mutate::reference::{self, MutantRunEnd};
use provoke_mutate::{
    MissStage, Mutant, MutantFate, ScoreOptions, SurvivorFinding, SurvivorFindings, SurvivorSearch,
    TestInputs, misses, mutants, score,
};
use provoke_solve::Effort;
use provoke_solve::Limit;
use provoke_solve::engine::{Backend, Engine, SolverChoice};
use provoke_testkit::random_system;

fn load(path: &str) -> (SourceFile, System) {
    let text = std::fs::read_to_string(provoke_testkit::repository().join(path)).unwrap();
    let file = SourceFile::new(path, text);
    let system = provoke_lustre::load(&file, None).system.expect("a model");
    (file, system)
}

fn random_tests(system: &System, seed: u64, count: usize, steps: usize) -> Vec<TestInputs> {
    let mut random = Random::new(seed);
    let mut row = || random_system::inputs(&mut random, system);
    (0..count).map(|_| (0..steps).map(|_| row()).collect()).collect()
}

fn search(
    system: &System,
    survivors: &[&Mutant],
    tests: &[TestInputs],
    jobs: usize,
) -> Option<SurvivorFindings> {
    let backend = Backend::find(SolverChoice::Z3)
        .map_err(|missing| provoke_testkit::skip(&missing.to_string()))
        .ok()?;
    let efforts = [(20, 2, 200_000), (40, 8, 1_000_000)];
    let efforts = efforts.map(|(depth, k, work)| Effort { depth, k, limit: Limit::work(work) });
    let search = SurvivorSearch {
        system,
        monitored: &system.outputs,
        tests,
        backend: &backend,
        engine: Engine::All,
        learning: Limit::work(2_000_000),
        efforts: &efforts,
        seed: 0,
        jobs,
        ledger: &NoLedger,
    };
    Some(search.run(survivors, &|| false, &mut |_| {}))
}

fn decide_all(path: &str, unknown_at_most: usize) {
    let (file, system) = load(path);
    let all = mutants(&system, Some(&file), usize::MAX);
    let valid: Vec<&Mutant> = all.iter().filter(|mutant| mutant.invalid.is_none()).collect();
    let tests = random_tests(&system, 1, 2, 6);
    let options = ScoreOptions { monitored: &system.outputs, matrix: false, jobs: 2 };
    let scores = score(&system, &valid, &tests, &options, &|_| {});
    let survived = |at: &usize| scores[*at].fate == MutantFate::Survived;
    let survivors: Vec<&Mutant> = (0..valid.len()).filter(survived).map(|at| valid[at]).collect();
    let Some(found) = search(&system, &survivors, &tests, 2) else { return };
    let long = random_tests(&system, 99, 20, 100);
    let (mut equivalent, mut killed, mut unknown) = (0, 0, 0);
    for (mutant, finding) in survivors.iter().zip(&found.of) {
        let mutated = mutant.apply(&system);
        let run = |test: &TestInputs| reference::run(&system, &mutated, test, &system.outputs);
        match finding {
            SurvivorFinding::Equivalent { .. } => {
                equivalent += 1;
                for test in &long {
                    assert_eq!(
                        run(test),
                        MutantRunEnd::Alike,
                        "{path}: {} is not equivalent",
                        mutant.id
                    );
                }
            }
            SurvivorFinding::Killed { test, step } => {
                killed += 1;
                assert_eq!(
                    run(&found.tests[*test]),
                    MutantRunEnd::Killed(*step),
                    "{path}: {}",
                    mutant.id
                );
            }
            SurvivorFinding::Faulted { .. } => {}
            SurvivorFinding::Unknown { .. } => {
                unknown += 1;
            }
        }
    }
    assert!(unknown <= unknown_at_most, "{path}: {unknown} unknown");
    assert!(equivalent + killed > 0, "{path}: nothing was decided");
}

#[test]
fn the_mutants_of_the_delay_chain_are_decided() {
    decide_all("models/delay_chain.lus", 0);
}

#[test]
fn the_mutants_of_the_traffic_light_are_decided() {
    decide_all("models/traffic_light.lus", 14);
}

#[test]
fn the_number_of_jobs_does_not_matter() {
    let (file, system) = load("models/masking_split.lus");
    let all = mutants(&system, Some(&file), usize::MAX);
    let valid: Vec<&Mutant> = all.iter().filter(|mutant| mutant.invalid.is_none()).collect();
    let Some(found) = search(&system, &valid, &[], 1) else { return };
    assert_eq!(search(&system, &valid, &[], 3), Some(found));
}

#[test]
fn the_stages_of_a_miss_are_told_apart() {
    let text = "node n(a, b, c: bool) returns (y: bool);\nvar m, u: bool;\nlet\n\
        m = if a then (b and c) else c;\n  u = m;\n  y = a and false;\ntel";
    let file = SourceFile::new("n.lus", text);
    let system = provoke_lustre::load(&file, None).system.expect("a model");
    let all = mutants(&system, Some(&file), usize::MAX);
    let mutant = all.iter().find(|mutant| mutant.id == "m:boolean:1:or").expect("and to or");
    let options = ScoreOptions { monitored: &system.outputs, matrix: false, jobs: 1 };
    let stage = |rows: &[[bool; 3]]| {
        let test: TestInputs = rows.iter().map(|row| row.map(Into::into).to_vec()).collect();
        let miss = misses(&system, &[mutant], &[test], &options)[0];
        (miss.stage, miss.at.map(|at| at.step))
    };
    assert_eq!(stage(&[[false, true, false]]), (MissStage::Unreached, None));
    assert_eq!(stage(&[[false; 3], [true; 3]]), (MissStage::Reached, Some(2)));
    assert_eq!(stage(&[[true, true, false]]), (MissStage::Propagated, Some(1)));
    let inner = all.iter().find(|mutant| mutant.id == "m:negation:3:not").expect("not b");
    let test: TestInputs = vec![vec![true.into(), true.into(), false.into()]];
    let miss = misses(&system, &[inner], &[test], &options)[0];
    assert_eq!(miss.stage, MissStage::Infected, "{}", inner.describe(&file));
}

#[test]
fn mutants_of_a_deeply_nested_expression_are_looked_at_in_one_system() {
    // Each operator is there with its mutants and without: twice as many ways at each level.
    let text = format!(
        "node n(a, b: bool) returns (y: bool); let y = {}a{} and false; tel",
        "(".repeat(60),
        " or b)".repeat(60)
    );
    let file = SourceFile::new("nested.lus", &*text);
    let system = provoke_lustre::load(&file, None).system.expect("a model");
    let all = mutants(&system, Some(&file), usize::MAX);
    let ors: Vec<&Mutant> = all.iter().filter(|mutant| mutant.id.ends_with(":and")).collect();
    let options = ScoreOptions { monitored: &system.outputs, matrix: false, jobs: 1 };
    let test: TestInputs = vec![vec![true.into(), false.into()]];
    let found = misses(&system, &ors, &[test], &options);
    assert_eq!(found.len(), 60);
    assert!(found.iter().all(|miss| miss.stage >= MissStage::Reached), "{found:?}");
}

#[test]
fn a_mutant_that_divides_by_zero_where_the_original_does_not_is_not_equivalent() {
    let text = "node n(x: int) returns (y: int);
        let y = (if x <> 123457 then 10 div (x - 123457) else 0) * 0; tel";
    let file = SourceFile::new("guard.lus", text);
    let system = provoke_lustre::load(&file, None).system.expect("a model");
    let all = mutants(&system, Some(&file), usize::MAX);
    let valid: Vec<&Mutant> = all.iter().filter(|mutant| mutant.invalid.is_none()).collect();
    let Some(found) = search(&system, &valid, &[], 1) else { return };
    let mut guards = 0;
    for (mutant, finding) in valid.iter().zip(&found.of) {
        let mutated = mutant.apply(&system);
        let at_the_guard = vec![vec![123_457.into()]];
        if reference::run(&system, &mutated, &at_the_guard, &system.outputs)
            == MutantRunEnd::Faulted(1)
        {
            guards += 1;
            let equivalent = matches!(finding, SurvivorFinding::Equivalent { .. });
            assert!(!equivalent, "{}: {finding:?}", mutant.id);
        }
    }
    assert!(guards > 2, "{guards} mutants of the guard");
}

#[test]
fn a_mutant_that_divides_by_zero_in_one_run_is_killed_in_another() {
    let text = "node n(x: int) returns (y: int);
        let y = if x <> 123456 then 10 div (x - 123456) else 7; tel";
    let file = SourceFile::new("two_runs.lus", text);
    let system = provoke_lustre::load(&file, None).system.expect("a model");
    let all = mutants(&system, Some(&file), usize::MAX);
    let guard = all.iter().find(|mutant| mutant.replacement == "123457").expect("another number");
    let mutated = guard.apply(&system);
    let run = |test: &TestInputs| reference::run(&system, &mutated, test, &system.outputs);
    assert_eq!(run(&vec![vec![123_456.into()]]), MutantRunEnd::Faulted(1));
    let Some(found) = search(&system, &[guard], &[], 1) else { return };
    let SurvivorFinding::Killed { test, step } = found.of[0] else { panic!("{:?}", found.of) };
    assert_eq!(run(&found.tests[test]), MutantRunEnd::Killed(step));
}
