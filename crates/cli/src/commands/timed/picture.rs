//! A run as a table: one row for each moment, one column for each process that moves.

use provoke_results::{EventResult, StateResult, TraceResult};
use serde_json::{Map, Value};

use crate::table::aligned;

/// More columns do not fit a screen.
const MAX_COLUMNS: usize = 8;

/// Draws a run.
pub(crate) fn draw(trace: &TraceResult) -> String {
    let columns = columns(trace);
    let mut rows = vec![header(&columns)];
    rows.push(row(&Value::from(0), &columns, &trace.initial, "", &trace.initial.variables));
    let mut before = &trace.initial;
    for (index, event) in trace.events.iter().enumerate() {
        if trace.repeats_from == Some(index) {
            rows.push(vec!["  repeats".to_string()]);
        }
        let changed = changes(&before.variables, &event.state.variables);
        rows.push(row(&event.time, &columns, &event.state, &happening(event), &changed));
        before = &event.state;
    }
    if trace.repeats_from == Some(trace.events.len()) {
        rows.push(vec!["  repeats".to_string()]);
    }
    let last = trace.events.last().map_or(Value::from(0), |event| event.time.clone());
    if trace.end.time != last {
        rows.push(row(&trace.end.time, &columns, &trace.end.state, "(time passes)", &Map::new()));
    }
    aligned(&rows)
}

/// The processes that move, or all if none does.
fn columns(trace: &TraceResult) -> Vec<String> {
    let all: Vec<String> = trace.initial.locations.keys().cloned().collect();
    let moves = |name: &&String| {
        trace.events.iter().flat_map(|event| &event.edges).any(|edge| edge.process == **name)
    };
    let moving: Vec<String> = all.iter().filter(moves).take(MAX_COLUMNS).cloned().collect();
    if moving.is_empty() { all.into_iter().take(MAX_COLUMNS).collect() } else { moving }
}

fn header(columns: &[String]) -> Vec<String> {
    let mut cells = vec!["  time".to_string()];
    cells.extend(columns.iter().cloned());
    cells.extend(["event".to_string(), "variables".to_string()]);
    cells
}

fn row(
    time: &Value,
    columns: &[String],
    state: &StateResult,
    event: &str,
    variables: &Map<String, Value>,
) -> Vec<String> {
    let mut cells = vec![format!("  {}", plain(time))];
    cells.extend(columns.iter().map(|name| plain(&state.locations[name])));
    let shown: Vec<String> = variables.iter().map(|(k, v)| format!("{k}={}", plain(v))).collect();
    cells.extend([event.to_string(), shown.join(" ")]);
    cells
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

fn changes(before: &Map<String, Value>, after: &Map<String, Value>) -> Map<String, Value> {
    let changed = after.iter().filter(|(name, value)| before.get(*name) != Some(value));
    changed.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Who does what.
fn happening(event: &EventResult) -> String {
    let names: Vec<&str> = event.edges.iter().map(|edge| edge.process.as_str()).collect();
    match &event.channel {
        None => names.join(", "),
        Some(channel) => match names.split_first() {
            Some((sender, [])) => format!("{sender}: {channel}!"),
            Some((sender, receivers)) => {
                format!("{sender}: {channel}! -> {}", receivers.join(", "))
            }
            None => channel.clone(),
        },
    }
}
