//! `provoke prove`: the model's own properties.

use provoke_results::{Generate, VerdictResult, to_json};

use crate::args::ProveArgs;
use crate::commands::generate::property_row;
use crate::engine::Shift;
use crate::job::Job;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::subject;
use crate::table::aligned;

pub(crate) fn run(args: &ProveArgs, output: &Output) -> Result<Outcome, Failure> {
    let result = job(args, output)?.run(output)?;
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        output.result(&describe(&result));
    }
    Ok(match result.obligations {
        totals if totals.covered > 0 => Outcome::Negative,
        _ if result.interrupted => Outcome::Interrupted,
        totals if totals.unknown > 0 => Outcome::Inconclusive,
        _ => Outcome::Well,
    })
}

/// Does a worker's part.
pub(crate) fn serve(
    mut args: ProveArgs,
    shift: &mut Shift,
    output: &Output,
) -> Result<Outcome, Failure> {
    args.work.jobs = Some(1);
    job(&args, output)?.serve(shift)
}

fn job<'a>(args: &'a ProveArgs, output: &Output) -> Result<Job<'a>, Failure> {
    let mut job = Job::load(&args.model, &args.work, output)?;
    job.obligations = subject::properties(&job.file, &job.system)?;
    job.criterion = "property".to_string();
    job.schema = Generate::PROVE_SCHEMA;
    job.folder = args.output.as_deref();
    Ok(job)
}

fn describe(result: &Generate) -> String {
    let row = |verdict: &VerdictResult| {
        let [word, detail] = property_row(verdict, "proven");
        vec![format!("  {}", verdict.id), word, detail]
    };
    let rows: Vec<Vec<String>> = result.verdicts.iter().map(row).collect();
    let totals = result.obligations;
    let mut text = format!("{}\n{}", result.model, aligned(&rows));
    for assumption in &result.assumptions {
        text += &format!("assuming {assumption}\n");
    }
    text += &format!(
        "{} falsified, {} proven, {} unknown, {} s\n",
        totals.covered, totals.infeasible, totals.unknown, result.seconds
    );
    if !result.suite.is_empty() {
        text += &format!("counterexamples are in {}\n", result.suite);
    }
    text
}
