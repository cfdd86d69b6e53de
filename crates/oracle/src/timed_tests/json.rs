//! Timed tests as JSON.

use provoke_stats::ConfidenceInterval;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::timed_tests::timed_test::{
    Input, ObservedValue, Probability, TimedStep, TimedSuite, TimedTest, Uio, UioKind, Unreadable,
    check,
};

/// The version of the format.
pub const SCHEMA: &str = "provoke/timed-suite/1";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SuiteFile {
    schema: String,
    #[serde(default)]
    model: String,
    #[serde(default)]
    observe: Vec<String>,
    tests: Vec<TestFile>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TestFile {
    name: String,
    #[serde(default, rename = "final", skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    steps: Vec<StepFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    probability: Option<ProbabilityFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    uio: Vec<UioFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    remark: Option<String>,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct StepFile {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    event: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wait: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    phase: Option<i64>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    out: Map<String, Json>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct UioFile {
    kind: String,
    steps: Vec<StepFile>,
    #[serde(default)]
    excludes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    joint: Option<ProbabilityFile>,
    /// Of the sequence, where the outputs of the test are as written; for readers only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    conditional: Option<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProbabilityFile {
    low: f64,
    high: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exact: Option<f64>,
    runs: u64,
    successes: u64,
}

/// Writes tests as JSON.
pub fn print(suite: &TimedSuite) -> String {
    let file = SuiteFile {
        schema: SCHEMA.to_string(),
        model: suite.model.clone(),
        observe: suite.observe.clone(),
        tests: suite.tests.iter().map(test_file).collect(),
    };
    let mut text = serde_json::to_string_pretty(&file).expect("plain data");
    text.push('\n');
    text
}

fn test_file(test: &TimedTest) -> TestFile {
    let alone = test.probability.as_ref().map(Probability::point);
    let uio_file = |uio: &Uio| UioFile {
        kind: uio.kind.word().to_string(),
        steps: uio.steps.iter().map(step_file).collect(),
        excludes: uio.excludes.clone(),
        joint: uio.joint.as_ref().map(probability_file),
        conditional: match (uio.joint.as_ref().map(Probability::point), alone) {
            (Some(joint), Some(alone)) if alone > 0.0 => Some((joint / alone).min(1.0)),
            _ => None,
        },
    };
    TestFile {
        name: test.name.clone(),
        target: test.target.clone(),
        steps: test.steps.iter().map(step_file).collect(),
        probability: test.probability.as_ref().map(probability_file),
        uio: test.uios.iter().map(uio_file).collect(),
        remark: test.remark.clone(),
    }
}

fn step_file(step: &TimedStep) -> StepFile {
    let value = |value: &ObservedValue| match value {
        ObservedValue::Bool(truth) => Json::Bool(*truth),
        ObservedValue::Int(number) => Json::from(*number),
    };
    let out = step.out.iter().map(|(name, v)| (name.clone(), value(v))).collect();
    let mut file = StepFile { out, ..StepFile::default() };
    match &step.input {
        Input::Event(name) => file.event = Some(name.clone()),
        Input::Wait(time) => file.wait = Some(*time),
        Input::Phase(time) => file.phase = Some(*time),
    }
    file
}

fn probability_file(probability: &Probability) -> ProbabilityFile {
    let Probability { interval, exact, runs, successes } = *probability;
    ProbabilityFile { low: interval.low, high: interval.high, exact, runs, successes }
}

/// Reads tests from JSON.
pub fn parse(text: &str) -> Result<TimedSuite, Unreadable> {
    let file: SuiteFile = serde_json::from_str(text)
        .map_err(|error| Unreadable::new(error.line(), error.to_string()))?;
    if file.schema != SCHEMA {
        let message = format!("schema `{}`; expected `{SCHEMA}`", file.schema);
        return Err(Unreadable::new(1, message));
    }
    let mut suite = TimedSuite { model: file.model, observe: file.observe, tests: Vec::new() };
    for test in file.tests {
        let name = test.name.clone();
        let read = read_test(test);
        suite
            .tests
            .push(read.map_err(|message| Unreadable::new(0, format!("test `{name}`: {message}")))?);
    }
    check(&suite)?;
    Ok(suite)
}

fn read_test(file: TestFile) -> Result<TimedTest, String> {
    let mut uios = Vec::new();
    for uio in file.uio {
        let kind = UioKind::named(&uio.kind)
            .ok_or_else(|| format!("`{}`; expected single, composed or separating", uio.kind))?;
        let joint = uio.joint.map(read_probability).transpose()?;
        uios.push(Uio { kind, steps: read_steps(uio.steps)?, excludes: uio.excludes, joint });
    }
    Ok(TimedTest {
        name: file.name,
        target: file.target,
        steps: read_steps(file.steps)?,
        probability: file.probability.map(read_probability).transpose()?,
        uios,
        remark: file.remark,
    })
}

fn read_steps(files: Vec<StepFile>) -> Result<Vec<TimedStep>, String> {
    files.into_iter().map(read_step).collect()
}

fn read_step(file: StepFile) -> Result<TimedStep, String> {
    let input = match (file.event, file.wait, file.phase) {
        (Some(event), None, None) => Input::Event(event),
        (None, Some(time), None) => Input::Wait(time),
        (None, None, Some(time)) => Input::Phase(time),
        _ => return Err("a step has either `event`, `wait` or `phase`".to_string()),
    };
    let mut out = Vec::new();
    for (name, value) in file.out {
        let value = match value {
            Json::Bool(truth) => ObservedValue::Bool(truth),
            Json::Number(number) => ObservedValue::Int(
                number.as_i64().ok_or_else(|| format!("`{name}` is {number}, no whole number"))?,
            ),
            other => {
                return Err(format!("`{name}` is {other}; expected a number or a truth value"));
            }
        };
        out.push((name, value));
    }
    Ok(TimedStep { input, out })
}

fn read_probability(file: ProbabilityFile) -> Result<Probability, String> {
    let ProbabilityFile { low, high, exact, runs, successes } = file;
    let fits = |p: f64| (0.0..=1.0).contains(&p);
    if !fits(low) || !fits(high) || low > high || !exact.is_none_or(fits) || successes > runs {
        return Err(format!("a probability in [{low}, {high}] with {successes} of {runs} runs"));
    }
    Ok(Probability { interval: ConfidenceInterval { low, high }, exact, runs, successes })
}

/// Reads tests in either form.
pub fn read(text: &str) -> Result<TimedSuite, Unreadable> {
    match text.trim_start().starts_with('{') {
        true => parse(text),
        false => crate::timed_tests::text::parse(text),
    }
}
