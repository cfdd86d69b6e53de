//! `provoke generate`: each obligation ends as covered, infeasible or unknown.

use crate::args::GenerateArgs;
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::subject;
use provoke::{CoverageTarget, Fill, GenerateOptions, GenerateOutcome, Model, WorkOptions};
use provoke_model::Suite;
use provoke_report::text;
use provoke_results::{Generate, GeneratePublished, percent, to_json};
use std::path::Path;

pub(crate) fn run(args: &GenerateArgs, output: &Output) -> Result<Outcome, Failure> {
    if args.sample.is_some() && !args.criterion.criterion.contains(&CoverageTarget::Mutants) {
        let message = "`--sample` takes mutants, and none are asked for";
        return Err(Failure::usage(message, "add `mutants` to the criteria: -c omcdc,mutants"));
    }
    let (main, assume) = (args.model.main.as_deref(), &args.work.assume);
    let model = files::model_assuming(&args.model.model, main, assume, output)?;
    let given = args.extend.as_deref();
    // What given tests leave open is drawn at random.
    let seed = args.work.seed;
    let read = |path| subject::suite_for(path, &model.system, Fill::Random, seed, output);
    let given = given.map(read).transpose()?;
    carry_out(&model, given, &options(args)?, args.require, output)
}

/// Generates tests and proofs, and tells what came of it.
pub(crate) fn carry_out(
    model: &Model,
    given: Option<Suite>,
    options: &GenerateOptions,
    require: Option<f64>,
    output: &Output,
) -> Result<Outcome, Failure> {
    let control = console::control(output);
    let GenerateOutcome { result, .. } = provoke::generate(model, given, options, &control)?;
    if result.interrupted {
        say_interrupted(options.folder.as_deref(), output);
    }
    if output.is_json() {
        output.result(&json(&result));
    } else {
        output.result(&text::generate(&result));
    }
    Ok(outcome(require, &result))
}

/// The result for programs: the published semantics keep the contract they began with.
fn json(result: &Generate) -> String {
    match result.as_published {
        true => to_json(&GeneratePublished::from(result)),
        false => to_json(result),
    }
}

/// What is asked for.
pub(crate) fn options(args: &GenerateArgs) -> Result<GenerateOptions, Failure> {
    Ok(GenerateOptions {
        targets: args.criterion.criterion.clone(),
        counting: args.criterion.counting,
        method: args.method,
        masking: args.masking,
        numbers: args.numbers.limits(),
        oracle: args.oracle.clone(),
        exact: args.exact,
        as_published: args.as_published,
        fill: args.fill,
        fallback: !args.no_fallback,
        sample: args.sample,
        exclude: excluded(&args.exclude, &args.because)?,
        reduction: args.reduce.0,
        shard: args.shard,
        folder: args.output.clone(),
        work: WorkOptions { numbers: args.numbers.numbers(), ..args.work.options()? },
    })
}

/// Each pattern with its reason.
fn excluded(patterns: &[String], because: &[String]) -> Result<Vec<(String, String)>, Failure> {
    if let Some(pattern) = patterns.get(because.len()) {
        let message = format!("`--exclude {pattern}` has no reason");
        let hint = format!("type --exclude '{pattern}' --because 'why no test is needed'");
        return Err(Failure::usage(message, hint));
    }
    if let Some(reason) = because.get(patterns.len()) {
        let message = format!("`--because` belongs to an `--exclude` before it: {reason}");
        return Err(Failure::usage(message, format!("type --exclude ID --because '{reason}'")));
    }
    match because.iter().position(|reason| reason.trim().is_empty()) {
        None => Ok(patterns.iter().cloned().zip(because.iter().cloned()).collect()),
        Some(position) => {
            let message = format!("the reason for `--exclude {}` is empty", patterns[position]);
            Err(Failure::usage(message, "say why no test is needed: --because 'TEXT'"))
        }
    }
}

/// Says where what was found is, and how to go on.
pub(crate) fn say_interrupted(folder: Option<&Path>, output: &Output) {
    output.warning(&match folder {
        Some(folder) => format!(
            "interrupted; what was found is in {}, and the same command goes on from there",
            folder.display()
        ),
        None => "interrupted; what was found is shown, but the work is lost: with `-o FOLDER` the \
                 same command could go on"
            .to_string(),
    });
}

fn outcome(require: Option<f64>, result: &Generate) -> Outcome {
    let (totals, mutants) = (result.obligations, result.mutants.as_ref());
    // An invalid mutant is not caught: it counts, whatever the mutation score leaves out.
    let killed = mutants.map_or(100.0, |found| percent(found.killed, found.not_equivalent()));
    let covered = percent(totals.covered, totals.feasible());
    let too_little = |required: f64| covered.min(killed) < required;
    let (reached, open) = result.errors.as_ref().map_or((0, 0), |it| (it.reached, it.unknown));
    match result.properties.unwrap_or_default() {
        properties if properties.violated + reached > 0 || !result.differences.is_empty() => {
            Outcome::Negative
        }
        _ if result.interrupted => Outcome::Interrupted,
        _ if require.is_some_and(too_little) => Outcome::Negative,
        // What is required is coverage: an undecided property is not made up for by it.
        properties if properties.unknown + open > 0 => Outcome::Inconclusive,
        _ if require.is_some() => Outcome::Well,
        _ if totals.open() > 0 => Outcome::Inconclusive,
        _ if mutants.is_some_and(|found| found.survived > 0) => Outcome::Inconclusive,
        _ => Outcome::Well,
    }
}
