//! `provoke demo`: the whole story on a built-in model.

use std::time::Instant;

use provoke_base::SourceFile;
use provoke_criteria::{Counting, Criterion, obligations};
use provoke_model::{Step, Suite, System, TestCase, Value, VarId};
use provoke_results::{Check, Generate, to_json};
use provoke_solve::z3;
use provoke_testgen::Method;

use crate::args::{Reducing, Reduction, WorkArgs};
use crate::commands::{check, generate};
use crate::job::Job;
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
    let start = Instant::now();
    let file = SourceFile::new("models/traffic_light.lus", MODEL);
    let system = provoke_lustre::load(&file, None).system.expect("the built-in model is valid");
    let checked = Check::new(&file, Some(&system), &[]);
    let (suite, test) = scenario(&system);
    if !output.is_json() {
        output.result(&format!(
            "A pedestrian crossing, as a Lustre model.\n\n\
             1. What the model is: provoke check models/traffic_light.lus\n\n{}\n\
             2. What it does: a request in second {REQUEST_AT}, a lamp fault in seconds {} and {}\n   \
             (T is true, . is false)\n\n{}",
            check::describe(&checked),
            FAULT_AT[0],
            FAULT_AT[1],
            trace_view::show(&suite, &test),
        ));
    }
    let generated = generated(file, system, output)?;
    if output.is_json() {
        output.result(&to_json(&generated));
    } else {
        output.result(&format!(
            "3. Tests that exercise every condition and make it visible at a lamp:\n   \
             provoke generate models/traffic_light.lus -c omcdc -o out/\n\n{}\n\
             All in {:.1} s. Next:\n  \
             provoke simulate models/microwave.lus --steps 16 --seed 1\n  \
             provoke prove models/microwave.lus\n  \
             provoke generate models/infusion_pump.lus -c omcdc -o out/\n  \
             provoke --help\n",
            generate::describe(&generated),
            start.elapsed().as_secs_f64(),
        ));
    }
    Ok(Outcome::Well)
}

fn scenario(system: &System) -> (Suite, TestCase) {
    let inputs: Vec<Vec<Value>> = (1..=STEPS)
        .map(|second| vec![(second == REQUEST_AT).into(), FAULT_AT.contains(&second).into()])
        .collect();
    let run = provoke_sim::run(system, inputs.iter().map(Vec::as_slice));
    let phase = system.var_named("phase").expect("a variable of the built-in model");
    let shown: Vec<VarId> = std::iter::once(phase).chain(system.outputs.iter().copied()).collect();
    let steps = inputs.into_iter().zip(&run.trace.steps).map(|(inputs, values)| Step {
        inputs,
        outputs: shown.iter().map(|var| values[*var].clone()).collect(),
    });
    let test = TestCase { name: "demo".into(), covers: Vec::new(), steps: steps.collect() };
    (Suite::for_system(system, &shown), test)
}

/// Tests for the built-in model; by simulation alone where there is no solver.
fn generated(file: SourceFile, system: System, output: &Output) -> Result<Generate, Failure> {
    let method = match z3::find() {
        Ok(_) => Method::Hybrid,
        Err(missing) => {
            let command = missing.command;
            output.warning(&format!("no solver, so nothing is proven; install it with: {command}"));
            Method::Random
        }
    };
    let criterion = Criterion::named("omcdc").expect("a criterion");
    let work = WorkArgs::default();
    let mut job = Job::new(file, system, &work);
    job.obligations = obligations(&job.system, criterion, Counting::Published);
    job.criterion = criterion.word().to_string();
    job.reduction = Reducing(Some(Reduction::Greedy));
    job.method = method;
    job.run(output)
}
