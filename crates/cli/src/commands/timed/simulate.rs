//! `provoke timed simulate`: random runs as points.

use std::path::Path;

use provoke_results::{PointResult, Schema, TimedSimulate, TrajectoryResult, to_json};
use provoke_stochastic::Simulator;
use provoke_stochastic::estimate::obstacle;
use provoke_stochastic::trajectory::{Trajectory, trajectory};
use provoke_timed::network::{Question, RunBound, Shown};

use crate::args::TimedSimulateArgs;
use crate::commands::timed::network;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::table::csv;

/// More points of one run are left out, and that is said.
const MAX_POINTS: usize = 1_000_000;

pub(crate) fn run(args: &TimedSimulateArgs, output: &Output) -> Result<Outcome, Failure> {
    let own: Vec<String> = match &args.show {
        Some(show) => vec![format!("simulate[<={}; {}] {{{show}}}", args.time, args.runs)],
        None => args.query.iter().cloned().collect(),
    };
    let (file, network) = network(&args.model.model, &own, output)?;
    if let Some(reason) = obstacle(&network) {
        return Err(Failure::input(reason.text, "leave it out of the model"));
    }
    let found = network.queries.iter().find_map(|query| match &query.question {
        Ok(Question::Simulate(bound, shown)) => Some((bound, shown)),
        _ => None,
    });
    let Some((bound, shown)) = found else {
        let message = format!("{} has no `simulate` query", file.name);
        return Err(Failure::input(message, "say what to show, for example --show \"P.x, v\""));
    };
    let runs = bound.runs.unwrap_or(1).min(100_000);
    let mut simulator = Simulator::new(&network);
    let mut all = Vec::new();
    for number in 0..runs {
        let seed = (args.seed, number);
        let run = trajectory(&mut simulator, bound, shown, seed, MAX_POINTS).map_err(|fault| {
            let line = file.line_column(fault.span.start).line;
            let message = format!("{}:{line}: {}", file.name, fault.message);
            Failure::input(message, "correct the model")
        })?;
        if run.cut {
            output.warning(&format!(
                "run {number} has more than {MAX_POINTS} points; the rest is left out"
            ));
        }
        all.push(run);
    }
    write(args, output, bound, shown, &all)?;
    Ok(Outcome::Well)
}

fn write(
    args: &TimedSimulateArgs,
    output: &Output,
    bound: &RunBound,
    shown: &[Shown],
    runs: &[Trajectory],
) -> Result<(), Failure> {
    let target = args.output.as_deref();
    let extension = target.and_then(Path::extension).and_then(|e| e.to_str()).unwrap_or("csv");
    let text = match extension {
        _ if target.is_none() && output.is_json() => as_json(args, bound, shown, runs),
        "csv" => as_csv(shown, runs),
        "json" => as_json(args, bound, shown, runs),
        "vcd" => as_vcd(shown, &runs[0]),
        other => {
            let message = format!("trajectories cannot be written as .{other}");
            return Err(Failure::input(message, "use .csv, .json or .vcd"));
        }
    };
    match target {
        Some(path) => {
            files::write(output, path, text.as_bytes())?;
            output.note(&format!("wrote {}\n", path.display()));
        }
        None => output.result(&text),
    }
    Ok(())
}

fn as_csv(shown: &[Shown], runs: &[Trajectory]) -> String {
    let names = shown.iter().map(|shown| shown.name.clone());
    let mut rows = vec![["run", "time"].map(String::from).into_iter().chain(names).collect()];
    for (number, run) in runs.iter().enumerate() {
        for point in &run.points {
            let head = [number.to_string(), point.time.to_string()];
            rows.push(head.into_iter().chain(point.values.iter().map(f64::to_string)).collect());
        }
    }
    csv(&rows)
}

fn as_json(
    args: &TimedSimulateArgs,
    bound: &RunBound,
    shown: &[Shown],
    runs: &[Trajectory],
) -> String {
    let point = |p: &provoke_stochastic::trajectory::Point| PointResult(p.time, p.values.clone());
    let run = |run: &Trajectory| TrajectoryResult {
        points: run.points.iter().map(point).collect(),
        cut: run.cut,
    };
    to_json(&TimedSimulate {
        schema: Schema::default(),
        model: args.model.model.display().to_string(),
        seed: args.seed,
        limit: bound.limit,
        shown: shown.iter().map(|shown| shown.name.clone()).collect(),
        runs: runs.iter().map(run).collect(),
    })
}

/// The first run, with a thousand ticks to a time unit.
fn as_vcd(shown: &[Shown], run: &Trajectory) -> String {
    let mut text = "$timescale 1ms $end\n$scope module run $end\n".to_string();
    let id = |index: usize| format!("v{index}");
    for (index, shown) in shown.iter().enumerate() {
        let name = shown.name.replace(|c: char| c.is_whitespace(), "_");
        text += &format!("$var real 64 {} {name} $end\n", id(index));
    }
    text += "$upscope $end\n$enddefinitions $end\n";
    let mut last: Vec<Option<f64>> = vec![None; shown.len()];
    for point in &run.points {
        let mut changes = String::new();
        for (index, value) in point.values.iter().enumerate() {
            if last[index] != Some(*value) {
                changes += &format!("r{value} {}\n", id(index));
                last[index] = Some(*value);
            }
        }
        if !changes.is_empty() {
            text += &format!("#{}\n{changes}", (point.time * 1000.0).round() as u64);
        }
    }
    text
}
