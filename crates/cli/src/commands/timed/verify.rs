//! `provoke timed verify`: answers to questions about all runs.

use std::path::Path;

use provoke::timed::{NetworkModel, TimedVerifyOptions, verify};
use provoke_report::text;
use provoke_results::{AnswerResult, AnswerWord, TraceResult};

use crate::args::TimedVerifyArgs;
use crate::commands::timed::{model, tell};
use crate::console;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &TimedVerifyArgs, output: &Output) -> Result<Outcome, Failure> {
    let model = model(&args.model.model, &args.query, output)?;
    carry_out(&model, &args.options(), args.output.as_deref(), args.trace, output)
}

/// Answers queries, and tells each as soon as it is there.
pub(crate) fn carry_out(
    model: &NetworkModel,
    options: &TimedVerifyOptions,
    answers: Option<&Path>,
    with_trace: bool,
    output: &Output,
) -> Result<Outcome, Failure> {
    let control = console::control(output);
    let result = verify(model, options, &control, &mut |answer| {
        if !output.is_json() {
            output.result(&describe(answer, with_trace));
        }
    })?;
    tell(output, answers, &result)?;
    let others = model.network.queries.len() - result.answers.len();
    if others > 0 {
        let name = &result.model;
        output.note(&format!(
            "{others} more about single runs: `provoke timed estimate {name}`, or `simulate`\n"
        ));
    }
    let verdicts: Vec<AnswerWord> = result.answers.iter().map(|answer| answer.verdict).collect();
    Ok(match () {
        () if control.is_cancelled() => Outcome::Interrupted,
        () if verdicts.contains(&AnswerWord::NotSatisfied) => Outcome::Negative,
        () if verdicts.contains(&AnswerWord::Unknown) => Outcome::Inconclusive,
        () => Outcome::Well,
    })
}

fn describe(answer: &AnswerResult, with_trace: bool) -> String {
    let text = text::timed_answer(answer);
    match &answer.trace {
        Some(trace) if with_trace => text + &text::trace(trace),
        Some(trace) => text + &offer(trace),
        None => text,
    }
}

/// How the run that shows an answer can be seen.
fn offer(trace: &TraceResult) -> String {
    let count = trace.events.len();
    let steps = if count == 1 { "1 step".to_string() } else { format!("{count} steps") };
    format!("{:15}shown by a run of {steps}; --trace draws it\n", "")
}
