//! Answers to questions about all runs.

use std::time::Instant;

use provoke_base::{Control, Error, ErrorCode, Progress, Pulse};
use provoke_results::{AnswerResult, Schema, TimedVerify};
use provoke_uppaal::network::Question;
use provoke_work::threads;
use provoke_zones::{SearchEffort, verify as answer_question};

use super::NetworkModel;
use super::options::TimedVerifyOptions;

/// Answers the questions about all runs that were given with the model, or that its file asks. Each answer
/// is told to `answered` as soon as it is there. What is not decided in time is unknown.
pub fn verify(
    model: &NetworkModel,
    options: &TimedVerifyOptions,
    control: &Control,
    answered: &mut dyn FnMut(&AnswerResult),
) -> Result<TimedVerify, Error> {
    let questions = model.network.questions_about_all_runs(!model.queries.is_empty());
    let name = &model.file.name;
    if questions.is_empty() {
        let message = format!("{name} asks nothing about all runs");
        return Err(Error::new(ErrorCode::NothingAsked, message).hint("\"A[] not deadlock\""));
    }
    let mut answers = Vec::new();
    for query in questions {
        let answer = match &query.question {
            Ok(question) => answer(model, &query.text, question, options, control),
            Err(why) => AnswerResult::refused(&query.text, why),
        };
        answered(&answer);
        answers.push(answer);
    }
    Ok(TimedVerify { schema: Schema::default(), model: name.clone(), answers })
}

fn answer(
    model: &NetworkModel,
    text: &str,
    question: &Question,
    options: &TimedVerifyOptions,
    control: &Control,
) -> AnswerResult {
    let (started, pulse) = (Instant::now(), Pulse::new(control));
    let limited = control.clone().within(started, options.budget);
    let effort = SearchEffort {
        order: options.order,
        jobs: threads(options.jobs),
        bytes: (options.memory as usize) << 20,
        stop: &|zones| {
            pulse.tell(|| Progress::Zones { stored: zones.stored, waiting: zones.waiting });
            limited.stop_reason()
        },
    };
    let answer = answer_question(&model.network, question, effort);
    let seconds = started.elapsed().as_secs_f64();
    AnswerResult::new(&model.file, &model.network, text, &answer, seconds)
}
