//! `provoke report`: what was found, as one file for people.

use std::path::{Path, PathBuf};

use provoke::ReportOptions;
use provoke_report::{html, junit, lcov};
use provoke_results::{Report, ReportWritten, Schema, to_json};

use crate::args::ReportArgs;
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &ReportArgs, output: &Output) -> Result<Outcome, Failure> {
    carry_out(&args.results, &options(args), &args.output, output)
}

/// What is asked for.
pub(crate) fn options(args: &ReportArgs) -> ReportOptions {
    ReportOptions { title: args.title.clone(), requirements: args.requirements.clone() }
}

/// Writes a report, and tells where.
pub(crate) fn carry_out(
    places: &[PathBuf],
    options: &ReportOptions,
    page: &Path,
    output: &Output,
) -> Result<Outcome, Failure> {
    let extension = page.extension().and_then(|extension| extension.to_str());
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
    let report = provoke::report(places, options, &console::listener(output))?;
    let text = write(&report);
    files::write(output, page, text.as_bytes())?;
    let (written, bytes) = (page.display().to_string(), text.len());
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
