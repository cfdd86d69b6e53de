//! What random runs of timed automata say.

use provoke_base::SourceFile;
use provoke_stochastic::Estimate;
use provoke_stochastic::estimate::EstimateAnswer;
use provoke_stochastic::trajectory::Trajectory;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::Schema;
use crate::word::{AnswerWord, StopWord};

/// Answers to questions about probabilities.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct TimedEstimate {
    /// The name of the contract.
    pub schema: Schema<TimedEstimate>,
    /// The file's name.
    pub model: String,
    /// Where random numbers started.
    pub seed: u64,
    /// One for each question.
    pub answers: Vec<EstimateResult>,
}

/// What is said of a question.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct EstimateResult {
    /// Its text.
    pub query: String,
    /// How many runs were counted.
    pub runs: u64,
    /// In how many of them it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub successes: Option<u64>,
    /// Where the probability, or the expected value, begins to lie.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Where it ends to lie.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// The mean of what was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// How sure it is.
    pub confidence: f64,
    /// The answer, where there is a yes or no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<AnswerWord>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What ended the runs before there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<StopWord>,
    /// The line of the model that is to blame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Steps of all runs.
    pub steps: u64,
    /// Runs in which neither time nor anything else could go on.
    pub stuck: u64,
    /// Runs in which time once stood still while only processes could act that may wait: who comes
    /// first there is a rule of Provoke.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hurried: u64,
    /// How long it took.
    pub seconds: f64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl EstimateResult {
    /// Describes an answer.
    pub fn new(
        file: &SourceFile,
        query: &str,
        found: &EstimateAnswer,
        confidence: f64,
        seconds: f64,
    ) -> EstimateResult {
        let mut result = EstimateResult {
            runs: found.runs,
            steps: found.steps,
            stuck: found.stuck,
            hurried: found.hurried,
            seconds,
            ..EstimateResult::refused(query, "", confidence)
        };
        result.reason = None;
        result.verdict = None;
        let word = |holds: bool| {
            Some(if holds { AnswerWord::Satisfied } else { AnswerWord::NotSatisfied })
        };
        match &found.verdict {
            Ok(Estimate::Probability { interval, successes }) => {
                result.successes = Some(*successes);
                (result.low, result.high) = (Some(interval.low), Some(interval.high));
            }
            Ok(Estimate::Hypothesis { holds, successes }) => {
                result.successes = Some(*successes);
                result.verdict = word(*holds);
            }
            Ok(Estimate::Comparison { holds }) => result.verdict = word(*holds),
            Ok(Estimate::Expectation { mean, half_width }) => {
                result.mean = Some(*mean);
                (result.low, result.high) = (Some(mean - half_width), Some(mean + half_width));
            }
            Err(reason) => {
                result.verdict = Some(AnswerWord::Unknown);
                result.reason = Some(reason.text.clone());
                result.stopped_by = reason.stop.map(Into::into);
                result.line = reason.span.map(|span| file.line_column(span.start).line);
            }
        }
        result
    }

    /// A question that cannot be asked.
    pub fn refused(query: &str, reason: &str, confidence: f64) -> EstimateResult {
        EstimateResult {
            query: query.to_string(),
            runs: 0,
            successes: None,
            low: None,
            high: None,
            mean: None,
            confidence,
            verdict: Some(AnswerWord::Unknown),
            reason: Some(reason.to_string()),
            stopped_by: None,
            line: None,
            steps: 0,
            stuck: 0,
            hurried: 0,
            seconds: 0.0,
        }
    }
}

/// Random runs as points.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct TimedSimulate {
    /// The name of the contract.
    pub schema: Schema<TimedSimulate>,
    /// The model's file.
    pub model: String,
    /// Where random numbers started.
    pub seed: u64,
    /// When runs end.
    pub limit: f64,
    /// What is shown.
    pub shown: Vec<String>,
    /// The runs.
    pub runs: Vec<TrajectoryResult>,
}

/// One random run.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct TrajectoryResult {
    /// The points, by time.
    pub points: Vec<PointResult>,
    /// Whether later points are left out.
    pub cut: bool,
}

impl TrajectoryResult {
    /// Describes a run.
    pub fn new(run: Trajectory) -> TrajectoryResult {
        let points = run.points.into_iter().map(|point| PointResult(point.time, point.values));
        TrajectoryResult { points: points.collect(), cut: run.cut }
    }
}

/// A moment with a value for each expression that is shown.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct PointResult(
    /// When.
    pub f64,
    /// The values.
    pub Vec<f64>,
);
