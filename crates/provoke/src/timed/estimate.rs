//! Answers to questions about probabilities.

use std::sync::atomic::Ordering;
use std::time::Instant;

use provoke_base::{Control, Error, ErrorCode, Progress, Pulse, StopReason};
use provoke_results::{EstimateResult, Schema, TimedEstimate};
use provoke_stochastic::{
    EstimateSettings, RunRecord, RunSource, estimate as answer_question, runs,
};
use provoke_uppaal::network::Question;
use provoke_work::{RangeRunner, Served, WorkerLoop};

use super::NetworkModel;
use super::options::TimedEstimateOptions;
use super::remote_runs::{RemoteRuns, identity};

/// Answers the questions that were given with the model, or those of its file that are about
/// probabilities. Each answer is told to `answered` as soon as it is there. What is not decided in time is
/// unknown.
pub fn estimate(
    model: &NetworkModel,
    options: &TimedEstimateOptions,
    control: &Control,
    answered: &mut dyn FnMut(&EstimateResult),
) -> Result<TimedEstimate, Error> {
    let questions = model.network.questions_about_chance(!model.queries.is_empty());
    let name = &model.file.name;
    if questions.is_empty() {
        let message = format!("{name} asks for no probability");
        return Err(Error::new(ErrorCode::NothingAsked, message).hint("\"Pr[<=100](<> P.Done)\""));
    }
    let remote = RemoteRuns::new(model, options, control)?;
    let mut answers = Vec::new();
    for (at, query) in questions.into_iter().enumerate() {
        let answer = match &query.question {
            Ok(question) => {
                let asked = (at, query.text.as_str(), question);
                answer(model, asked, options, remote.as_ref(), control)?
            }
            Err(why) => EstimateResult::refused(&query.text, why, options.confidence),
        };
        answered(&answer);
        answers.push(answer);
    }
    let (schema, seed) = (Schema::default(), options.seed);
    Ok(TimedEstimate { schema, model: name.clone(), seed, answers })
}

/// Does a worker's part of [`estimate`].
pub(crate) fn serve(
    model: &NetworkModel,
    options: &TimedEstimateOptions,
    worker: &mut WorkerLoop,
) -> Result<Served, Error> {
    let questions = model.network.questions_about_chance(!model.queries.is_empty());
    RangeRunner::serve(worker, &identity(model, options), &mut |at, numbers| {
        let question = questions.get(at)?.question.as_ref().ok()?;
        let runs = runs(&model.network, question, settings(options, &|_| None), numbers);
        Some(RunRecord::new(&runs))
    })
}

/// The answer to one question, which is known to workers by its position.
fn answer(
    model: &NetworkModel,
    (at, text, question): (usize, &str, &Question),
    options: &TimedEstimateOptions,
    remote: Option<&RemoteRuns>,
    control: &Control,
) -> Result<EstimateResult, Error> {
    let (started, pulse) = (Instant::now(), Pulse::new(control));
    let limited = control.clone().within(started, options.budget);
    let (failed, is_remote) =
        (remote.map(RemoteRuns::failed).unwrap_or_default(), remote.is_some());
    let stop = |done| {
        if !is_remote {
            pulse.tell(|| Progress::Runs { done });
        }
        let failed = failed.load(Ordering::SeqCst).then_some(StopReason::Cancelled);
        failed.or_else(|| limited.stop_reason())
    };
    let runs = remote.map(|remote| remote.question(at, options.rule));
    let source = runs.as_ref().map(|runs| runs as &dyn RunSource);
    let settings = EstimateSettings { source, ..settings(options, &stop) };
    let found = answer_question(&model.network, question, settings);
    remote.map_or(Ok(()), RemoteRuns::failure)?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(EstimateResult::new(&model.file, text, &found, options.confidence, seconds))
}

fn settings<'a>(
    options: &TimedEstimateOptions,
    stop: &'a (dyn Fn(u64) -> Option<StopReason> + Sync),
) -> EstimateSettings<'a> {
    EstimateSettings {
        rule: options.rule,
        alpha: 1.0 - options.confidence,
        epsilon: options.epsilon,
        seed: options.seed,
        jobs: options.work.threads(),
        most_runs: options.most_runs,
        stop,
        source: None,
    }
}
