//! `provoke demo`: the whole story on a built-in model.

use provoke_base::SourceFile;
use provoke_model::{Step, Suite, TestCase, Value, VarId};
use provoke_results::Check;

use crate::commands::check;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::trace_view;

const MODEL: &str = include_str!("../../../../models/traffic_light.lus");

/// A pedestrian presses the button in the third second; later the lamp monitor reports a
/// fault for two seconds.
const REQUEST_AT: usize = 3;
const FAULT_AT: [usize; 2] = [19, 20];
const STEPS: usize = 24;

pub(crate) fn run(output: &Output) -> Result<Outcome, Failure> {
    let file = SourceFile::new("traffic_light.lus", MODEL);
    let system = provoke_lustre::load(&file, None).system.expect("the built-in model is valid");
    let inputs: Vec<Vec<Value>> = (1..=STEPS)
        .map(|second| vec![(second == REQUEST_AT).into(), FAULT_AT.contains(&second).into()])
        .collect();
    let run = provoke_sim::run(&system, inputs.iter().map(Vec::as_slice));
    let phase = system.var_named("phase").expect("a variable of the built-in model");
    let shown: Vec<VarId> = std::iter::once(phase).chain(system.outputs.iter().copied()).collect();
    let mut suite = Suite::for_system(&system, &shown);
    let steps = inputs.into_iter().zip(&run.trace.steps).map(|(inputs, values)| Step {
        inputs,
        outputs: shown.iter().map(|var| values[*var].clone()).collect(),
    });
    let test = TestCase { name: "demo".into(), covers: Vec::new(), steps: steps.collect() };
    let checked = Check::new(&file, Some(&system), &[]);
    if output.is_json() {
        suite.tests.push(test);
        let files = provoke_suite::write(&suite, provoke_suite::Format::Json)
            .map_err(|error| Failure::Input { message: error.message, hint: error.hint })?;
        output.result_bytes(&files[0].bytes);
        return Ok(Outcome::Well);
    }
    output.result(&format!(
        "A pedestrian crossing, as a Lustre model (models/traffic_light.lus).\n\n\
         1. What the model is: provoke check models/traffic_light.lus\n\n{}\n\
         2. What it does: a request in second {REQUEST_AT}, a lamp fault in seconds {} and {}\n   \
         (T is true, . is false)\n\n{}\
         Next: provoke simulate models/microwave.lus --steps 16 --seed 1\n      \
         provoke simulate models/traffic_light.lus --steps 40 --show all -o trace.vcd\n      \
         provoke transform models/infusion_pump.lus --inline none\n      \
         provoke --help\n",
        check::describe(&checked),
        FAULT_AT[0],
        FAULT_AT[1],
        trace_view::show(&suite, &test),
    ));
    Ok(Outcome::Well)
}
