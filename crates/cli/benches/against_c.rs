//! Mutants scored, and steps simulated, against generated C compiled by gcc -O2 and against the
//! reference interpreter, all in the same run on one core. Times are those of the processor, so that
//! other work on the machine does not count.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use provoke_base::rounds::NoLedger;
use provoke_base::{Random, SourceFile};
use provoke_codegen::{Code, Field};
use provoke_cover::{Items, ReductionMatrix, Row, greedy};
use provoke_criteria::{Counting, Criterion, Masking, Oracle, matrix, obligations};
use provoke_model::{FixedValue, System};
use provoke_mutate::{
    Mutant, MutantFate, REPLACEMENTS, Score, ScoreOptions, TestInputs, mutants, sample, score,
};
use provoke_sim::{Batch, LANES, SimProgram, Simulator};
use provoke_solve::Limit;
use provoke_solve::engine::Engine;
use provoke_testgen::{CandidateValues, GenerationMethod};

const MUTANTS: usize = 500;
/// How many steps are simulated to find the tests: without a solver, so that all machines run the
/// same ones.
const SIMULATED_STEPS: u64 = 100_000;
const LARGEST: [&str; 4] = ["DockingApproach", "AlarmFunctionalR2012", "Infusion", "Microwave01"];
/// How many steps a run of random inputs has.
const RUN: usize = 20;

fn main() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("against_c");
    std::fs::create_dir_all(&folder).expect("a writable folder");
    let shared = provoke_testkit::shared("models/lustre/single_node");
    let models = shared.unwrap_or_else(|| provoke_testkit::repository().join("models"));
    if Command::new("gcc").arg("--version").output().is_err() {
        return provoke_testkit::skip("gcc is not installed");
    }
    score_all(&models, &folder);
    simulate_largest(&models, &folder);
}

/// How long this thread has computed, in seconds; by the clock where that is not known.
fn computed() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let known = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = known.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |count| count * 1e-9)
}

fn load(path: &Path) -> (SourceFile, System) {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let file = SourceFile::from_bytes(name, std::fs::read(path).expect("a readable model"));
    let system = provoke_lustre::load(&file, None).system.expect("a model without errors");
    (file, system)
}

fn score_all(models: &Path, folder: &Path) {
    println!("{MUTANTS} mutants on the OMC/DC tests that simulation finds, outputs compared.");
    println!(
        "matrix: every mutant on every test; score: each until its first kill; gcc: C compiled"
    );
    println!("once, then run on every test for every mutant. How many times as long C takes: with");
    println!("compiling; to run only; and to run until the first kill, as score does.\n");
    println!("{:<20} {HEADING}", "model");
    let mut all = Vec::new();
    // Only those models whose names are given, if any are.
    let names: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    for path in provoke_testkit::files(models, "lus") {
        let (file, system) = load(&path);
        if !names.is_empty() && !names.contains(&file.name) {
            continue;
        }
        match score_one(&file, &system, folder) {
            Some(times) => {
                println!("{:<20} {}", file.name, times.show());
                all.push(times);
            }
            None => println!("{:<20} has numbers that C does not", file.name),
        }
    }
    let total = all.iter().copied().reduce(Times::plus).unwrap_or_default();
    println!("{:<20} {}", "all", total.show());
    let ratio = |at: usize| {
        let logarithms = all.iter().map(|times| times.ratios()[at].ln());
        format!("{:>8.1}", (logarithms.sum::<f64>() / all.len() as f64).exp())
    };
    let ratios: Vec<String> = (0..total.ratios().len()).map(ratio).collect();
    println!("{:<20} {:>56} {}", "geometric mean", "", ratios.join(" "));
}

const HEADING: &str = "mutants tests  steps  matrix ms  score ms  compile ms  gcc ms   matrix    \
                       score  matrix/run  score/run  score/stop  /reference";

/// Of one model, or of all; times in seconds.
#[derive(Clone, Copy, Default)]
struct Times {
    mutants: usize,
    tests: usize,
    steps: usize,
    matrix: f64,
    scored: f64,
    compiled: f64,
    in_c: f64,
    /// What C would need if it ended with the first kill.
    stopping: f64,
    reference: f64,
}

