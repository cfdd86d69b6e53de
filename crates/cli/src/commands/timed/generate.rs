//! `provoke timed generate`: tests from automata.

use provoke::timed::{GeneratedTests, generate};
use provoke_oracle::{json, text};
use provoke_results::to_json;

use crate::args::TimedGenerateArgs;
use crate::commands::timed::model;
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &TimedGenerateArgs, output: &Output) -> Result<Outcome, Failure> {
    let model = model(&args.model.model, &[], output)?;
    let generated = generate(&model, &args.options(), &console::control(output))?;
    let Some(GeneratedTests { suite, mut result }) = generated else {
        output.warning("interrupted; nothing is written");
        return Ok(Outcome::Interrupted);
    };
    let as_json = args.output.extension().is_some_and(|extension| extension == "json");
    let written = if as_json { json::print(&suite) } else { text::print(&suite) };
    // A result as JSON has standard output for itself.
    if !(output.is_json() && args.output.as_os_str() == files::STANDARD) {
        files::write(output, &args.output, written.as_bytes())?;
    }
    result.suite = args.output.display().to_string();
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        output.note(&format!("{} tests, {} steps\n", result.tests, result.steps));
        for open in &result.open {
            output.note(&format!("no test found for {open}\n"));
        }
    }
    Ok(if result.open.is_empty() { Outcome::Well } else { Outcome::Inconclusive })
}
