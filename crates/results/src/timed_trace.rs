//! Runs of timed automata, complete in themselves: every state with its locations, variables and
//! clocks, at exact times.

use indexmap::IndexMap;
use provoke_base::SourceFile;
use provoke_uppaal::Network;
use provoke_uppaal::network::CellKind;
use provoke_uppaal::reference::NetworkState;
use provoke_uppaal::trace::{TimedTrace, TraceEvent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A run.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct TraceResult {
    /// How it begins.
    pub initial: StateResult,
    /// What happens.
    pub events: Vec<EventResult>,
    /// When it is looked at last, and what holds then.
    pub end: EndResult,
    /// From this event on, counted from 0, the events can repeat for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats_from: Option<usize>,
}

/// What holds at a moment.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct StateResult {
    /// Where each process is.
    pub locations: IndexMap<String, String>,
    /// The variables.
    pub variables: IndexMap<String, CellResult>,
    /// The clocks.
    pub clocks: IndexMap<String, TimeResult>,
}

/// A moment: a number, or a fraction as text where no short number is exact.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
#[serde(untagged)]
pub enum TimeResult {
    /// So many units.
    Whole(i64),
    /// Halves or tenths of units.
    Decimal(f64),
    /// `7/3`
    Fraction(String),
}

impl std::fmt::Display for TimeResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TimeResult::Whole(units) => units.fmt(f),
            TimeResult::Decimal(units) => units.fmt(f),
            TimeResult::Fraction(text) => text.fmt(f),
        }
    }
}

/// The value of a variable.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
#[serde(untagged)]
pub enum CellResult {
    /// Of a `bool`.
    Bool(bool),
    /// Of an `int`.
    Int(i64),
    /// Of a `double`.
    Double(f64),
}

impl std::fmt::Display for CellResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CellResult::Bool(value) => value.fmt(f),
            CellResult::Int(value) => value.fmt(f),
            // With a point, as in JSON: a whole double is no int.
            CellResult::Double(value) => write!(f, "{value:?}"),
        }
    }
}

/// One step.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct EventResult {
    /// When it happens.
    pub time: TimeResult,
    /// The channel, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// The edges taken, the sender's first.
    pub edges: Vec<EdgeResult>,
    /// What holds behind it.
    #[serde(flatten)]
    pub state: StateResult,
}

/// An edge that is taken.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct EdgeResult {
    /// The process.
    pub process: String,
    /// Where it was.
    pub from: String,
    /// Where it is then.
    pub to: String,
    /// What it selected.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub selected: IndexMap<String, i64>,
    /// The line of the file that the edge stands on.
    pub line: usize,
}

/// The last moment.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct EndResult {
    /// When it is.
    pub time: TimeResult,
    /// What holds.
    #[serde(flatten)]
    pub state: StateResult,
}

impl TraceResult {
    /// Describes a run of a network.
    pub fn new(file: &SourceFile, network: &Network, trace: &TimedTrace) -> TraceResult {
        let writer = Writer { file, network, scale: trace.scale };
        TraceResult {
            initial: writer.state(&trace.initial),
            events: trace.events.iter().map(|event| writer.event(event)).collect(),
            end: EndResult { time: writer.time(trace.end), state: writer.state(&trace.last) },
            repeats_from: trace.repeats_from,
        }
    }
}

struct Writer<'a> {
    file: &'a SourceFile,
    network: &'a Network,
    scale: i64,
}

impl Writer<'_> {
    fn time(&self, parts: i64) -> TimeResult {
        if parts % self.scale == 0 {
            return TimeResult::Whole(parts / self.scale);
        }
        // Halves and tenths are short decimal numbers.
        if 10 % self.scale == 0 {
            return TimeResult::Decimal(parts as f64 / self.scale as f64);
        }
        let divisor = gcd(parts.abs(), self.scale);
        TimeResult::Fraction(format!("{}/{}", parts / divisor, self.scale / divisor))
    }

    fn state(&self, state: &NetworkState) -> StateResult {
        let processes = self.network.processes.iter().zip(&state.locations);
        let location = |(process, at): (&provoke_uppaal::network::Process, &u32)| {
            (process.name.clone(), process.locations[*at as usize].name.clone())
        };
        let cells = self.network.cells.iter().zip(&state.cells);
        let variable = |(cell, value): (&provoke_uppaal::network::MemoryCell, &i64)| {
            let value = match cell.kind {
                CellKind::Bool => CellResult::Bool(*value != 0),
                CellKind::Int(..) => CellResult::Int(*value),
                CellKind::Double => CellResult::Double(f64::from_bits(*value as u64)),
            };
            (cell.name.clone(), value)
        };
        let clocks = self.network.clocks.iter().zip(&state.clocks);
        StateResult {
            locations: processes.map(location).collect(),
            variables: cells.map(variable).collect(),
            clocks: clocks.map(|(clock, v)| (clock.name.clone(), self.time(*v))).collect(),
        }
    }

    fn event(&self, event: &TraceEvent) -> EventResult {
        let edge = |(part, branch): &(provoke_uppaal::moves::Part, u32)| {
            let process = &self.network.processes[part.process as usize];
            let edge = &process.edges[part.edge as usize];
            let target = edge.branches[*branch as usize].target;
            let selected = edge.selected.iter().map(|(name, value)| (name.clone(), *value));
            EdgeResult {
                process: process.name.clone(),
                from: process.locations[edge.source].name.clone(),
                to: process.locations[target].name.clone(),
                selected: selected.collect(),
                line: self.file.line_column(edge.span.start).line,
            }
        };
        let channel = event.channel.map(|index| &self.network.channels[index as usize]);
        EventResult {
            time: self.time(event.time),
            channel: channel.map(|channel| channel.name.clone()),
            edges: event.action.iter().map(edge).collect(),
            state: self.state(&event.state),
        }
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
