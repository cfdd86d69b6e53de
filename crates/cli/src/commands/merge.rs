//! `provoke merge`: joins what the shards of a run, or interrupted runs, have found.

use provoke_report::text;
use provoke_results::to_json;

use crate::args::MergeArgs;
use crate::console;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &MergeArgs, output: &Output) -> Result<Outcome, Failure> {
    let result = provoke::merge(&args.stores, &args.output, &console::listener(output))?;
    output.result(&match output.is_json() {
        true => to_json(&result),
        false => text::merge(&result, &args.output.display().to_string()),
    });
    let complete = result.missing.is_empty() && result.damaged == 0;
    Ok(if complete || !args.require_complete { Outcome::Well } else { Outcome::Inconclusive })
}
