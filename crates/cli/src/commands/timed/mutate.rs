//! `provoke timed mutate`: faults of automata, and which of them a suite finds.

use provoke::timed::mutate;
use provoke_report::text;
use provoke_results::to_json;

use crate::args::TimedMutateArgs;
use crate::commands::timed::{model, tests};
use crate::console;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &TimedMutateArgs, output: &Output) -> Result<Outcome, Failure> {
    let model = model(&args.model.model, &[], output)?;
    let tests = args.suite.as_ref().map(|path| tests(path)).transpose()?;
    let control = console::control(output);
    let Some(result) = mutate(&model, tests.as_ref(), &args.options()?, &control)? else {
        output.warning("interrupted before all faults were tried");
        return Ok(Outcome::Interrupted);
    };
    output.result(&match output.is_json() {
        true => to_json(&result),
        false => text::timed_mutants(&result, args.list || tests.is_none()),
    });
    Ok(Outcome::Well)
}
