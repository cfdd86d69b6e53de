//! `provoke timed simulate`: random runs as points.

use std::path::Path;

use provoke::timed::{TimedSimulateOptions, simulate};
use provoke_report::text;
use provoke_results::to_json;

use crate::args::TimedSimulateArgs;
use crate::commands::timed::model;
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &TimedSimulateArgs, output: &Output) -> Result<Outcome, Failure> {
    let queries: Vec<String> = match &args.show {
        Some(show) => vec![format!("simulate[<={}; {}] {{{show}}}", args.time, args.runs)],
        None => args.query.iter().cloned().collect(),
    };
    let model = model(&args.model.model, &queries, output)?;
    let options = TimedSimulateOptions { seed: args.seed };
    let mut result = simulate(&model, &options, &console::listener(output))?;
    result.model = args.model.model.display().to_string();
    let target = args.output.as_deref();
    let extension = target.and_then(Path::extension).and_then(|e| e.to_str()).unwrap_or("csv");
    let text = match extension {
        _ if target.is_none() && output.is_json() => to_json(&result),
        "csv" => text::trajectories_csv(&result),
        "json" => to_json(&result),
        "vcd" => text::trajectory_vcd(&result),
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
    Ok(Outcome::Well)
}
