//! `provoke mutate`: the faults that a suite finds.

use crate::args::MutateArgs;
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::subject::suite_for;
use provoke::mutation::stryker;
use provoke::{Model, MutateOptions, MutateOutcome};
use provoke_model::Suite;
use provoke_report::text;
use provoke_results::to_json;
use std::path::Path;

pub(crate) fn run(args: &MutateArgs, output: &Output) -> Result<Outcome, Failure> {
    if args.list {
        return list(args, output);
    }
    let (control, options) = (console::control(output), options(args)?);
    let (model, suite) = subject(args, output)?;
    let MutateOutcome { result, campaign, statuses } =
        provoke::mutate(model, suite, &options, &control)?;
    if campaign.mutated.mutants.is_empty() {
        output.warning(&nothing_to_mutate(args, &result.model));
    }
    if let Some(path) = &args.stryker {
        let suite = args.suite.as_ref().map_or_else(String::new, |path| path.display().to_string());
        let report = to_json(&stryker(&suite, &campaign, &statuses));
        files::write(output, path, report.as_bytes())?;
    }
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        output.result(&text::mutate(&result));
    }
    let enough = args.require.is_none_or(|required| result.percent_nonequivalent >= required);
    Ok(match enough {
        _ if result.interrupted => Outcome::Interrupted,
        _ if campaign.cut_short => Outcome::Inconclusive,
        true => Outcome::Well,
        false => Outcome::Negative,
    })
}

fn options(args: &MutateArgs) -> Result<MutateOptions, Failure> {
    Ok(MutateOptions {
        operators: args.operators.clone(),
        replacements: args.replacements as usize,
        sample: args.sample.map(|sample| sample as usize),
        oracle: args.oracle.clone(),
        equivalence: args.equivalence,
        kill: args.kill,
        matrix: args.matrix,
        folder: args.output.clone(),
        work: args.work.options()?,
    })
}

fn model(args: &MutateArgs, output: &Output) -> Result<Model, Failure> {
    let (main, assume) = (args.model.main.as_deref(), &args.work.assume);
    files::model_assuming(&args.model.model, main, assume, output)
}

/// The model and the suite that the arguments name.
fn subject(args: &MutateArgs, output: &Output) -> Result<(Model, Suite), Failure> {
    let model = model(args, output)?;
    let path = args.suite.as_deref().ok_or_else(|| without_suite(&args.model.model))?;
    let suite = suite_for(path, &model.system, args.fill, args.work.seed, output)?;
    Ok((model, suite))
}

/// What to do first.
fn without_suite(model: &Path) -> Failure {
    let model = model.display();
    Failure::Usage {
        message: "no SUITE is given to run the mutants on".to_string(),
        hint: format!(
            "make one with `provoke generate {model} -c omcdc -o out`, then type `provoke mutate \
             {model} out/suite.json`; `provoke mutate {model} --list` only shows the mutants"
        ),
    }
}

fn nothing_to_mutate(args: &MutateArgs, model: &str) -> String {
    match args.operators.is_empty() {
        true => format!("{model} has nothing to mutate: no operators, constants or variables"),
        false => {
            let words: Vec<_> = args.operators.iter().map(|operator| operator.word()).collect();
            format!("{model} has no place for {} faults", words.join(" or "))
        }
    }
}

fn list(args: &MutateArgs, output: &Output) -> Result<Outcome, Failure> {
    let result = provoke::list_mutants(model(args, output)?, &options(args)?)?;
    if output.is_json() {
        output.result(&to_json(&result));
    } else if result.mutants == 0 {
        output.result(&format!("{}\n", nothing_to_mutate(args, &result.model)));
    } else {
        output.result(&text::mutants(&result));
    }
    Ok(Outcome::Well)
}