impl Times {
    fn plus(self, other: Times) -> Times {
        Times {
            mutants: self.mutants + other.mutants,
            tests: self.tests + other.tests,
            steps: self.steps + other.steps,
            matrix: self.matrix + other.matrix,
            scored: self.scored + other.scored,
            compiled: self.compiled + other.compiled,
            in_c: self.in_c + other.in_c,
            stopping: self.stopping + other.stopping,
            reference: self.reference + other.reference,
        }
    }

    fn ratios(&self) -> [f64; 6] {
        [
            (self.compiled + self.in_c) / self.matrix,
            (self.compiled + self.in_c) / self.scored,
            self.in_c / self.matrix,
            self.in_c / self.scored,
            self.stopping / self.scored,
            self.reference / self.matrix,
        ]
    }

    fn show(&self) -> String {
        let Times { mutants, tests, steps, matrix, scored, compiled, in_c, .. } = self;
        let [matrix, scored, compiled, in_c] = [matrix, scored, compiled, in_c].map(|s| s * 1e3);
        let ratios = self.ratios().map(|ratio| format!("{ratio:>8.1}")).join(" ");
        format!(
            "{mutants:>7} {tests:>5} {steps:>6} {matrix:>10.2} {scored:>9.2} {compiled:>11.0} \
             {in_c:>7.2} {ratios}"
        )
    }
}

fn score_one(file: &SourceFile, system: &System, folder: &Path) -> Option<Times> {
    let tests = omcdc_tests(system);
    let steps: usize = tests.iter().map(Vec::len).sum();
    let mut all = mutants(system, Some(file), REPLACEMENTS);
    all.retain(|mutant| mutant.invalid.is_none());
    let chosen = sample(all, MUTANTS, 1);
    let chosen: Vec<&Mutant> = chosen.iter().collect();
    let options = |matrix| ScoreOptions { monitored: &system.outputs, matrix, jobs: 1 };
    let scores = score(system, &chosen, &tests, &options(false), &|_| {});
    // Once is too short for the clock on small models.
    let seconds =
        |matrix| 1.0 / rate(1, || drop(score(system, &chosen, &tests, &options(matrix), &|_| {})));
    let c = InC::compile(file, system, folder)?;
    let once = c.seconds(&tests)?;
    let needed = steps_until_killed(&scores, &tests);
    Some(Times {
        mutants: chosen.len(),
        tests: tests.len(),
        steps,
        matrix: seconds(true),
        scored: seconds(false),
        compiled: c.compile_seconds,
        in_c: once * chosen.len() as f64,
        stopping: once * needed as f64 / steps.max(1) as f64,
        reference: reference_seconds(system, &chosen, &tests) * (chosen.len() * steps) as f64,
    })
}

/// The tests that simulation finds for OMC/DC, reduced.
fn omcdc_tests(system: &System) -> Vec<TestInputs> {
    let omcdc = Criterion::named("omcdc").expect("a criterion");
    let asked = obligations(system, omcdc, Counting::Published);
    let options = provoke_testgen::StrategyOptions {
        method: GenerationMethod::Random,
        masking: Masking::Strict,
        oracle: Oracle::Outputs,
        evidence: provoke_testgen::EvidenceRule::Tags,
        fill: Default::default(),
        fallback: true,
        seed: 1,
        jobs: 1,
        given: Vec::new(),
        simulated_steps: SIMULATED_STEPS,
        steps_found: Default::default(),
        engine: Engine::All,
        learning: Limit::work(0),
        efforts: Vec::new(),
    };
    let found = provoke_testgen::generate(
        system,
        &asked,
        &options,
        None,
        &NoLedger,
        &|| false,
        &mut |_| {},
    );
    let tests: Vec<TestInputs> = found.tests.into_iter().map(|test| test.steps).collect();
    let rows = tests.iter().map(Vec::as_slice);
    let covers = matrix(system, &asked, Masking::Strict, &Oracle::Outputs, rows).tests;
    let row = |(covers, test): (Items, &TestInputs)| Row::new(covers, test.len() as u32);
    let kept =
        greedy(&ReductionMatrix { tests: covers.into_iter().zip(&tests).map(row).collect() });
    kept.into_iter().map(|test| tests[test].clone()).collect()
}

