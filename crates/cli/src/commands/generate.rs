//! `provoke generate`: each obligation ends as covered, infeasible or unknown.

use crate::args::GenerateArgs;
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::subject;
use provoke::{CoverageTarget, Fill, GenerateOptions, GenerateOutcome, Model};
use provoke_model::{Suite, System};
use provoke_report::text;
use provoke_results::{Generate, TotalsResult, VerdictResult, VerdictWord, percent, to_json};
use std::path::Path;

pub(crate) fn run(args: &GenerateArgs, output: &Output) -> Result<Outcome, Failure> {
    let (model, given, options) = asked(args, output)?;
    let control = console::control(output);
    let GenerateOutcome { result, .. } = provoke::generate(&model, given, &options, &control)?;
    if result.interrupted {
        say_interrupted(args.output.as_deref(), output);
    }
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        output.result(&text::generate(&result));
    }
    Ok(outcome(args, &result))
}

/// What is to be done, and with what.
fn asked(
    args: &GenerateArgs,
    output: &Output,
) -> Result<(Model, Option<Suite>, GenerateOptions), Failure> {
    only_observable(args)?;
    let (main, assume) = (args.model.main.as_deref(), &args.work.assume);
    let model = files::model_assuming(&args.model.model, main, assume, output)?;
    let given = args.extend.as_deref();
    let given = given.map(|path| given_tests(path, &model.system, args.work.seed)).transpose()?;
    let options = GenerateOptions {
        targets: args.criterion.criterion.clone(),
        counting: args.criterion.counting,
        method: args.method,
        masking: args.masking,
        oracle: args.oracle.clone(),
        exact: args.exact,
        exclude: excluded(&args.exclude, &args.because)?,
        reduction: args.reduce.0.map(Into::into),
        shard: args.shard,
        folder: args.output.clone(),
        work: args.work.options()?,
    };
    Ok((model, given, options))
}

/// Each pattern with its reason.
fn excluded(patterns: &[String], because: &[String]) -> Result<Vec<(String, String)>, Failure> {
    if let Some(pattern) = patterns.get(because.len()) {
        return Err(Failure::Usage {
            message: format!("`--exclude {pattern}` has no reason"),
            hint: format!("type --exclude '{pattern}' --because 'why no test is needed'"),
        });
    }
    if let Some(reason) = because.get(patterns.len()) {
        return Err(Failure::Usage {
            message: format!("`--because` belongs to an `--exclude` before it: {reason}"),
            hint: format!("type --exclude ID --because '{reason}'"),
        });
    }
    match because.iter().position(|reason| reason.trim().is_empty()) {
        None => Ok(patterns.iter().cloned().zip(because.iter().cloned()).collect()),
        Some(position) => Err(Failure::Usage {
            message: format!("the reason for `--exclude {}` is empty", patterns[position]),
            hint: "say why no test is needed: --because 'TEXT'".to_string(),
        }),
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

/// A change has to be seen somewhere: with a criterion that asks for no such thing, exactness
/// would have no meaning.
fn only_observable(args: &GenerateArgs) -> Result<(), Failure> {
    let is_visible =
        |asked: &&CoverageTarget| matches!(asked, CoverageTarget::Criterion(c) if c.observable);
    let hidden = args.criterion.criterion.iter().find(|asked| !is_visible(asked));
    let (Some(exact), Some(hidden)) = (args.exact, hidden) else { return Ok(()) };
    let (exact, word) = (exact.word(), hidden.word());
    let message = format!("--exact {exact}: `{word}` is not an observable criterion");
    let hint = match hidden {
        CoverageTarget::Criterion(_) => format!("use -c o{word}, or leave out --exact"),
        CoverageTarget::Properties => "ask for properties in a run of their own".to_string(),
    };
    Err(Failure::input(message, hint))
}

fn outcome(args: &GenerateArgs, result: &Generate) -> Outcome {
    let violated = |verdict: &VerdictResult| verdict.verdict == VerdictWord::Violated;
    if result.interrupted {
        Outcome::Interrupted
    } else if result.verdicts.iter().any(violated) {
        Outcome::Negative
    } else if let Some(required) = args.require {
        let TotalsResult { covered, unknown, .. } = result.obligations;
        let enough = percent(covered, covered + unknown) >= required;
        if enough { Outcome::Well } else { Outcome::Negative }
    } else if result.obligations.unknown > 0 {
        Outcome::Inconclusive
    } else {
        Outcome::Well
    }
}

/// The tests of a suite, over the inputs of the model; what they leave open is drawn at random.
fn given_tests(path: &Path, system: &System, seed: u64) -> Result<Suite, Failure> {
    let mut suite = subject::tests(path, system)?.suite;
    subject::fill(&mut suite, system, Fill::Random, seed);
    Ok(suite)
}
