//! `provoke simulate`: run a model on given inputs, show and compare what it does.

use std::path::Path;

use provoke::{Fill, Model, SimulateOutcome, open_test};
use provoke_model::{Suite, System};
use provoke_report::text;
use provoke_results::{Simulate, to_json};
use provoke_suite::{Format, Typing, table_of};

use crate::args::SimulateArgs;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::subject;

pub(crate) fn run(args: &SimulateArgs, output: &Output) -> Result<Outcome, Failure> {
    let model = files::model_assuming(&args.model.model, args.model.main.as_deref(), &[], output)?;
    let model = args.numbers.numbers().of(model)?;
    let Model { file, system } = &model;
    let (inputs, ignored) = inputs(args, system)?;
    let expected = args.expect.as_ref();
    let expected =
        expected.map(|path| files::suite(path, None, Typing::System(system))).transpose()?;
    let expected = expected.as_ref().map(|read| &read.suite);
    let SimulateOutcome { mut result, trace, faults } =
        provoke::simulate(&model, &inputs, &args.show, expected)?;
    result.ignored = ignored;
    if let Some(path) = &args.output {
        write_trace(output, path, &trace)?;
    }
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        describe(args, output, &trace, &result);
        for fault in &faults {
            output.note(&fault.render(file, output.color_on_stderr()));
        }
    }
    Ok(match &result {
        _ if !faults.is_empty() => Outcome::WrongInput,
        result if !result.differences.is_empty() => Outcome::Negative,
        _ => Outcome::Well,
    })
}

/// The inputs to run on, one value for each input of the model at each step.
fn inputs(args: &SimulateArgs, system: &System) -> Result<(Suite, Vec<String>), Failure> {
    let (mut suite, ignored) = match &args.inputs {
        Some(path) => {
            let read = subject::tests(path, system)?;
            (read.suite, read.ignored)
        }
        None => (open_test(system, args.steps as usize), Vec::new()),
    };
    let fill = if args.inputs.is_none() { Fill::Random } else { args.fill };
    subject::fill(&mut suite, system, fill, args.seed);
    Ok((suite, ignored))
}

fn write_trace(output: &Output, path: &Path, traced: &Suite) -> Result<(), Failure> {
    let name = path.display().to_string();
    let Some(format) = Format::from_name(&name) else {
        let message = format!("cannot infer the output format from `{name}`");
        return Err(Failure::input(message, "use .csv, .json, .vcd, .xlsx or .sss"));
    };
    for written in files::write_suite(output, traced, path, format)? {
        output.note(&format!("wrote {}\n", written.display()));
    }
    Ok(())
}

fn describe(args: &SimulateArgs, output: &Output, trace: &Suite, result: &Simulate) {
    for (test, run) in trace.tests.iter().zip(&result.tests) {
        if args.output.is_none() && args.expect.is_none() {
            if trace.tests.len() > 1 {
                output.result(&format!("{}:\n", test.name));
            }
            output.result(&table_of(trace, test));
        }
        run.breaches.iter().for_each(|breach| output.warning(&text::breach(breach)));
    }
    if !result.ignored.is_empty() {
        output.note(&format!("ignored what names no variable: {}\n", result.ignored.join(", ")));
    }
    if args.expect.is_some() {
        output.result(&text::simulate(result));
    }
}