/// How many steps have to be run if each mutant is left where it is killed.
fn steps_until_killed(scores: &[Score], tests: &[TestInputs]) -> usize {
    let steps = |tests: &[TestInputs]| -> usize { tests.iter().map(Vec::len).sum() };
    let until = |score: &Score| match score.fate {
        MutantFate::Killed(moment) | MutantFate::Faulted(moment) => {
            steps(&tests[..moment.test]) + moment.step
        }
        MutantFate::Survived => steps(tests),
    };
    scores.iter().map(until).sum()
}

/// Seconds the reference interpreter needs for a step of a mutant.
fn reference_seconds(system: &System, mutants: &[&Mutant], tests: &[TestInputs]) -> f64 {
    let mutated: Vec<System> =
        mutants.iter().step_by(mutants.len() / 5 + 1).map(|m| m.apply(system)).collect();
    let start = computed();
    let mut steps = 0;
    for system in mutated.iter().cycle() {
        for test in tests {
            let mut simulator = Simulator::new(system);
            for row in test {
                steps += 1;
                if simulator.step(row).is_err() {
                    break;
                }
            }
            if computed() - start > 0.2 {
                return (computed() - start) / steps as f64;
            }
        }
        if steps == 0 {
            return 0.0;
        }
    }
    0.0
}

/// A system as a program that runs tests many times and tells how long it took.
struct InC {
    program: PathBuf,
    data: PathBuf,
    compile_seconds: f64,
}

impl InC {
    /// None for numbers that do not fit.
    fn compile(file: &SourceFile, system: &System, folder: &Path) -> Option<InC> {
        let code = provoke_codegen::generate(system, Some(file), &Default::default()).ok()?;
        let write = |name: String, text: &str| {
            std::fs::write(folder.join(name), text).expect("a writable folder");
        };
        write(format!("{}.h", code.name), &code.header);
        write(format!("{}.c", code.name), &code.source);
        write("driver.c".to_string(), &driver(&code));
        let (program, data) = (folder.join("program"), folder.join("tests.bin"));
        let before = children();
        let done = Command::new("gcc")
            .args(["-std=c99", "-O2", "driver.c", &format!("{}.c", code.name), "-o"])
            .arg(&program)
            .current_dir(folder)
            .status();
        let compile_seconds = children() - before;
        assert!(done.expect("gcc runs").success(), "gcc compiles {}", file.name);
        Some(InC { program, data, compile_seconds })
    }

    /// How long all tests take once; None for numbers that do not fit.
    fn seconds(&self, tests: &[TestInputs]) -> Option<f64> {
        std::fs::write(&self.data, words(tests)?).expect("a writable folder");
        let once = self.run(1);
        let times = (0.3 / once.max(1e-7)).ceil().min(1e6);
        Some(self.run(times as u64) / times)
    }

    fn run(&self, times: u64) -> f64 {
        let mut command = Command::new(&self.program);
        let done = command.arg(&self.data).arg(times.to_string()).output().expect("it runs");
        assert!(done.status.success(), "the program ends well");
        String::from_utf8_lossy(&done.stdout).trim().parse().expect("seconds")
    }
}

