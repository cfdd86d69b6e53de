//! How many steps a second each way of simulating does, and of looking for what they cover.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::sync::Arc;
use std::time::Instant;

use provoke_base::{Random, SourceFile};
use provoke_criteria::{
    Counting, Criterion, Host, Masking, Measurement, Oracle, Scan, obligations,
};
use provoke_model::{System, Value};
use provoke_sim::{Batch, Dense, LANES, SimProgram, Simulator};
use provoke_testgen::CandidateValues;

const MODELS: [&str; 4] = ["DockingApproach", "AlarmFunctionalR2012", "Infusion", "Microwave01"];
const RUN: usize = 20;
const OMCDC: Criterion = Criterion { host: Host::Mcdc, observable: true };

/// Runs of random inputs from the initial state.
fn runs(system: &System, count: usize) -> Vec<Vec<Vec<Value>>> {
    let (pool, mut random) = (CandidateValues::new(system), Random::new(1));
    let mut run = || (0..RUN).map(|_| pool.row(&mut random)).collect();
    (0..count).map(|_| run()).collect()
}

/// Steps a second of `work`, which does `steps` steps, over at least half a second.
fn rate(steps: usize, mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    let mut done = 0;
    while start.elapsed().as_millis() < 500 {
        work();
        done += steps;
    }
    done as f64 / start.elapsed().as_secs_f64()
}

fn fill(batch: &mut Batch, runs: &[Vec<Vec<Value>>], step: usize) {
    for (lane, run) in runs.iter().enumerate() {
        run[step].iter().enumerate().for_each(|(at, value)| batch.set(at, lane, value));
    }
}

fn main() {
    let Some(root) = provoke_testkit::shared("models/lustre/single_node") else { return };
    println!("steps a second, one core: reference, dense, batch, measurement, scan (OMC/DC)");
    for model in MODELS {
        let path = root.join(format!("{model}.lus"));
        let file = SourceFile::new(model, std::fs::read_to_string(path).expect("readable"));
        let system = provoke_lustre::load(&file, None).system.expect("a model");
        let program = Arc::new(SimProgram::new(&system));
        let runs = runs(&system, LANES);
        let reference = rate(RUN, || {
            let mut simulator = Simulator::new(&system);
            runs[0].iter().for_each(|row| drop(simulator.step(row)));
        });
        let dense = rate(RUN, || {
            let mut dense = Dense::of(Arc::clone(&program));
            runs[0].iter().for_each(|row| drop(dense.step(row)));
        });
        let mut batch = Batch::new(&system, &program);
        let batched = rate(RUN * LANES, || {
            (0..LANES).for_each(|lane| batch.reset(lane));
            for step in 0..RUN {
                fill(&mut batch, &runs, step);
                batch.evaluate();
                batch.take();
            }
        });
        let all = obligations(&system, OMCDC, Counting::Published);
        let oracle = Oracle::default();
        let mut measurement =
            Measurement::new(&system, &all, Masking::Strict, &oracle).of_every_test();
        let measured = rate(RUN, || drop(measurement.run_test(&runs[0])));
        let mut scan = Scan::new(&system, &all, Masking::Strict, &oracle);
        let open: Vec<usize> = (0..all.len()).collect();
        let scanned = rate(RUN * LANES, || {
            scan.begin();
            (0..LANES).for_each(|lane| scan.batch().reset(lane));
            for step in 0..RUN {
                fill(scan.batch(), &runs, step);
                scan.batch().evaluate();
                let alive = !scan.batch().faulty();
                scan.note(alive);
                scan.batch().take();
            }
            scan.look_back(&open);
        });
        println!(
            "  {model:22} {reference:9.0} {dense:9.0} {batched:9.0} {measured:9.0} {scanned:9.0}  \
             batch/reference {:.0}, scan/measurement {:.0}",
            batched / reference,
            scanned / measured
        );
    }
}
