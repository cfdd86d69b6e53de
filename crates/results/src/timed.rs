//! What is said of timed automata.

use provoke_base::{Diagnostic, SourceFile, Span};
use provoke_uppaal::Network;
use provoke_zones::QueryAnswer;
use provoke_zones::verify::Bound;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::{DiagnosticResult, Place};
use crate::contract::Schema;
use crate::timed_trace::TraceResult;
use crate::word::{AnswerWord, ExtremeWord, StopWord};

/// A network and what there is to say about it.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct TimedCheck {
    /// The name of the contract.
    pub schema: Schema<TimedCheck>,
    /// The file's name.
    pub model: String,
    /// Whether the model can be used.
    pub ok: bool,
    /// The automata.
    pub processes: Vec<ProcessResult>,
    /// How many clocks there are.
    pub clocks: usize,
    /// How many variables there are, each element of an array counted.
    pub variables: usize,
    /// How many channels there are, each element of an array counted.
    pub channels: usize,
    /// The questions of the file.
    pub queries: Vec<QueryResult>,
    /// Constructs with a meaning in simulation only: `verify` answers `unknown`.
    pub simulation_only: Vec<ConstructResult>,
    /// Constructs that are read, but that no engine follows.
    pub not_followed: Vec<ConstructResult>,
    /// Constructs that simulation cannot follow, and verification can.
    pub verification_only: Vec<ConstructResult>,
    /// Errors, then warnings.
    pub diagnostics: Vec<DiagnosticResult>,
}

/// One automaton.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct ProcessResult {
    /// Its name.
    pub name: String,
    /// The template it is made from.
    pub template: String,
    /// How many locations it has.
    pub locations: usize,
    /// How many edges it has, each selection counted.
    pub edges: usize,
}

/// One question of a file.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct QueryResult {
    /// Its text.
    pub query: String,
    /// Why it cannot be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A construct with its place.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct ConstructResult {
    /// What it is.
    pub what: String,
    /// Where it is.
    #[serde(flatten)]
    pub place: Place,
}

impl TimedCheck {
    /// Describes a network that was read, or could not be.
    pub fn new(file: &SourceFile, network: Option<&Network>, found: &[Diagnostic]) -> TimedCheck {
        let empty = Network::default();
        let known = network.unwrap_or(&empty);
        let process = |process: &provoke_uppaal::network::Process| ProcessResult {
            name: process.name.clone(),
            template: process.template.clone(),
            locations: process.locations.len(),
            edges: process.edges.len(),
        };
        let query = |query: &provoke_uppaal::network::Query| QueryResult {
            query: query.text.clone(),
            reason: query.question.as_ref().err().cloned(),
        };
        let priorities: Vec<_> =
            known.priorities.iter().map(|p| (p.span, "priorities".to_string())).collect();
        TimedCheck {
            schema: Schema::default(),
            model: file.name.clone(),
            ok: network.is_some(),
            processes: known.processes.iter().map(process).collect(),
            clocks: known.clocks.len(),
            variables: known.cells.len(),
            channels: known.channels.len(),
            queries: known.queries.iter().map(query).collect(),
            simulation_only: constructs(file, &known.simulation_only),
            not_followed: constructs(file, &known.not_followed),
            verification_only: constructs(file, &priorities),
            diagnostics: found.iter().map(|d| DiagnosticResult::new(file, d)).collect(),
        }
    }
}

/// Each place once: a template with many instances has it many times.
fn constructs(file: &SourceFile, found: &[(Span, String)]) -> Vec<ConstructResult> {
    let mut places: Vec<&(Span, String)> = found.iter().collect();
    places.sort();
    places.dedup();
    let one = |(span, what): &(Span, String)| ConstructResult {
        what: what.clone(),
        place: Place::new(file, *span),
    };
    places.into_iter().map(one).collect()
}

/// The answers to questions about all runs.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct TimedVerify {
    /// The name of the contract.
    pub schema: Schema<TimedVerify>,
    /// The file's name.
    pub model: String,
    /// One for each question.
    pub answers: Vec<AnswerResult>,
}

/// What is said of a question.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct AnswerResult {
    /// Its text.
    pub query: String,
    /// The answer.
    pub verdict: AnswerWord,
    /// Why it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What ended the search before it was known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<StopWord>,
    /// The line of the model that is to blame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Zones stored.
    pub states: usize,
    /// How long it took.
    pub seconds: f64,
    /// What `sup` and `inf` ask for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<ExtremeResult>,
    /// A run that shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceResult>,
}

/// A largest or smallest value.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct ExtremeResult {
    /// The value; none without a state that counts, or without an end.
    pub value: Option<i64>,
    /// Whether there is one, and whether a state has it.
    pub kind: ExtremeWord,
}

impl AnswerResult {
    /// Describes an answer.
    pub fn new(
        file: &SourceFile,
        network: &Network,
        query: &str,
        answer: &QueryAnswer,
        seconds: f64,
    ) -> AnswerResult {
        let blamed = answer.reason.as_ref().and_then(|reason| reason.span);
        AnswerResult {
            query: query.to_string(),
            verdict: match answer.holds {
                Some(true) => AnswerWord::Satisfied,
                Some(false) => AnswerWord::NotSatisfied,
                None => AnswerWord::Unknown,
            },
            reason: answer.reason.as_ref().map(|reason| reason.text.clone()),
            stopped_by: answer.reason.as_ref().and_then(|reason| reason.stop).map(Into::into),
            line: blamed.map(|span| file.line_column(span.start).line),
            states: answer.states,
            seconds,
            values: answer.extremes.iter().map(extreme).collect(),
            trace: answer.trace.as_ref().map(|trace| TraceResult::new(file, network, trace)),
        }
    }

    /// A question that cannot be asked.
    pub fn refused(query: &str, reason: &str) -> AnswerResult {
        AnswerResult {
            query: query.to_string(),
            verdict: AnswerWord::Unknown,
            reason: Some(reason.to_string()),
            stopped_by: None,
            line: None,
            states: 0,
            seconds: 0.0,
            values: Vec::new(),
            trace: None,
        }
    }
}

fn extreme(bound: &Bound) -> ExtremeResult {
    match *bound {
        Bound::None => ExtremeResult { value: None, kind: ExtremeWord::None },
        Bound::Unbounded => ExtremeResult { value: None, kind: ExtremeWord::Unbounded },
        Bound::Reached(value) => ExtremeResult { value: Some(value), kind: ExtremeWord::Reached },
        Bound::Approached(value) => {
            ExtremeResult { value: Some(value), kind: ExtremeWord::Approached }
        }
    }
}
