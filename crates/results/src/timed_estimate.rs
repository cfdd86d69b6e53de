//! What random runs of timed automata say.

use provoke_base::SourceFile;
use provoke_stochastic::Verdict;
use provoke_stochastic::estimate::Estimated;
use serde::Serialize;

/// Answers to questions about probabilities.
#[derive(Serialize, Debug)]
pub struct TimedEstimate {
    /// `provoke/timed-estimate/1`
    pub schema: &'static str,
    /// The file's name.
    pub model: String,
    /// Where random numbers started.
    pub seed: u64,
    /// One for each question.
    pub answers: Vec<EstimateResult>,
}

impl TimedEstimate {
    /// The name of the schema.
    pub const SCHEMA: &'static str = "provoke/timed-estimate/1";
}

/// What is said of a question.
#[derive(Serialize, Debug)]
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
    /// `satisfied`, `not satisfied` or `unknown`, where there is a yes or no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<&'static str>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The line of the model that is to blame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Steps of all runs.
    pub steps: u64,
    /// Runs in which neither time nor anything else could go on.
    pub stuck: u64,
    /// How long it took.
    pub seconds: f64,
}

impl EstimateResult {
    /// Describes an answer.
    pub fn new(
        file: &SourceFile,
        query: &str,
        found: &Estimated,
        confidence: f64,
        seconds: f64,
    ) -> EstimateResult {
        let mut result = EstimateResult {
            runs: found.runs,
            steps: found.steps,
            stuck: found.stuck,
            seconds,
            ..EstimateResult::refused(query, "", confidence)
        };
        result.reason = None;
        result.verdict = None;
        let word = |holds: bool| Some(if holds { "satisfied" } else { "not satisfied" });
        match &found.verdict {
            Ok(Verdict::Probability { interval, successes }) => {
                result.successes = Some(*successes);
                (result.low, result.high) = (Some(interval.low), Some(interval.high));
            }
            Ok(Verdict::Hypothesis { holds, successes }) => {
                result.successes = Some(*successes);
                result.verdict = word(*holds);
            }
            Ok(Verdict::Comparison { holds }) => result.verdict = word(*holds),
            Ok(Verdict::Expectation { mean, half_width }) => {
                result.mean = Some(*mean);
                (result.low, result.high) = (Some(mean - half_width), Some(mean + half_width));
            }
            Err(reason) => {
                result.verdict = Some("unknown");
                result.reason = Some(reason.text.clone());
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
            verdict: Some("unknown"),
            reason: Some(reason.to_string()),
            line: None,
            steps: 0,
            stuck: 0,
            seconds: 0.0,
        }
    }
}
