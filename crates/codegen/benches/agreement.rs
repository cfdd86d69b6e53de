//! 100,000 steps of every model, in runs of 1,000: the generated C against the interpreters, under the
//! sanitizers. Half of the runs are with 64 bits for all integers, half with 32 where that is proven to be
//! enough.

#![allow(clippy::print_stdout, reason = "benchmarks show what they measure")]
#![allow(missing_docs, reason = "a program, not a library")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

use common::{PROVEN, SANITIZED, WIDE, compare, folder, load, models};

const UNOPTIMISED: [&str; 3] = ["-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

fn main() {
    let (ours, benchmarks) = models();
    println!("model                      steps  compared exactly  left exact numbers  seconds");
    for path in ours.iter().chain(&benchmarks) {
        let (file, system) = load(path);
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let start = Instant::now();
        // Compilers take long for a large function.
        let large = system.exprs.len() > 4000;
        let flags = if large { &UNOPTIMISED } else { SANITIZED };
        let folder = folder(&format!("bench_{name}"));
        let mut tally = compare(Some(&file), &system, WIDE, &folder, flags, (50, 1000));
        tally.add(&compare(Some(&file), &system, PROVEN, &folder, flags, (50, 1000)));
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{name:<24} {:>7} {:>17} {:>14} runs {seconds:>8.1}",
            tally.steps, tally.exact, tally.inexact
        );
    }
}
