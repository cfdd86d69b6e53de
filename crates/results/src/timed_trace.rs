//! Runs of timed automata, complete in themselves: every state with its locations, variables and
//! clocks, at exact times.

use provoke_base::SourceFile;
use provoke_timed::Network;
use provoke_timed::network::CellKind;
use provoke_timed::reference::State;
use provoke_timed::trace::{Event, Trace};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// A run.
#[derive(Serialize, Debug, Clone)]
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
#[derive(Serialize, Debug, Clone)]
pub struct StateResult {
    /// Where each process is.
    pub locations: Map<String, Value>,
    /// The variables.
    pub variables: Map<String, Value>,
    /// The clocks.
    pub clocks: Map<String, Value>,
}

/// One step.
#[derive(Serialize, Debug, Clone)]
pub struct EventResult {
    /// When it happens: a number, or a fraction as text where no short number is exact.
    pub time: Value,
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
#[derive(Serialize, Debug, Clone)]
pub struct EdgeResult {
    /// The process.
    pub process: String,
    /// Where it was.
    pub from: String,
    /// Where it is then.
    pub to: String,
    /// What it selected.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub selected: Map<String, Value>,
    /// The line of the file that the edge stands on.
    pub line: usize,
}

/// The last moment.
#[derive(Serialize, Debug, Clone)]
pub struct EndResult {
    /// When it is.
    pub time: Value,
    /// What holds.
    #[serde(flatten)]
    pub state: StateResult,
}

impl TraceResult {
    /// Describes a run of a network.
    pub fn new(file: &SourceFile, network: &Network, trace: &Trace) -> TraceResult {
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
    fn time(&self, parts: i64) -> Value {
        if parts % self.scale == 0 {
            return json!(parts / self.scale);
        }
        // Halves and tenths are short decimal numbers.
        if 10 % self.scale == 0 {
            return json!(parts as f64 / self.scale as f64);
        }
        let divisor = gcd(parts.abs(), self.scale);
        json!(format!("{}/{}", parts / divisor, self.scale / divisor))
    }

    fn state(&self, state: &State) -> StateResult {
        let processes = self.network.processes.iter().zip(&state.locations);
        let location = |(process, at): (&provoke_timed::network::Process, &u32)| {
            (process.name.clone(), json!(process.locations[*at as usize].name))
        };
        let cells = self.network.cells.iter().zip(&state.cells);
        let variable = |(cell, value): (&provoke_timed::network::Cell, &i64)| {
            let value = match cell.kind {
                CellKind::Bool => json!(*value != 0),
                CellKind::Int(..) => json!(value),
                CellKind::Double => json!(f64::from_bits(*value as u64)),
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

    fn event(&self, event: &Event) -> EventResult {
        let edge = |(part, branch): &(provoke_timed::moves::Part, u32)| {
            let process = &self.network.processes[part.process as usize];
            let edge = &process.edges[part.edge as usize];
            let target = edge.branches[*branch as usize].target;
            let selected = edge.selected.iter().map(|(name, value)| (name.clone(), json!(value)));
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
