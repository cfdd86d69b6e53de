//! How fast mutants are run beside the original, against one at a time in the reference
//! interpreter. Times are those of the processor, so that other work on the machine does not count.

#![allow(clippy::print_stdout, reason = "benchmarks show what they measure")]
#![allow(missing_docs, reason = "a program, not a library")]

use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Instant;

use provoke_base::{Random, SourceFile};
use provoke_mutate::{
    Mutant, MutantFate, REPLACEMENTS, ScoreOptions, TestInputs, misses, mutants, reference, sample,
    score,
};
use provoke_testkit::random_system;

const MUTANTS: usize = 500;
const TESTS: usize = 10;
const STEPS: usize = 60;

/// How long this thread has computed, in seconds; by the clock where that is not known.
fn computed() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let known = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = known.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |count| count * 1e-9)
}

fn main() {
    println!("{MUTANTS} mutants, {TESTS} tests of {STEPS} steps, one thread");
    println!("model                 mutants  listed ms  score ms  misses ms  steps/s  x reference");
    let names = ["DockingApproach", "Infusion", "AlarmFunctionalR2012", "Microwave01"];
    let shared = provoke_testkit::shared("models/lustre/single_node");
    let large = names.iter().filter_map(|name| Some(shared.as_ref()?.join(format!("{name}.lus"))));
    let own = provoke_testkit::repository().join("models/infusion_pump.lus");
    large.chain([own]).for_each(|path| measure(&path));
}

fn measure(path: &PathBuf) {
    let text = std::fs::read(path).expect("a readable model");
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let file = SourceFile::from_bytes(name.clone(), text);
    let system = provoke_lustre::load(&file, None).system.expect("a model");
    let mut random = Random::new(1);
    let mut row = || random_system::inputs(&mut random, &system);
    let tests: Vec<TestInputs> = (0..TESTS).map(|_| (0..STEPS).map(|_| row()).collect()).collect();

    let start = computed();
    let all = mutants(&system, Some(&file), REPLACEMENTS);
    let listed = computed() - start;
    let count = all.len();
    let chosen = sample(all, MUTANTS, 1);
    let valid: Vec<&Mutant> = chosen.iter().filter(|mutant| mutant.invalid.is_none()).collect();

    let options = ScoreOptions { monitored: &system.outputs, matrix: true, jobs: 1 };
    let start = computed();
    let scores = score(&system, &valid, &tests, &options, &|_| {});
    let scored = computed() - start;
    let survivors: Vec<&Mutant> = (0..valid.len())
        .filter(|at| scores[*at].fate == MutantFate::Survived)
        .map(|at| valid[at])
        .collect();
    let start = computed();
    misses(&system, &survivors, &tests, &options);
    let missed = computed() - start;

    // A few survivors, since they run to the end of each test. The original runs beside each.
    let some: Vec<&&Mutant> = survivors.iter().take(10).collect();
    let start = computed();
    for mutant in &some {
        reference::score(&system, mutant, &tests[..1], &system.outputs);
    }
    let slow = (computed() - start) / (some.len().max(1) * STEPS) as f64;
    let fast = scored / (valid.len() * TESTS * STEPS) as f64;
    println!(
        "{name:<20}  {count:>7}  {:>9.0}  {:>8.0}  {:>9.0}  {:>7.0}  {:>11.0}",
        listed * 1e3,
        scored * 1e3,
        missed * 1e3,
        1.0 / fast,
        slow / fast
    );
}
