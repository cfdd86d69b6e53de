//! A scan of 64 runs against the measurement of each.

use std::sync::Arc;

use provoke_base::Random;
use provoke_criteria::obligations;
use provoke_criteria::{Counting, Criterion, Masking, Measurement, Obligation, Oracle, Scan};
use provoke_model::{System, Value};
use provoke_sim::{LANES, Risks, SimProgram};
use provoke_testkit::random_system::{self, Shape};

const STEPS: usize = 8;

fn measured(measurement: &mut Measurement, run: &[Vec<Value>]) -> Vec<usize> {
    let mut covered = measurement.run_test(run).covered;
    covered.sort_unstable();
    covered
}

fn compare(system: &System, random: &mut Random, masking: Masking, label: &str) -> usize {
    let all: Vec<Obligation> = Criterion::ALL
        .into_iter()
        .flat_map(|criterion| obligations(system, criterion, Counting::Precise))
        .collect();
    let oracle = Oracle::default();
    let mut runs = Vec::new();
    for _ in 0..LANES {
        let steps = random.below(STEPS + 1);
        runs.push((0..steps).map(|_| random_system::inputs(random, system)).collect::<Vec<_>>());
    }
    let mut scan = Scan::new(system, &all, masking, &oracle);
    let mut measurement = Measurement::new(system, &all, masking, &oracle).of_every_test();
    let mut covered = 0;
    let tests: Vec<&[Vec<Value>]> = runs.iter().map(Vec::as_slice).collect();
    let risks = Risks::new(&Arc::new(SimProgram::new(system)));
    for (lane, found) in scan.tests(&tests).into_iter().enumerate() {
        let measured = measured(&mut measurement, &runs[lane]);
        let found: Vec<usize> = found.into_iter().map(|at| at as usize).collect();
        // A scan does not see what an undefined value may divide.
        let agrees = match risks.are_possible() {
            true => measured.iter().all(|at| found.contains(at)),
            false => found == measured,
        };
        assert!(agrees, "{label}, run {lane}: {found:?}, not {measured:?}");
        covered += measured.len();
    }
    covered
}

#[test]
fn every_run_covers_what_its_measurement_says() {
    let mut covered = 0;
    for seed in 0..120 {
        let mut random = Random::new(seed);
        let reals = seed % 4 == 0;
        let shape = Shape { hazards: seed % 3 == 0, depth: 4, reals, ..Shape::MIXED };
        let system = random_system::system(&mut random, shape);
        let masking = Masking::ALL[seed as usize % 3];
        covered += compare(&system, &mut random, masking, &format!("seed {seed}"));
    }
    assert!(covered > 10_000, "{covered}");
}
