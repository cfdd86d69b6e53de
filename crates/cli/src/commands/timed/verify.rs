//! `provoke timed verify`: answers to questions about all runs.

use std::time::Instant;

use provoke_base::{Control, SourceFile};
use provoke_results::{AnswerResult, AnswerWord, ExtremeWord, Schema, TimedVerify};
use provoke_timed::network::Query;
use provoke_timed::{Effort, Network, Order, verify};

use crate::args::{SearchOrder, TimedVerifyArgs, threads};
use crate::commands::timed::{network, picture, tell, why_stop};
use crate::console;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &TimedVerifyArgs, output: &Output) -> Result<Outcome, Failure> {
    let (file, network) = network(&args.model.model, &args.query, output)?;
    let asked = asked(&network, args);
    if asked.is_empty() {
        let message = format!("{} asks nothing about all runs", file.name);
        return Err(Failure::input(message, "ask with -q, for example -q \"A[] not deadlock\""));
    }
    let control = console::control(output);
    let mut answers = Vec::new();
    for query in &asked {
        let answer = answer(args, &file, &network, query, &control);
        if !output.is_json() {
            output.result(&describe(&answer, args.trace));
        }
        answers.push(answer);
    }
    let result = TimedVerify { schema: Schema::default(), model: file.name.clone(), answers };
    tell(output, args.output.as_deref(), &result)?;
    let others = network.queries.len() - asked.len();
    if others > 0 {
        let name = &file.name;
        output.note(&format!(
            "{others} more about single runs: `provoke timed estimate {name}`, or `simulate`\n"
        ));
    }
    let any = |verdict| result.answers.iter().any(|answer| answer.verdict == verdict);
    Ok(if control.is_cancelled() {
        Outcome::Interrupted
    } else if any(AnswerWord::NotSatisfied) {
        Outcome::Negative
    } else if any(AnswerWord::Unknown) {
        Outcome::Inconclusive
    } else {
        Outcome::Well
    })
}

/// The questions of the user, or those of the file that are about all runs.
fn asked<'n>(network: &'n Network, args: &TimedVerifyArgs) -> Vec<&'n Query> {
    let wanted = |query: &&Query| match &query.question {
        Ok(question) => !args.query.is_empty() || question.is_about_all_runs(),
        Err(_) => true,
    };
    network.queries.iter().filter(wanted).collect()
}

fn answer(
    args: &TimedVerifyArgs,
    file: &SourceFile,
    network: &Network,
    query: &Query,
    control: &Control,
) -> AnswerResult {
    let question = match &query.question {
        Ok(question) => question,
        Err(why) => return AnswerResult::refused(&query.text, why),
    };
    let started = Instant::now();
    let stop = || why_stop(control, started, args.budget);
    let effort = Effort {
        order: match args.order {
            SearchOrder::Breadth => Order::Breadth,
            SearchOrder::Depth => Order::Depth,
            SearchOrder::Random => Order::Random(args.seed),
        },
        jobs: threads(args.jobs),
        bytes: (args.memory as usize) << 20,
        stop: &stop,
    };
    let answer = verify(network, question, effort);
    AnswerResult::new(file, network, &query.text, &answer, started.elapsed().as_secs_f64())
}

fn describe(answer: &AnswerResult, with_trace: bool) -> String {
    let mut text = format!("{:<13}  {}\n", answer.verdict, answer.query);
    let line = answer.line.map_or(String::new(), |line| format!(" (line {line})"));
    if let Some(reason) = &answer.reason {
        text += &format!("{:15}{reason}{line}\n", "");
    }
    for value in &answer.values {
        let shown = match (value.value, value.kind) {
            (Some(value), ExtremeWord::Approached) => {
                format!("{value}, approached but not reached")
            }
            (Some(value), _) => value.to_string(),
            (None, ExtremeWord::Unbounded) => "no bound".to_string(),
            (None, _) => "no such state".to_string(),
        };
        text += &format!("{:15}{shown}\n", "");
    }
    text += &format!("{:15}{} zones, {:.2} s\n", "", answer.states, answer.seconds);
    match &answer.trace {
        Some(trace) if with_trace => text += &picture::draw(trace),
        Some(trace) => {
            let count = trace.events.len();
            let steps = if count == 1 { "1 step".to_string() } else { format!("{count} steps") };
            text += &format!("{:15}shown by a run of {steps}; --trace draws it\n", "");
        }
        None => {}
    }
    text
}
