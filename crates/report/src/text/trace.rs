//! A run of timed automata as a table: one row for each moment, one column for each process that moves.

use std::fmt::Display;

use provoke_results::{EventResult, StateResult, TimeResult, TraceResult};

use provoke_base::table::aligned;

/// More columns do not fit a screen.
const MAX_COLUMNS: usize = 8;

/// A run as a table for people.
pub fn trace(trace: &TraceResult) -> String {
    let columns = columns(trace);
    let mut rows = vec![header(&columns)];
    let start = TimeResult::Whole(0);
    rows.push(row(&start, &columns, &trace.initial, "", &changes(None, &trace.initial)));
    let mut before = &trace.initial;
    for (index, event) in trace.events.iter().enumerate() {
        if trace.repeats_from == Some(index) {
            rows.push(vec!["  repeats".to_string()]);
        }
        let changed = changes(Some(before), &event.state);
        rows.push(row(&event.time, &columns, &event.state, &happening(event), &changed));
        before = &event.state;
    }
    if trace.repeats_from == Some(trace.events.len()) {
        rows.push(vec!["  repeats".to_string()]);
    }
    let last = trace.events.last().map_or(&start, |event| &event.time);
    if trace.end.time != *last {
        rows.push(row(&trace.end.time, &columns, &trace.end.state, "(time passes)", ""));
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
    time: &impl Display,
    columns: &[String],
    state: &StateResult,
    event: &str,
    variables: &str,
) -> Vec<String> {
    let mut cells = vec![format!("  {time}")];
    cells.extend(columns.iter().map(|name| state.locations[name].clone()));
    cells.extend([event.to_string(), variables.to_string()]);
    cells
}

/// The variables that have other values than before; all of them where nothing was before.
fn changes(before: Option<&StateResult>, after: &StateResult) -> String {
    let old = |name: &String| before.and_then(|before| before.variables.get(name));
    let changed = after.variables.iter().filter(|(name, value)| old(name) != Some(value));
    changed.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
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