/// How long the programs that were started and have ended computed, in seconds: fields 16 and 17
/// of the process's own line, which count hundredths. The name in field 2 has no spaces here.
fn children() -> f64 {
    let line = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = line.split(' ').skip(15).take(2).filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// The number of tests; for each the number of steps; then all inputs.
fn words(tests: &[TestInputs]) -> Option<Vec<u8>> {
    let arithmetic = provoke_codegen::CodeOptions::default().arithmetic;
    let mut words = vec![tests.len() as u64];
    words.extend(tests.iter().map(|test| test.len() as u64));
    for value in tests.iter().flatten().flatten() {
        words.push(match arithmetic.word(value)? {
            FixedValue::Bool(value) => u64::from(value),
            FixedValue::Int(value) => value as u64,
            FixedValue::Real(value) => value.to_bits(),
            FixedValue::Enum(ordinal) => u64::from(ordinal),
        });
    }
    Some(words.into_iter().flat_map(u64::to_le_bytes).collect())
}

fn driver(code: &Code) -> String {
    let (name, width) = (&code.name, code.inputs.len());
    let is_real = |field: &Field| field.ty == "double" || field.ty == "float";
    let read = |(index, field): (usize, &Field)| {
        let word = format!("w[k * {width} + {index}]");
        let value = if is_real(field) { format!("real({word})") } else { word };
        format!("      in[k].{} = ({}){value};\n", field.name, field.ty)
    };
    let reads: String = code.inputs.iter().enumerate().map(read).collect();
    let sums: String =
        code.outputs.iter().map(|field| format!("sum += (double)out.{}; ", field.name)).collect();
    format!(
        r#"#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "{name}.h"
static double real(uint64_t w) {{ double r; memcpy(&r, &w, 8); return r; }}
static uint64_t word(FILE *f) {{ uint64_t w; if (fread(&w, 8, 1, f) != 1) exit(1); return w; }}
int main(int argc, char **argv) {{
  FILE *f = fopen(argv[argc - 2], "rb");
  long times = atol(argv[argc - 1]);
  uint64_t count = word(f), rows = 0, i, k;
  uint64_t *steps = malloc((count + 1) * 8);
  for (i = 0; i < count; i++) {{ steps[i] = word(f); rows += steps[i]; }}
  {name}_in *in = calloc(rows + 1, sizeof *in);
  uint64_t *w = malloc((rows * {width} + 1) * 8);
  for (i = 0; i < rows * {width}; i++) w[i] = word(f);
  for (k = 0; k < rows; k++) {{
      (void)real;
{reads}  }}
  {name}_state state;
  {name}_out out;
  volatile double seen = 0;
  double sum = 0;
  struct timespec a, b;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
  while (times-- > 0) {{
    const {name}_in *row = in;
    for (i = 0; i < count; i++) {{
      {name}_reset(&state);
      for (k = 0; k < steps[i]; k++) {{ {name}_step(&state, row++, &out); {sums}}}
    }}
  }}
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
  seen = sum;
  (void)seen;
  printf("%.9f\n", (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec));
  return 0;
}}
"#
    )
}

/// Steps a second of `work`, which does `steps` steps, over some time.
fn rate(steps: usize, mut work: impl FnMut()) -> f64 {
    let start = computed();
    let mut done = 0;
    while computed() - start < 0.3 {
        work();
        done += steps;
    }
    done as f64 / (computed() - start)
}

fn simulate_largest(models: &Path, folder: &Path) {
    println!("\nsteps a second, one core\n");
    println!("model                  reference  gcc -O2      batch  batch/reference  batch/gcc");
    for name in LARGEST {
        let path = models.join(format!("{name}.lus"));
        if !path.exists() {
            continue;
        }
        let (file, system) = load(&path);
        let (pool, mut random) = (CandidateValues::new(&system), Random::new(1));
        let mut run = || (0..RUN).map(|_| pool.row(&mut random)).collect();
        let runs: Vec<TestInputs> = (0..LANES).map(|_| run()).collect();
        let slow = rate(RUN, || {
            let mut simulator = Simulator::new(&system);
            runs[0].iter().for_each(|row| drop(simulator.step(row)));
        });
        let program = Arc::new(SimProgram::new(&system));
        let mut batch = Batch::new(&system, &program);
        let fast = rate(RUN * LANES, || one_batch(&mut batch, &runs));
        let in_c = InC::compile(&file, &system, folder).and_then(|c| c.seconds(&runs));
        let c = in_c.map_or(0.0, |seconds| (RUN * LANES) as f64 / seconds);
        println!(
            "{name:<22} {slow:>9.0} {c:>8.0} {fast:>10.0} {:>16.0} {:>10.2}",
            fast / slow,
            fast / c
        );
    }
}

fn one_batch(batch: &mut Batch, runs: &[TestInputs]) {
    (0..LANES).for_each(|lane| batch.reset(lane));
    for step in 0..RUN {
        for (lane, run) in runs.iter().enumerate() {
            run[step].iter().enumerate().for_each(|(at, value)| batch.set(at, lane, value));
        }
        batch.evaluate();
        batch.take();
    }
}
