//! `provoke timed estimate`: answers to questions about probabilities.

use std::time::Instant;

use provoke_results::{EstimateResult, TimedEstimate, to_json};
use provoke_stats::Rule;
use provoke_stochastic::{Settings, estimate};
use provoke_timed::network::Question;

use crate::args::{StopRule, TimedEstimateArgs};
use crate::commands::timed::{network, threads, why_stop};
use crate::interrupt::Interrupt;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &TimedEstimateArgs, output: &Output) -> Result<Outcome, Failure> {
    let (file, network) = network(&args.model.model, &args.query, output)?;
    let asked = network.queries.iter().filter(|query| match &query.question {
        Ok(question) => !args.query.is_empty() || is_about_chance(question),
        Err(_) => !args.query.is_empty(),
    });
    let asked: Vec<_> = asked.collect();
    if asked.is_empty() {
        let message = format!("{} asks for no probability", file.name);
        return Err(Failure::input(
            message,
            "ask with -q, for example -q \"Pr[<=100](<> P.Done)\"",
        ));
    }
    let interrupt = Interrupt::listen();
    let mut answers = Vec::new();
    for query in asked {
        let started = Instant::now();
        let stop = || why_stop(&interrupt, started, args.budget);
        let settings = Settings {
            rule: rule(args),
            alpha: 1.0 - args.confidence,
            epsilon: args.epsilon,
            seed: args.seed,
            jobs: threads(args.jobs),
            most_runs: args.most_runs,
            stop: &stop,
        };
        let answer = match &query.question {
            Ok(question) => {
                let found = estimate(&network, question, settings);
                let seconds = started.elapsed().as_secs_f64();
                EstimateResult::new(&file, &query.text, &found, args.confidence, seconds)
            }
            Err(why) => EstimateResult::refused(&query.text, why, args.confidence),
        };
        if !output.is_json() {
            output.result(&describe(&answer));
        }
        answers.push(answer);
    }
    let result = TimedEstimate {
        schema: TimedEstimate::SCHEMA,
        model: file.name.clone(),
        seed: args.seed,
        answers,
    };
    if output.is_json() {
        output.result(&to_json(&result));
    }
    let any = |verdict| result.answers.iter().any(|answer| answer.verdict == Some(verdict));
    Ok(if interrupt.came() {
        Outcome::Interrupted
    } else if any("not satisfied") {
        Outcome::Negative
    } else if any("unknown") {
        Outcome::Inconclusive
    } else {
        Outcome::Well
    })
}

fn is_about_chance(question: &Question) -> bool {
    matches!(
        question,
        Question::Probability(_)
            | Question::Hypothesis(..)
            | Question::Comparison(..)
            | Question::Expectation(..)
    )
}

fn rule(args: &TimedEstimateArgs) -> Rule {
    match (args.runs, args.rule) {
        (Some(runs), _) => Rule::Fixed(runs),
        (None, StopRule::Uppaal5) => Rule::Uppaal5,
        (None, StopRule::Uppaal41) => Rule::Uppaal41,
        (None, StopRule::ClopperPearson) => Rule::ClopperPearson,
        (None, StopRule::Wilson) => Rule::Wilson,
        (None, StopRule::Chernoff) => Rule::Hoeffding,
    }
}

fn describe(answer: &EstimateResult) -> String {
    let mut text = format!("{}\n", answer.query);
    let percent = 100.0 * answer.confidence;
    if let (Some(low), Some(high)) = (answer.low, answer.high) {
        let what = if answer.mean.is_some() { "expected value" } else { "probability" };
        text += &format!("  {what} in [{low:.6}, {high:.6}] at {percent} % confidence\n");
    }
    if let Some(verdict) = answer.verdict {
        text += &format!("  {verdict}\n");
    }
    if let Some(reason) = &answer.reason {
        let line = answer.line.map_or(String::new(), |line| format!(" (line {line})"));
        text += &format!("  {reason}{line}\n");
    }
    let successes = answer.successes.map_or(String::new(), |count| format!("{count} of "));
    text += &format!(
        "  {successes}{} runs, {} steps, {:.2} s\n",
        answer.runs, answer.steps, answer.seconds
    );
    if answer.stuck > 0 {
        text += &format!(
            "  {} runs came to where neither time nor anything else can go on\n",
            answer.stuck
        );
    }
    text
}
