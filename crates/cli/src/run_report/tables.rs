//! What happened, as CSV: each interaction, and each event.

use provoke_exec::consistency::Expectation;
use provoke_exec::{Board, TestResult};

use super::timeline::Names;

/// One row for each interaction.
pub(crate) fn interactions(results: &[TestResult]) -> String {
    let mut text = "test,interaction,verdict,exercised,runs,reason\n".to_string();
    for result in results {
        for (index, judged) in result.judged.iter().enumerate() {
            let exercised = judged.exercised.map_or("", |yes| if yes { "yes" } else { "no" });
            text += &format!(
                "{},{},{},{exercised},{},{}\n",
                quoted(&result.name),
                index + 1,
                judged.verdict.word(),
                result.runs,
                quoted(&judged.reason)
            );
        }
    }
    text
}

/// One row for each event of the run that is shown of each test: sent, due, came. What is due has
/// a window, half a step before and after.
pub(crate) fn events(results: &[TestResult], board: &Board, names: &Names<'_>) -> String {
    let mut text = "test,time_ms,what,signal,value,step,from_ms,to_ms\n".to_string();
    for result in results {
        let Some(script) = &result.script else { continue };
        let mut rows: Vec<(f64, String)> = Vec::new();
        let name = quoted(&result.name);
        for (send, sent) in result.plan.sends.iter().zip(&result.seen.sent_ms) {
            let wire = &board.monitored[send.signal];
            let value = names.show(&send.value, wire);
            rows.push((*sent, format!("sent,{},{value},{},,", wire.name, send.step + 1)));
        }
        for change in Expectation::new(script, board).changes {
            let wire = &board.controlled[change.signal];
            let due = change.step as f64 * board.step_ms + wire.delay.mean_ms();
            let value = names.show(&change.value, wire);
            let (from, to) = (due - board.step_ms / 2.0, due + board.step_ms / 2.0);
            let step = change.step + 1;
            rows.push((due, format!("due,{},{value},{step},{from:.3},{to:.3}", wire.name)));
        }
        for event in &result.seen.received {
            let wire = &board.controlled[event.signal];
            let value = names.show(&event.value, wire);
            rows.push((event.at_ms, format!("came,{},{value},,,", wire.name)));
        }
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (at, row) in rows {
            text += &format!("{name},{at:.3},{row}\n");
        }
    }
    text
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}
