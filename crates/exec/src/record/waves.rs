//! A VCD of what was expected against what was seen, in microseconds; tests follow each other.

use std::fmt::Write;

use crate::consistency::Expectation;
use crate::{Board, ExecutedTest};
use provoke_model::{Type, Value};

use super::timeline::EnumNames;

/// The text of the file.
pub fn waves(results: &[ExecutedTest], board: &Board, names: &EnumNames<'_>) -> String {
    let mut text = "$timescale 1 us $end\n".to_string();
    let scopes =
        [("sent", &board.monitored), ("due", &board.controlled), ("came", &board.controlled)];
    let mut code = 0;
    for (scope, wires) in scopes {
        let _ = writeln!(text, "$scope module {scope} $end");
        for wire in wires {
            let kind = match wire.ty {
                Type::Bool => "wire 1",
                Type::Int | Type::Real => "real 64",
                Type::Enum(_) => "string 1",
            };
            let _ = writeln!(text, "$var {kind} {} {} $end", id(code), wire.name);
            code += 1;
        }
        let _ = writeln!(text, "$upscope $end");
    }
    text += "$enddefinitions $end\n";
    let due = board.monitored.len();
    let came = due + board.controlled.len();
    let mut start = 0.0;
    for result in results {
        let Some(script) = &result.script else { continue };
        let mut rows: Vec<(f64, String)> = Vec::new();
        for (send, sent) in result.plan.sends.iter().zip(&result.seen.sent_ms) {
            let wire = &board.monitored[send.signal];
            rows.push((
                *sent,
                change(&send.value, wire.ty, &names.show(&send.value, wire), send.signal),
            ));
        }
        for expected in Expectation::new(script, board).changes {
            let wire = &board.controlled[expected.signal];
            let at = expected.step as f64 * board.step_ms + wire.delay.mean_ms();
            let shown = names.show(&expected.value, wire);
            rows.push((at, change(&expected.value, wire.ty, &shown, due + expected.signal)));
        }
        for event in &result.seen.received {
            let wire = &board.controlled[event.signal];
            let shown = names.show(&event.value, wire);
            rows.push((event.at_ms, change(&event.value, wire.ty, &shown, came + event.signal)));
        }
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let first = rows.first().map_or(0.0, |row| row.0.min(0.0));
        for (at, row) in &rows {
            let _ = writeln!(text, "#{}\n{row}", ((start + at - first) * 1000.0).round() as u64);
        }
        start += rows.last().map_or(0.0, |row| row.0 - first) + board.step_ms;
    }
    text
}

fn change(value: &Value, ty: Type, shown: &str, code: usize) -> String {
    match (value, ty) {
        (Value::Bool(value), _) => format!("{}{}", u8::from(*value), id(code)),
        (Value::Int(_) | Value::Real(_), _) => {
            format!("r{} {}", crate::protocol::write_value(value), id(code))
        }
        _ => format!("s{shown} {}", id(code)),
    }
}

/// A short name from printable characters.
fn id(mut code: usize) -> String {
    let mut text = String::new();
    loop {
        text.push((b'!' + (code % 94) as u8) as char);
        code /= 94;
        if code == 0 {
            return text;
        }
    }
}
