//! The moments around a failure: what was sent when, what was due when, what came.

use crate::board::{Wire, same};
use crate::consistency::Expectation;
use crate::{Board, ExecutedTest};
use provoke_base::IndexVec;
use provoke_model::{EnumId, EnumType, Value};

use provoke_base::table::aligned;

/// What values of enumerations are called.
pub struct EnumNames<'a>(pub &'a IndexVec<EnumId, EnumType>);

impl EnumNames<'_> {
    /// A value of a signal.
    pub fn show(&self, value: &Value, wire: &Wire) -> String {
        value.show(wire.ty, self.0)
    }
}

/// More rows than this hide what matters.
const ROWS: usize = 60;

/// The rows of a table, by time: what was sent, what was due, what came.
pub fn timeline(
    result: &ExecutedTest,
    interaction: usize,
    board: &Board,
    names: &EnumNames<'_>,
) -> String {
    let Some(script) = &result.script else { return String::new() };
    let from = (interaction as f64 - 2.5) * board.step_ms;
    let to = (interaction as f64 + 3.5) * board.step_ms;
    let inside = |at: f64| from <= at && at <= to;
    let mut rows: Vec<(f64, [String; 3])> = Vec::new();
    let empty = String::new;
    let mut sends: Vec<(f64, String, usize)> = Vec::new();
    let mut first = (f64::MAX, 0_usize);
    let mut values: Vec<(f64, Value)> = vec![(0.0, Value::Unknown); board.monitored.len()];
    for (send, sent) in result.plan.sends.iter().zip(&result.seen.sent_ms) {
        // What a signal has already is no news, unless it is a copy of news.
        let (since, last) = &mut values[send.signal];
        if *last == send.value && sent - *since > 5.0 {
            continue;
        }
        if *last != send.value {
            (*since, *last) = (*sent, send.value.clone());
        }
        // Before the first step everything gets a value.
        if send.step == 0 {
            first.0 = first.0.min(*sent);
            first.1 += 1;
            continue;
        }
        let wire = &board.monitored[send.signal];
        let text = format!("{} = {}", wire.name, names.show(&send.value, wire));
        match sends.last_mut() {
            Some((at, last, copies)) if *last == text && (*sent - *at).abs() < 5.0 => *copies += 1,
            _ => sends.push((*sent, text, 1)),
        }
    }
    if first.1 > 0 && inside(0.0) {
        rows.push((first.0, [format!("first values ({} events)", first.1), empty(), empty()]));
    }
    for (at, text, copies) in sends.into_iter().filter(|(at, ..)| inside(*at)) {
        let text = if copies > 1 { format!("{text} (x{copies})") } else { text };
        rows.push((at, [text, empty(), empty()]));
    }
    for step in 0..script.steps() {
        let at = step as f64 * board.step_ms;
        if inside(at) {
            let mark = if step == interaction { "  <-- here" } else { "" };
            rows.push((at, [format!("-- step {} --{mark}", step + 1), empty(), empty()]));
        }
    }
    let expectation = Expectation::new(script, board);
    let met = expectation.meet(board, &result.seen);
    for (index, change) in expectation.changes.iter().enumerate() {
        let wire = &board.controlled[change.signal];
        let due = change.step as f64 * board.step_ms + wire.delay.mean_ms();
        let here = change.step <= interaction + 2 && change.step + 2 >= interaction;
        if here {
            let value = names.show(&change.value, wire);
            let late = met.residuals_ms[index]
                .map_or("nothing".to_string(), |off| format!("{off:+.0} ms"));
            rows.push((due, [empty(), format!("{} = {value}", wire.name), late]));
        }
    }
    for event in result.seen.received.iter().filter(|event| inside(event.at_ms)) {
        let wire = &board.controlled[event.signal];
        let matched = expectation.changes.iter().zip(&met.residuals_ms).any(|(change, off)| {
            let due = change.step as f64 * board.step_ms + wire.delay.mean_ms();
            change.signal == event.signal
                && same(&change.value, &event.value, &wire.tolerance)
                && off.is_some_and(|off| (due + off - event.at_ms).abs() < 1e-6)
        });
        if !matched {
            let value = names.show(&event.value, wire);
            rows.push((
                event.at_ms,
                [empty(), empty(), format!("{} = {value}, not due", wire.name)],
            ));
        }
    }
    render(rows)
}

fn render(mut rows: Vec<(f64, [String; 3])>) -> String {
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let left_out = rows.len().saturating_sub(ROWS);
    let mut table = vec![["time ms", "sent", "due", "came"].map(String::from).to_vec()];
    for (at, [sent, due, came]) in rows.into_iter().take(ROWS) {
        table.push(vec![format!("{at:.0}"), sent, due, came]);
    }
    let mut text = aligned(&table);
    if left_out > 0 {
        text += &format!("... and {left_out} more rows; `-o FOLDER` writes all to events.csv\n");
    }
    text
}
