//! `provoke mutate`: the faults that a suite finds.

use crate::args::MutateArgs;
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::subject::suite_for;
use provoke::mutation::stryker;
use provoke::{Model, MutateOptions, MutateOutcome, WorkOptions};
use provoke_model::Suite;
use provoke_report::text;
use provoke_results::to_json;
use std::path::Path;

pub(crate) fn run(args: &MutateArgs, output: &Output) -> Result<Outcome, Failure> {
    if args.list {
        return list(args, output);
    }
    let model = model(args, output)?;
    let path = args.suite.as_deref().ok_or_else(|| without_suite(&args.model.model))?;
    let suite = suite_for(path, &model.system, args.fill, args.work.seed, output)?;
    let stryker = args.stryker.as_deref().map(|report| (path, report));
    carry_out(model, suite, &options(args)?, args.require, stryker, output)
}

/// Runs mutants, and tells what came of it. `viewer` names the suite and a report for the viewer of other
/// tools.
pub(crate) fn carry_out(
    model: Model,
    suite: Suite,
    options: &MutateOptions,
    require: Option<f64>,
    viewer: Option<(&Path, &Path)>,
    output: &Output,
) -> Result<Outcome, Failure> {
    let control = console::control(output);
    let MutateOutcome { result, campaign, statuses } =
        provoke::mutate(model, suite, options, &control)?;
    if campaign.mutated.mutants.is_empty() {
        output.warning(&nothing_to_mutate(options, &result.model));
    }
    if let Some((suite, path)) = viewer {
        let suite = suite.display().to_string();
        let report = to_json(&stryker(&suite, &campaign, &statuses));
        files::write(output, path, report.as_bytes())?;
    }
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        output.result(&text::mutate(&result));
    }
    let enough = require.is_none_or(|required| result.percent_nonequivalent >= required);
    let differs = !result.differences.is_empty();
    Ok(match enough {
        _ if result.interrupted => Outcome::Interrupted,
        _ if differs => Outcome::Negative,
        _ if campaign.cut_short => Outcome::Inconclusive,
        true => Outcome::Well,
        false => Outcome::Negative,
    })
}

pub(crate) fn options(args: &MutateArgs) -> Result<MutateOptions, Failure> {
    Ok(MutateOptions {
        operators: args.operators.clone(),
        replacements: args.replacements as usize,
        sample: args.sample.map(|sample| sample as usize),
        oracle: args.oracle.clone(),
        equivalence: args.equivalence,
        kill: args.kill,
        matrix: args.matrix,
        folder: args.output.clone(),
        work: WorkOptions { numbers: args.numbers.numbers(), ..args.work.options()? },
    })
}

fn model(args: &MutateArgs, output: &Output) -> Result<Model, Failure> {
    let (main, assume) = (args.model.main.as_deref(), &args.work.assume);
    files::model_assuming(&args.model.model, main, assume, output)
}

/// What to do first.
fn without_suite(model: &Path) -> Failure {
    let model = model.display();
    let hint = format!(
        "make one with `provoke generate {model} -c omcdc -o out`, then type `provoke mutate {model} \
         out/suite.json`; `provoke mutate {model} --list` only shows the mutants"
    );
    Failure::usage("no SUITE is given to run the mutants on", hint)
}

fn nothing_to_mutate(options: &MutateOptions, model: &str) -> String {
    match options.operators.is_empty() {
        true => format!("{model} has nothing to mutate: no operators, constants or variables"),
        false => {
            let words: Vec<_> = options.operators.iter().map(|operator| operator.word()).collect();
            format!("{model} has no place for {} faults", words.join(" or "))
        }
    }
}

fn list(args: &MutateArgs, output: &Output) -> Result<Outcome, Failure> {
    let options = options(args)?;
    let result = provoke::list_mutants(model(args, output)?, &options)?;
    if output.is_json() {
        output.result(&to_json(&result));
    } else if result.mutants == 0 {
        output.result(&format!("{}\n", nothing_to_mutate(&options, &result.model)));
    } else {
        output.result(&text::mutants(&result));
    }
    Ok(Outcome::Well)
}
