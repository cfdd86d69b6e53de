//! `provoke doctor`: what is installed, what is missing, how to get it.

use provoke_report::text;
use provoke_results::to_json;

use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(output: &Output) -> Result<Outcome, Failure> {
    let found = provoke::doctor();
    output.result(&if output.is_json() { to_json(&found) } else { text::doctor(&found) });
    let complete = found.tools.iter().all(|tool| tool.found || tool.optional);
    Ok(if complete { Outcome::Well } else { Outcome::Missing })
}
