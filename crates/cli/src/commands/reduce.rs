//! `provoke reduce`: a smaller suite that covers the same.

use crate::args::ReduceArgs;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::subject;
use provoke::{ReduceOptions, ReductionChoice};
use provoke_report::text;
use provoke_results::to_json;
use provoke_suite::Format;

pub(crate) fn run(args: &ReduceArgs, output: &Output) -> Result<Outcome, Failure> {
    let subject = subject::load(&args.on, None, output)?;
    let ReduceArgs { method, by, effort, repeat, trim, .. } = *args;
    let seed = args.on.seed;
    let choice = ReductionChoice { method, by, effort, repeat, seed };
    let options = ReduceOptions { choice, masking: args.on.masking, trim };
    let (result, suite) = provoke::reduce(&subject, &options);
    if let Some(path) = &args.output {
        let name = path.display().to_string();
        let format = Format::from_name(&name).unwrap_or(Format::Json);
        files::write_suite(output, &suite, path, format)?;
    }
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        let unit = args.by.word();
        let written = args.output.as_ref().map(|path| path.display().to_string());
        output.result(&text::reduce(&result, unit, written.as_deref()));
    }
    Ok(if result.differences.is_empty() { Outcome::Well } else { Outcome::Negative })
}
