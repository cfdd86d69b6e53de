//! `provoke measure`: what a suite exercises and makes visible, and why not the rest.

use crate::args::MeasureArgs;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::subject;
use provoke::MeasureOptions;
use provoke_report::text::{self, MeasureView};
use provoke_results::to_json;

pub(crate) fn run(args: &MeasureArgs, output: &Output) -> Result<Outcome, Failure> {
    let subject = subject::load(&args.on, Some(args.numbers.numbers()), output)?;
    let options = MeasureOptions {
        masking: args.on.masking,
        exact: args.exact,
        as_published: args.as_published,
        suggested_variables: args.suggest_oracle,
        numbers: args.numbers.limits(),
    };
    let result = match &args.output {
        Some(folder) => provoke::measure_into(folder, &subject, &options)?,
        None => provoke::measure(&subject, &options)?,
    };
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        let place = |id: &str| subject.place(id);
        let view = MeasureView { all: args.all, suggests: args.suggest_oracle > 0, place: &place };
        output.result(&text::measure(&result, &view));
    }
    let violates = result.properties.is_some_and(|properties| !properties.violated.is_empty());
    let violates = violates || result.errors.is_some_and(|errors| errors.reached > 0);
    let enough = args.require.is_none_or(|required| result.percent >= required)
        && result.differences.is_empty();
    Ok(if enough && !violates { Outcome::Well } else { Outcome::Negative })
}
