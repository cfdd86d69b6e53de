//! `provoke timed stochastic`: sequences behind tests, and probabilities.

use provoke::timed::{CompletedTests, complete};
use provoke_oracle::{json, text};
use provoke_results::to_json;

use crate::args::TimedStochasticArgs;
use crate::commands::timed::{model, tests};
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &TimedStochasticArgs, output: &Output) -> Result<Outcome, Failure> {
    let model = model(&args.model.model, &[], output)?;
    let tests = tests(&args.tests)?;
    let completed = complete(&model, &tests, &args.options()?, &console::control(output))?;
    let Some(CompletedTests { suite, mut result }) = completed else {
        output.warning("interrupted; nothing is written");
        return Ok(Outcome::Interrupted);
    };
    if !output.is_json() {
        suite.tests.iter().for_each(|test| output.result(&text::describe_test(test)));
    }
    files::make_folder(&args.output)?;
    let path = args.output.join("suite.json");
    files::write(output, &path, json::print(&suite).as_bytes())?;
    files::write(output, &args.output.join("suite.txt"), text::print(&suite).as_bytes())?;
    result.suite = path.display().to_string();
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        output.note(&format!("written to {}\n", result.suite));
    }
    Ok(Outcome::Well)
}
