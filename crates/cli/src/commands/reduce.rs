//! `provoke reduce`: a smaller suite that covers the same.

use provoke::{Choice, ReduceOptions};
use provoke_results::{Reduce, SizeResult, to_json};
use provoke_suite::Format;

use crate::args::{ReduceArgs, Unit};
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::subject;

pub(crate) fn run(args: &ReduceArgs, output: &Output) -> Result<Outcome, Failure> {
    let subject = subject::load(&args.on, output)?;
    let ReduceArgs { method, by, effort, repeat, trim, .. } = *args;
    let (method, by, seed) = (method.into(), by.into(), args.on.seed);
    let choice = Choice { method, by, effort, repeat, seed };
    let options = ReduceOptions { choice, masking: args.on.masking, trim };
    let (result, suite) = provoke::reduce(&subject, &options);
    if let Some(path) = &args.output {
        let name = path.display().to_string();
        let format = Format::from_name(&name).unwrap_or(Format::Json);
        files::write_suite(output, &suite, path, format)?;
    }
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        output.result(&describe(args, &result));
    }
    Ok(Outcome::Well)
}

fn describe(args: &ReduceArgs, result: &Reduce) -> String {
    let SizeResult { tests, steps } = result.before;
    let mut text = format!(
        "{}: {tests} tests, {steps} steps -> {} tests, {} steps ({})\n  {} obligations ({}) stay covered\n",
        result.model,
        result.after.tests,
        result.after.steps,
        result.method,
        result.covered,
        result.criterion
    );
    if let (Some(optimal), Some(bound)) = (result.optimal, result.lower_bound) {
        let unit = if args.by == Unit::Tests { "tests" } else { "steps" };
        text += &match optimal {
            true => format!("  optimal: no choice of these tests has fewer than {bound} {unit}\n"),
            false => {
                format!("  no choice has fewer than {bound} {unit}; --effort may close the gap\n")
            }
        };
    }
    if let (Some(least), Some(most)) = (result.sizes.first(), result.sizes.last()) {
        let mean = result.sizes.iter().sum::<usize>() as f64 / result.sizes.len() as f64;
        let runs = result.sizes.len();
        text += &format!("  {runs} runs: {least} to {most} tests, {mean:.2} on average\n");
    }
    if let Some(path) = &args.output {
        text += &format!("  written to {}\n", path.display());
    }
    text
}
