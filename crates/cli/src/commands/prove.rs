//! `provoke prove`: the model's own properties.

use crate::args::ProveArgs;
use crate::commands::generate::say_interrupted;
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use provoke::{ProveOutcome, WorkOptions};
use provoke_report::text;
use provoke_results::to_json;

pub(crate) fn run(args: &ProveArgs, output: &Output) -> Result<Outcome, Failure> {
    let (main, assume) = (args.model.main.as_deref(), &args.work.assume);
    let model = files::model_assuming(&args.model.model, main, assume, output)?;
    let work = WorkOptions { numbers: args.numbers.numbers(), ..args.work.options()? };
    let (folder, control) = (args.output.as_deref(), console::control(output));
    let errors = args.errors.then_some(args.numbers.limits());
    let ProveOutcome { result, .. } = provoke::prove(&model, errors, folder, &work, &control)?;
    if result.interrupted {
        say_interrupted(folder, output);
    }
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        output.result(&text::prove(&result));
    }
    let (reached, open) = result.errors.map_or((0, 0), |errors| (errors.reached, errors.unknown));
    Ok(match result.properties {
        totals if totals.violated > 0 || reached > 0 => Outcome::Negative,
        _ if result.interrupted => Outcome::Interrupted,
        totals if totals.unknown > 0 || open > 0 => Outcome::Inconclusive,
        _ => Outcome::Well,
    })
}
