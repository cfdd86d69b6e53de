//! The fast scorer against the slow one.

use provoke_base::{Random, SourceFile};
use provoke_model::{System, Value};
use provoke_mutate::{
    Mutant, MutantFate, REPLACEMENTS, Score, ScoreOptions, TestInputs, mutants, reference, score,
    score_until,
};
use provoke_testkit::random_system::{self, Shape};

fn tests(random: &mut Random, system: &System, count: usize, steps: usize) -> Vec<TestInputs> {
    let mut row = || random_system::inputs(random, system);
    (0..count).map(|_| (0..steps).map(|_| row()).collect()).collect()
}

fn compare(system: &System, found: &[Mutant], tests: &[TestInputs], label: &str) -> Vec<Score> {
    let monitored = &system.outputs;
    let valid: Vec<&Mutant> = found.iter().filter(|mutant| mutant.invalid.is_none()).collect();
    let options = ScoreOptions { monitored, matrix: true, jobs: 2 };
    let scores = score(system, &valid, tests, &options, &|_| {});
    assert_eq!(scores.len(), valid.len(), "{label}");
    for (mutant, score) in valid.iter().zip(&scores) {
        let expected = reference::score(system, mutant, tests, monitored);
        assert_eq!(*score, expected, "{label}: {}", mutant.id);
    }
    let short = score_first(system, &valid, tests);
    for (full, short) in scores.iter().zip(&short) {
        assert_eq!(full.fate, short.fate, "{label}");
        let first = full.kills.first().filter(|_| matches!(full.fate, MutantFate::Killed(_)));
        assert_eq!(first, short.kills.first(), "{label}");
    }
    scores
}

/// Without the matrix, on one thread.
fn score_first(system: &System, valid: &[&Mutant], tests: &[TestInputs]) -> Vec<Score> {
    let options = ScoreOptions { monitored: &system.outputs, matrix: false, jobs: 1 };
    score(system, valid, tests, &options, &|_| {})
}

#[test]
fn on_random_systems_it_is_the_reference_s() {
    let (mut killed, mut faulted, mut survived) = (0, 0, 0);
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let shape = match seed % 4 {
            0 => Shape::BOOLEAN,
            1 => Shape { hazards: true, reals: false, ..Shape::MIXED },
            2 => Shape { reals: false, ..Shape::MIXED },
            _ => Shape { inputs: 2, defined: 4, depth: 2, hazards: true, ..Shape::MIXED },
        };
        let system = random_system::system(&mut random, shape);
        let found = mutants(&system, None, usize::MAX);
        let mut suite = tests(&mut random, &system, 2, 4);
        if seed % 5 == 0 {
            suite[1].iter_mut().flatten().filter(|_| random.chance(1, 4)).for_each(|value| {
                *value = Value::Unknown;
            });
        }
        for score in compare(&system, &found, &suite, &format!("seed {seed}")) {
            match score.fate {
                MutantFate::Killed(_) => killed += 1,
                MutantFate::Faulted(_) => faulted += 1,
                MutantFate::Survived => survived += 1,
            }
        }
    }
    let seen = format!("{killed} killed, {faulted} faulted, {survived} survived");
    assert!(killed > 5_000 && faulted > 50 && survived > 2_000, "{seen}");
}

#[test]
fn on_long_runs_it_is_the_reference_s() {
    for seed in 0..24 {
        let mut random = Random::new(seed);
        let shape = match seed % 3 {
            0 => Shape { inputs: 2, defined: 6, ..Shape::BOOLEAN },
            1 => Shape { inputs: 2, defined: 5, reals: false, ..Shape::MIXED },
            _ => Shape { inputs: 2, defined: 4, hazards: true, ..Shape::MIXED },
        };
        let system = random_system::system(&mut random, shape);
        let found = provoke_mutate::sample(mutants(&system, None, usize::MAX), 60, seed);
        let suite = tests(&mut random, &system, 1, 150);
        compare(&system, &found, &suite, &format!("seed {seed}"));
    }
    // What is remembered from one span of steps to the next matters here.
    let text = "node n(x: bool) returns (y: bool) var c: int; let \
                c = 0 -> if x then pre c + 1 else pre c; y = c > 100; tel";
    let file = SourceFile::new("count", text);
    let system = provoke_lustre::load(&file, None).system.expect("a model");
    let suite = vec![vec![vec![Value::Bool(true)]; 150]];
    let found = mutants(&system, Some(&file), usize::MAX);
    let scores = compare(&system, &found, &suite, "count");
    let late =
        |score: &&Score| matches!(score.fate, MutantFate::Killed(moment) if moment.step > 64);
    assert!(scores.iter().filter(late).count() > 5);
}

