//! `provoke timed estimate`: answers to questions about probabilities.

use std::sync::atomic::Ordering;
use std::time::Instant;

use provoke_results::{AnswerWord, EstimateResult, Schema, TimedEstimate};
use provoke_stats::Rule;
use provoke_stochastic::{Elsewhere, Settings, estimate, runs};
use provoke_timed::Network;
use provoke_timed::network::Query;
use provoke_work::{Served, WorkerLoop};

use crate::args::{StopRule, TimedEstimateArgs};
use crate::commands::timed::{network, tell, why_stop};
use crate::console;
use crate::monte_carlo::{self, Handed};
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &TimedEstimateArgs, output: &Output) -> Result<Outcome, Failure> {
    let (file, network) = network(&args.model.model, &args.query, output)?;
    let asked = asked(&network, args);
    if asked.is_empty() {
        let message = format!("{} asks for no probability", file.name);
        return Err(Failure::input(
            message,
            "ask with -q, for example -q \"Pr[<=100](<> P.Done)\"",
        ));
    }
    let control = console::control(output);
    let handed = Handed::new(args, &file, &control)?;
    let failed = handed.as_ref().map(Handed::failed).unwrap_or_default();
    let mut answers = Vec::new();
    for (at, query) in asked.into_iter().enumerate() {
        let started = Instant::now();
        let stop = || {
            let failed = failed.load(Ordering::SeqCst).then(|| "nobody works".to_string());
            failed.or_else(|| why_stop(&control, started, args.budget))
        };
        let asked_elsewhere = handed.as_ref().map(|handed| handed.question(at, args));
        let elsewhere = asked_elsewhere.as_ref().map(|asked| asked as &dyn Elsewhere);
        let settings = Settings { elsewhere, ..settings(args, &stop) };
        let answer = match &query.question {
            Ok(question) => {
                let found = estimate(&network, question, settings);
                handed.as_ref().map_or(Ok(()), Handed::failure)?;
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
        schema: Schema::default(),
        model: file.name.clone(),
        seed: args.seed,
        answers,
    };
    tell(output, args.output.as_deref(), &result)?;
    let any = |verdict| result.answers.iter().any(|answer| answer.verdict == Some(verdict));
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

/// Does a worker's part.
pub(crate) fn serve(
    args: &TimedEstimateArgs,
    worker: &mut WorkerLoop,
    output: &Output,
) -> Result<Served, Failure> {
    let (file, network) = network(&args.model.model, &args.query, output)?;
    let asked = asked(&network, args);
    monte_carlo::serve(worker, &file, args, &mut |at, numbers| {
        let question = asked.get(at)?.question.as_ref().ok()?;
        Some(runs(&network, question, settings(args, &|| None), numbers))
    })
}

/// The questions of the file or of the user, as far as they are about chance.
fn asked<'n>(network: &'n Network, args: &TimedEstimateArgs) -> Vec<&'n Query> {
    let wanted = |query: &&Query| match &query.question {
        Ok(question) => !args.query.is_empty() || question.is_about_chance(),
        Err(_) => !args.query.is_empty(),
    };
    network.queries.iter().filter(wanted).collect()
}

fn settings<'a>(
    args: &TimedEstimateArgs,
    stop: &'a (dyn Fn() -> Option<String> + Sync),
) -> Settings<'a> {
    Settings {
        rule: rule(args),
        alpha: 1.0 - args.confidence,
        epsilon: args.epsilon,
        seed: args.seed,
        jobs: args.place.jobs(),
        most_runs: args.most_runs,
        stop,
        elsewhere: None,
    }
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
