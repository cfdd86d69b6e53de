//! `provoke timed estimate`: answers to questions about probabilities.

use provoke::timed::estimate;
use provoke_report::text;
use provoke_results::AnswerWord;

use crate::args::TimedEstimateArgs;
use crate::commands::timed::{hint, model, tell};
use crate::console;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &TimedEstimateArgs, output: &Output) -> Result<Outcome, Failure> {
    let model = model(&args.model.model, &args.query, output)?;
    let control = console::control(output);
    let result = estimate(&model, &args.options()?, &control, &mut |answer| {
        if !output.is_json() {
            output.result(&text::timed_estimate(answer, hint(answer.stopped_by)));
        }
    })?;
    tell(output, args.output.as_deref(), &result)?;
    let any = |verdict| result.answers.iter().any(|answer| answer.verdict == Some(verdict));
    Ok(match () {
        () if control.is_cancelled() => Outcome::Interrupted,
        () if any(AnswerWord::NotSatisfied) => Outcome::Negative,
        () if any(AnswerWord::Unknown) => Outcome::Inconclusive,
        () => Outcome::Well,
    })
}
