//! `provoke timed estimate`: answers to questions about probabilities.

use std::path::Path;

use provoke::timed::{NetworkModel, TimedEstimateOptions, estimate};
use provoke_report::text;
use provoke_results::AnswerWord;

use crate::args::TimedEstimateArgs;
use crate::commands::timed::{model, tell};
use crate::console;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &TimedEstimateArgs, output: &Output) -> Result<Outcome, Failure> {
    let model = model(&args.model.model, &args.query, output)?;
    carry_out(&model, &args.options()?, args.output.as_deref(), output)
}

/// Answers queries, and tells each as soon as it is there.
pub(crate) fn carry_out(
    model: &NetworkModel,
    options: &TimedEstimateOptions,
    answers: Option<&Path>,
    output: &Output,
) -> Result<Outcome, Failure> {
    let control = console::control(output);
    let result = estimate(model, options, &control, &mut |answer| {
        if !output.is_json() {
            output.result(&text::timed_estimate(answer));
        }
    })?;
    tell(output, answers, &result)?;
    let any = |verdict| result.answers.iter().any(|answer| answer.verdict == Some(verdict));
    Ok(match () {
        () if control.is_cancelled() => Outcome::Interrupted,
        () if any(AnswerWord::NotSatisfied) => Outcome::Negative,
        () if any(AnswerWord::Unknown) => Outcome::Inconclusive,
        () => Outcome::Well,
    })
}
