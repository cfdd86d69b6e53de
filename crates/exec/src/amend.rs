//! Writes measured delays into a target file; everything else in it stays as it is.

use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, Value, value};

use crate::board::{Board, Wire};
use crate::calibrate::{Calibration, DelaySummary};
use crate::target::TargetFile;

/// The text of the target file with the delays that were measured. Signals of which too little is
/// known keep what they have.
pub fn amend(
    text: &str,
    target: &TargetFile,
    board: &Board,
    names: (&[String], &[String]),
    found: &Calibration,
) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    if let Some(step_ms) =
        found.step_ms().filter(|step| (step / target.step_ms - 1.0).abs() > 0.002)
    {
        document["step_ms"] = value(rounded(step_ms));
    }
    let sides = [
        ("input", &board.monitored, &found.monitored, names.0),
        ("output", &board.controlled, &found.controlled, names.1),
    ];
    for (key, wires, samples, names) in sides {
        for (wire, samples) in wires.iter().zip(samples) {
            if let Some(summary) = DelaySummary::new(samples) {
                set(&mut document, key, wire, names, &summary)?;
            }
        }
    }
    Some(document.to_string())
}

fn set(
    document: &mut DocumentMut,
    key: &str,
    wire: &Wire,
    names: &[String],
    summary: &DelaySummary,
) -> Option<()> {
    let tables = document.entry(key).or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let tables = tables.as_array_of_tables_mut()?;
    let mut written = false;
    for table in tables.iter_mut() {
        let text = |key: &str| table.get(key).and_then(Item::as_str).map(str::to_string);
        if text("platform").or_else(|| text("model")).as_deref() == Some(&wire.name) {
            describe(table, summary);
            written = true;
        }
    }
    if !written {
        let mut table = Table::new();
        table["model"] = value(names[wire.feeds.first()?.variable].as_str());
        if names[wire.feeds.first()?.variable] != wire.name {
            table["platform"] = value(wire.name.as_str());
        }
        describe(&mut table, summary);
        tables.push(table);
    }
    Some(())
}

fn describe(table: &mut Table, summary: &DelaySummary) {
    table["delay_ms"] = value(rounded(summary.mean_ms));
    table["sd_ms"] = value(rounded(summary.sd_ms));
    for key in ["samples_ms", "slow_sd_ms", "correlation"] {
        table.remove(key);
    }
    if let Some(drift) = summary.drift {
        table["slow_sd_ms"] = value(rounded(drift.slow_sd_ms));
        table["correlation"] = value(rounded(drift.correlation));
    }
    if !summary.quantiles_ms.is_empty() {
        let numbers = summary.quantiles_ms.iter().map(|number| Value::from(rounded(*number)));
        table["samples_ms"] = value(numbers.collect::<Array>());
    }
}

/// Microseconds are enough.
fn rounded(ms: f64) -> f64 {
    (ms.max(0.0) * 1000.0).round() / 1000.0
}
