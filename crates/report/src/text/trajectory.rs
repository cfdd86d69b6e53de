//! Random runs of timed automata in the formats of spreadsheets and wave viewers.

use provoke_results::{PointResult, TimedSimulate};

use provoke_base::table::csv;

/// All points, one in a line, as CSV.
pub fn trajectories_csv(result: &TimedSimulate) -> String {
    let head = ["run", "time"].map(String::from).into_iter();
    let mut rows = vec![head.chain(result.shown.iter().cloned()).collect()];
    for (number, run) in result.runs.iter().enumerate() {
        for PointResult(time, values) in &run.points {
            let head = [number.to_string(), time.to_string()];
            rows.push(head.into_iter().chain(values.iter().map(f64::to_string)).collect());
        }
    }
    csv(&rows)
}

/// The first run as VCD, with a thousand ticks to a time unit.
pub fn trajectory_vcd(result: &TimedSimulate) -> String {
    let mut text = "$timescale 1ms $end\n$scope module run $end\n".to_string();
    for (index, name) in result.shown.iter().enumerate() {
        let name = name.replace(|c: char| c.is_whitespace(), "_");
        text += &format!("$var real 64 v{index} {name} $end\n");
    }
    text += "$upscope $end\n$enddefinitions $end\n";
    let mut last: Vec<Option<f64>> = vec![None; result.shown.len()];
    for PointResult(time, values) in result.runs.iter().take(1).flat_map(|run| &run.points) {
        let mut changes = String::new();
        for (index, value) in values.iter().enumerate() {
            if last[index] != Some(*value) {
                changes += &format!("r{value} v{index}\n");
                last[index] = Some(*value);
            }
        }
        if !changes.is_empty() {
            text += &format!("#{}\n{changes}", (time * 1000.0).round() as u64);
        }
    }
    text
}
