//! `provoke report`: what was found, as one file for people.

use provoke::ReportOptions;
use provoke_report::{html, junit, lcov};
use provoke_results::{Report, ReportWritten, Schema, to_json};

use crate::args::ReportArgs;
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &ReportArgs, output: &Output) -> Result<Outcome, Failure> {
    let extension = args.output.extension().and_then(|extension| extension.to_str());
    let write: fn(&Report) -> String = match extension.unwrap_or("") {
        "html" | "htm" => html,
        "info" | "lcov" => lcov::lcov,
        "xml" => junit::junit,
        "json" => |report| to_json(report),
        other => {
            let message = format!("a report cannot be written as `.{other}`");
            return Err(Failure::input(message, "use .html, .info, .xml or .json"));
        }
    };
    let options =
        ReportOptions { title: args.title.clone(), requirements: args.requirements.clone() };
    let report = provoke::report(&args.results, &options, &console::listener(output))?;
    let text = write(&report);
    files::write(output, &args.output, text.as_bytes())?;
    let (written, bytes) = (args.output.display().to_string(), text.len());
    if output.is_json() {
        output.result(&to_json(&ReportWritten {
            schema: Schema::default(),
            report: written,
            evidence: report.evidence.len(),
            requirements: report.requirements.len(),
            bytes,
        }));
    } else {
        let size = bytes.div_ceil(1024);
        output.result(&format!("{}: written to {written} ({size} KB)\n", report.title));
    }
    Ok(Outcome::Well)
}
