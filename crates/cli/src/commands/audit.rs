//! `provoke audit`: every claim of an output folder, checked again by programs that did not find it.

use provoke::AuditOptions;
use provoke_report::text;
use provoke_results::to_json;

use crate::args::{AuditArgs, threads};
use crate::console;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &AuditArgs, output: &Output) -> Result<Outcome, Failure> {
    let control = console::control(output);
    let AuditArgs { budget, query, jobs, .. } = *args;
    let options = AuditOptions { budget, query, jobs: threads(jobs) };
    let audit = provoke::audit(&args.folder, &options, &control)?;
    output.result(&match output.is_json() {
        true => to_json(&audit),
        false => text::audit(&args.folder.display().to_string(), &audit),
    });
    Ok(match audit {
        audit if audit.refuted > 0 => Outcome::Negative,
        audit if audit.flattening.difference.is_some() => Outcome::Negative,
        _ if control.is_cancelled() => Outcome::Interrupted,
        audit if audit.unconfirmed > 0 => Outcome::Inconclusive,
        _ => Outcome::Well,
    })
}
