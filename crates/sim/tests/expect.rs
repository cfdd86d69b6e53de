//! Expected outputs of many tests at once are those of the reference, test by test.

use provoke_base::Random;
use provoke_model::{Step, Suite, System, TestCase, Value};
use provoke_testkit::random_system::{self, Shape};

/// Tests of different lengths, with inputs left open here and there.
fn suite(random: &mut Random, system: &System, count: usize) -> Suite {
    let mut suite = Suite::for_system(system, &system.outputs);
    for number in 0..count {
        let mut step = || {
            let mut inputs = random_system::inputs(random, system);
            inputs.iter_mut().filter(|_| random.chance(1, 9)).for_each(|v| *v = Value::Unknown);
            Step { inputs, outputs: Vec::new() }
        };
        let steps = (0..=number % 7).map(|_| step()).collect();
        suite.tests.push(TestCase { name: format!("t{number}"), steps, ..TestCase::default() });
    }
    suite
}

#[test]
fn tests_side_by_side_have_the_outputs_of_the_reference() {
    let (mut outputs, mut faults) = (0, 0);
    let hazardous = Shape { hazards: true, ..Shape::MIXED };
    let shapes =
        [Shape::MIXED, hazardous, Shape::BOOLEAN, hazardous, Shape::MACHINES].into_iter().cycle();
    for (seed, shape) in (0..60).zip(shapes) {
        let mut random = Random::new(seed);
        let system = random_system::system(&mut random, shape);
        let mut suite = suite(&mut random, &system, 150);
        let expected = provoke_sim::expect(&mut suite, &system, &system.outputs);
        for test in &suite.tests {
            let run =
                provoke_sim::run(&system, test.steps.iter().map(|step| step.inputs.as_slice()));
            if let Some(error) = run.error {
                assert_eq!(expected, Err((test.name.clone(), error)), "seed {seed}");
                faults += 1;
                break;
            }
            for (step, values) in test.steps.iter().zip(&run.trace.steps) {
                let reference: Vec<Value> =
                    system.outputs.iter().map(|var| values[*var].clone()).collect();
                assert_eq!(step.outputs, reference, "seed {seed}, {}", test.name);
                outputs += 1;
            }
        }
    }
    assert!(outputs > 5_000 && faults > 5, "{outputs} steps, {faults} faults");
}
