//! What happened, as CSV: each interaction, and each event.

use crate::board::Wire;
use crate::consistency::Expectation;
use crate::{Board, ExecutedTest};
use provoke_model::Value;

use super::timeline::EnumNames;
use provoke_base::table::csv;

/// One row for each interaction.
pub fn interactions(results: &[ExecutedTest]) -> String {
    let head = ["test", "interaction", "verdict", "exercised", "runs", "reason"];
    let mut rows = vec![head.map(String::from).to_vec()];
    for result in results {
        for (index, judged) in result.judged.iter().enumerate() {
            let exercised = judged.exercised.map_or("", |yes| if yes { "yes" } else { "no" });
            rows.push(vec![
                result.name.clone(),
                (index + 1).to_string(),
                judged.verdict.word().to_string(),
                exercised.to_string(),
                result.runs.to_string(),
                judged.reason.clone(),
            ]);
        }
    }
    csv(&rows)
}

/// One row for each event of the run that is shown of each test: sent, due, came. What is due has
/// a window, half a step before and after.
pub fn events(results: &[ExecutedTest], board: &Board, names: &EnumNames<'_>) -> String {
    let head = ["test", "time_ms", "what", "signal", "value", "step", "from_ms", "to_ms"];
    let mut all = vec![head.map(String::from).to_vec()];
    for result in results {
        let Some(script) = &result.script else { continue };
        let mut rows: Vec<(f64, [String; 6])> = Vec::new();
        let row = |what: &str, wire: &Wire, value: &Value, rest: [String; 3]| {
            let [step, from, to] = rest;
            [what.to_string(), wire.name.clone(), names.show(value, wire), step, from, to]
        };
        let empty = String::new;
        for (send, sent) in result.plan.sends.iter().zip(&result.seen.sent_ms) {
            let rest = [(send.step + 1).to_string(), empty(), empty()];
            rows.push((*sent, row("sent", &board.monitored[send.signal], &send.value, rest)));
        }
        for change in Expectation::new(script, board).changes {
            let wire = &board.controlled[change.signal];
            let due = change.step as f64 * board.step_ms + wire.delay.mean_ms();
            let half = board.step_ms / 2.0;
            let [from, to] = [due - half, due + half].map(|at| format!("{at:.3}"));
            rows.push((
                due,
                row("due", wire, &change.value, [(change.step + 1).to_string(), from, to]),
            ));
        }
        for event in &result.seen.received {
            let wire = &board.controlled[event.signal];
            rows.push((event.at_ms, row("came", wire, &event.value, [empty(), empty(), empty()])));
        }
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        all.extend(rows.into_iter().map(|(at, cells)| {
            [result.name.clone(), format!("{at:.3}")].into_iter().chain(cells).collect()
        }));
    }
    csv(&all)
}
