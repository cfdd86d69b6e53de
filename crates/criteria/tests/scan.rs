//! A scan of 64 runs against the measurement of each.

use provoke_base::Random;
use provoke_criteria::obligations;
use provoke_criteria::{Counting, Criterion, Masking, Measurement, Obligation, Oracle, Scan};
use provoke_model::{System, Value};
use provoke_sim::LANES;
use provoke_testkit::random_system::{self, Shape};

const STEPS: usize = 6;

/// The obligations that each run covers, by scanning all at once.
fn scanned(scan: &mut Scan, total: usize, runs: &[Vec<Vec<Value>>]) -> Vec<Vec<usize>> {
    let mut alive = !0;
    scan.begin();
    (0..LANES).for_each(|lane| scan.batch().reset(lane));
    for step in 0..STEPS {
        for (lane, run) in runs.iter().enumerate() {
            let batch = scan.batch();
            run[step].iter().enumerate().for_each(|(at, value)| batch.set(at, lane, value));
        }
        scan.batch().evaluate();
        alive &= !scan.batch().faulty();
        scan.note(alive);
        scan.batch().take();
    }
    let sightings = scan.look_back(&(0..total).collect::<Vec<_>>());
    let covers = |lane: usize| {
        let seen = sightings.iter().filter(|sighting| sighting.covered >> lane & 1 != 0);
        seen.map(|sighting| sighting.obligation).collect()
    };
    (0..LANES).map(covers).collect()
}

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
        runs.push((0..STEPS).map(|_| random_system::inputs(random, system)).collect::<Vec<_>>());
    }
    let mut scan = Scan::new(system, &all, masking, &oracle);
    let mut measurement = Measurement::new(system, &all, masking, &oracle).of_every_test();
    let mut covered = 0;
    for (lane, found) in scanned(&mut scan, all.len(), &runs).into_iter().enumerate() {
        assert_eq!(found, measured(&mut measurement, &runs[lane]), "{label}, run {lane}");
        covered += found.len();
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
