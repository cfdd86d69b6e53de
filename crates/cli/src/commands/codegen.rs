//! `provoke codegen`: a model as C code.

use provoke::{CodegenOptions, CodegenTarget};
use provoke_base::Error;
use provoke_report::text::{self, CodePurpose};
use provoke_results::{Codegen, to_json};

use crate::args::CodegenArgs;
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::subject;

pub(crate) fn run(args: &CodegenArgs, output: &Output) -> Result<Outcome, Failure> {
    let model = files::model_assuming(&args.model.model, args.model.main.as_deref(), &[], output)?;
    let options = CodegenOptions {
        int: args.int,
        real: args.real,
        inline: args.inline,
        target: args.target,
        step_ms: Some(args.step.as_millis().clamp(1, 3_600_000) as u32),
        tolerance: args.tolerance,
        coverage: args.coverage,
        allow_other_numbers: args.allow_other_numbers,
        folder: args.output.clone(),
    };
    let suite = args.suite.as_ref();
    let suite = suite
        .map(|path| subject::suite_for(path, &model.system, args.fill, args.seed, output))
        .transpose()?;
    let result = provoke::codegen(&model, suite, &options, &console::listener(output))
        .map_err(|error| in_suite(args, error))?;
    let outcome = outcome(args, &result);
    if output.is_json() {
        output.result(&to_json(&result));
        return Ok(outcome);
    }
    for path in &result.files {
        output.note(&format!("wrote {path}\n"));
    }
    match &result.coverage {
        Some(_) => output.result(&text::code_coverage(&result)),
        None => output.result(&text::how_to_build(&args.output, &result.name, purpose(args))),
    }
    Ok(outcome)
}

/// Whether the code did what the suite expects, and enough of it was covered.
fn outcome(args: &CodegenArgs, result: &Codegen) -> Outcome {
    let Some(coverage) = &result.coverage else { return Outcome::Well };
    let least = coverage.branches.percent.min(coverage.mcdc.percent);
    match coverage.passed && args.require.is_none_or(|required| least >= required) {
        true => Outcome::Well,
        false => Outcome::Negative,
    }
}

/// Where a suite cannot be replayed, its name helps.
fn in_suite(args: &CodegenArgs, error: Error) -> Error {
    match (&args.suite, &error.text) {
        (Some(path), None) => {
            let message = format!("{}: {}", path.display(), error.message);
            Error { message, ..error }
        }
        _ => error,
    }
}

/// What the code is there for.
fn purpose(args: &CodegenArgs) -> CodePurpose {
    match args.target {
        _ if args.suite.is_some() => CodePurpose::Replay,
        Some(CodegenTarget::Machine(_)) => CodePurpose::Target,
        Some(_) => CodePurpose::Library,
        None => CodePurpose::Object,
    }
}
