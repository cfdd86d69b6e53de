//! `provoke report`: what was found, as one file for people.

use provoke_report::{html, junit, lcov};
use provoke_results::{Evidence, Report, ReportWritten, Schema, to_json};

use crate::args::ReportArgs;
use crate::evidence::{self, Found, requirement};
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
    let report = gathered(args, output)?;
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

/// Everything that the arguments name, in their order; runs of `generate` come first at each place.
fn gathered(args: &ReportArgs, output: &Output) -> Result<Report, Failure> {
    let mut all = Found::default();
    for path in &args.results {
        let found = evidence::gather(path, output)?;
        all.runs.extend(found.runs);
        all.others.extend(found.others);
    }
    let generations: Vec<_> = all.runs.iter().map(|run| run.generation()).collect();
    let requirements = match (all.runs.first(), &args.requirements) {
        (Some(run), table) => {
            requirement::requirements(run, &generations[0], table.as_deref(), &all.others)?
        }
        (None, Some(_)) => {
            let hint = "name the folder that `provoke generate -o` wrote as well";
            return Err(Failure::input("requirements stand for obligations, there are none", hint));
        }
        (None, None) => Vec::new(),
    };
    let named = || all.runs.first().map(|run| run.system.name.clone());
    let place = || args.results[0].file_stem().map(|name| name.to_string_lossy().into_owned());
    let title = args.title.clone().or_else(named).or_else(place);
    let generations = generations.into_iter().map(|one| Evidence::Generate(Box::new(one)));
    Ok(Report {
        schema: Schema::default(),
        provoke: env!("CARGO_PKG_VERSION").to_string(),
        title: title.unwrap_or_else(|| "Results".to_string()),
        evidence: generations.chain(all.others).collect(),
        requirements,
    })
}
