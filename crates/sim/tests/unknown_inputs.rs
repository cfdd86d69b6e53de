//! With unknown inputs the interpreter says only what holds for every completion.

use provoke_base::Random;
use provoke_model::{System, Value};
use provoke_sim::{SimulationRun, run};
use provoke_testkit::random_system::{Shape, inputs, system};

const STEPS: usize = 6;
const COMPLETIONS: usize = 8;

fn rows(random: &mut Random, system: &System) -> Vec<Vec<Value>> {
    (0..STEPS).map(|_| inputs(random, system)).collect()
}

fn run_rows(system: &System, rows: &[Vec<Value>]) -> SimulationRun {
    run(system, rows.iter().map(Vec::as_slice))
}

/// The same rows with some inputs left open.
fn with_gaps(random: &mut Random, rows: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let open = |value: &Value, random: &mut Random| match random.chance(1, 3) {
        true => Value::Unknown,
        false => value.clone(),
    };
    rows.iter().map(|row| row.iter().map(|value| open(value, random)).collect()).collect()
}

fn completed(random: &mut Random, system: &System, gaps: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let fill =
        |(known, drawn): (&Value, Value)| if known.is_known() { known.clone() } else { drawn };
    gaps.iter().map(|row| row.iter().zip(inputs(random, system)).map(fill).collect()).collect()
}

#[test]
fn known_results_hold_for_every_completion() {
    let mut known = 0;
    let mut unknown = 0;
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let shape = Shape { hazards: seed % 3 == 0, machines: seed % 2 == 0, ..Shape::MIXED };
        let system = system(&mut random, shape);
        let full = rows(&mut random, &system);
        let gaps = with_gaps(&mut random, &full);
        let partial = run_rows(&system, &gaps);
        for _ in 0..COMPLETIONS {
            let complete = run_rows(&system, &completed(&mut random, &system, &gaps));
            if let Some(certain) = partial.error {
                let error = complete.error.expect("a certain fault happens");
                assert!(error.step <= certain.step, "seed {seed}");
            }
            for (some, all) in partial.trace.steps.iter().zip(&complete.trace.steps) {
                for id in system.vars.ids().filter(|id| some[*id].is_known()) {
                    assert_eq!(some[id], all[id], "seed {seed}, {}", system.vars[id].name);
                }
            }
        }
        for values in &partial.trace.steps {
            let count = values.iter().filter(|value| value.is_known()).count();
            known += count;
            unknown += values.len() - count;
        }
    }
    assert!(known > 10_000 && unknown > 10_000, "{known} known, {unknown} unknown");
}

#[test]
fn a_run_continues_from_a_saved_state() {
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let system = system(&mut random, Shape::MIXED);
        let rows = rows(&mut random, &system);
        let whole = run_rows(&system, &rows);
        let mut simulator = provoke_sim::Simulator::new(&system);
        let mut states = Vec::new();
        for row in &rows {
            states.push(simulator.state().clone());
            simulator.step(row).expect("no hazards");
        }
        for (index, state) in states.iter().enumerate().rev() {
            simulator.restore(state);
            simulator.step(&rows[index]).expect("no hazards");
            assert_eq!(*simulator.values(), whole.trace.steps[index], "seed {seed}");
        }
    }
}
