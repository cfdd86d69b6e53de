//! `provoke timed check`: errors, warnings, and what the network consists of.

use provoke_report::text;
use provoke_results::to_json;

use crate::args::TimedModelArgs;
use crate::files;
use crate::outcome::{Failure, Outcome, show_diagnostics};
use crate::output::Output;

pub(crate) fn run(args: &TimedModelArgs, output: &Output) -> Result<Outcome, Failure> {
    let file = files::model_source(&args.model)?;
    let (result, diagnostics) = provoke::timed::check(&file);
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        show_diagnostics(output, &file, &diagnostics);
        output.result(&text::timed_check(&result));
    }
    Ok(if result.ok { Outcome::Well } else { Outcome::WrongInput })
}