#[test]
fn on_models_it_is_the_reference_s() {
    for path in provoke_testkit::files(&provoke_testkit::repository().join("models"), "lus") {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let file = SourceFile::new(name.clone(), std::fs::read_to_string(&path).unwrap());
        let system = provoke_lustre::load(&file, None).system.expect("a model");
        let mut random = Random::new(7);
        let found = provoke_mutate::sample(mutants(&system, Some(&file), usize::MAX), 150, 1);
        let suite = tests(&mut random, &system, 2, 8);
        compare(&system, &found, &suite, &name);
    }
}

#[test]
fn whoever_says_stop_does_not_wait_for_the_other_mutants() {
    let text =
        format!("node n(a: bool) returns (y: bool); let y = {}; tel", vec!["a"; 400].join(" or "));
    let file = SourceFile::new("n.lus", text);
    let system = provoke_lustre::load(&file, None).system.expect("a model");
    let all = mutants(&system, Some(&file), REPLACEMENTS);
    let all: Vec<&Mutant> = all.iter().filter(|mutant| mutant.invalid.is_none()).collect();
    let options = ScoreOptions { monitored: &system.outputs, matrix: false, jobs: 1 };
    let tests: Vec<TestInputs> = vec![vec![vec![true.into()], vec![false.into()]]];
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let stop = || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 0;
    let scores = score_until(&system, &all, &tests, &options, &|_| {}, &stop);
    let killed = scores.iter().filter(|score| score.fate != MutantFate::Survived).count();
    assert!(killed > 0 && killed < 64 && all.len() > 300, "{killed} of {}", all.len());
}

#[test]
fn whoever_says_stop_does_not_wait_for_the_end_of_a_long_test() {
    let text = "node n(a: bool) returns (y: bool); var n: int; \
                let n = 0 -> pre n + 1; y = a and n > 90000; tel";
    let file = SourceFile::new("n.lus", text);
    let system = provoke_lustre::load(&file, None).system.expect("a model");
    let all = mutants(&system, Some(&file), REPLACEMENTS);
    let mutant = all.iter().find(|mutant| mutant.id == "n:arithmetic:1:-").expect("minus");
    let options = ScoreOptions { monitored: &system.outputs, matrix: false, jobs: 1 };
    let test: TestInputs = vec![vec![true.into()]; 100_000];
    let fate = |stop: &(dyn Fn() -> bool + Sync)| {
        score_until(&system, &[mutant], std::slice::from_ref(&test), &options, &|_| {}, stop)[0]
            .fate
    };
    assert!(matches!(fate(&|| false), MutantFate::Killed(_)));
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let stop = || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 2;
    assert_eq!(fate(&stop), MutantFate::Survived);
}

#[test]
fn nothing_is_killed_outside_a_run() {
    let fates = |body: &str, rows: &[i64]| {
        let text = format!("node n(x: int) returns (y, z: int); let y = x + 1; {body} tel");
        let file = SourceFile::new("n.lus", text);
        let system = provoke_lustre::load(&file, None).system.expect("a model");
        let all = mutants(&system, Some(&file), REPLACEMENTS);
        let mutant = all.iter().find(|mutant| mutant.id == "y:arithmetic:1:-").expect("minus");
        let test: TestInputs = rows.iter().map(|x| vec![(*x).into()]).collect();
        let options = ScoreOptions { monitored: &system.outputs, matrix: false, jobs: 1 };
        let fast = score(&system, &[mutant], std::slice::from_ref(&test), &options, &|_| {});
        assert_eq!(fast[0], reference::score(&system, mutant, &[test], &system.outputs), "{body}");
        fast[0].fate
    };
    assert!(matches!(fates("z = 0;", &[7]), MutantFate::Killed(_)));
    assert_eq!(fates("z = 0; assert x < 5;", &[7, 1]), MutantFate::Survived);
    assert_eq!(fates("z = 1 div pre x;", &[7, 1]), MutantFate::Survived);
    assert!(matches!(fates("z = 1 -> 1 div pre x;", &[7, 1]), MutantFate::Killed(_)));
}

#[test]
fn a_mutant_that_divides_by_zero_in_one_test_is_killed_by_another() {
    let text = "node n(x: int) returns (y: int); let y = 10 div (x + 1); tel";
    let file = SourceFile::new("n.lus", text);
    let system = provoke_lustre::load(&file, None).system.expect("a model");
    let all = mutants(&system, Some(&file), REPLACEMENTS);
    let mutant = all.iter().find(|mutant| mutant.id == "y:arithmetic:1:-").expect("minus");
    let test = |x: i64| -> TestInputs { vec![vec![x.into()]] };
    let (divides, kills) = (test(1), test(3));
    for suite in [[divides.clone(), kills.clone()], [kills, divides]] {
        let fate = compare(&system, std::slice::from_ref(mutant), &suite, "two tests")[0].fate;
        assert!(matches!(fate, MutantFate::Killed(_)), "{fate:?}");
    }
}
