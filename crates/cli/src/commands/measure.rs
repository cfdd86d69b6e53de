//! `provoke measure`: what a suite exercises and makes visible, and why not the rest.

use crate::args::MeasureArgs;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::subject;
use provoke::{MeasureOptions, TestedModel};
use provoke_base::table::shortened;
use provoke_report::text::{self, MeasureView};
use provoke_results::to_json;

pub(crate) fn run(args: &MeasureArgs, output: &Output) -> Result<Outcome, Failure> {
    let subject = subject::load(&args.on, output)?;
    let options = MeasureOptions {
        masking: args.on.masking,
        exact: args.exact,
        suggested_variables: args.suggest_oracle,
    };
    let result = provoke::measure(&subject, &options);
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        let place = |id: &str| place(&subject, id);
        let view = MeasureView { all: args.all, suggests: args.suggest_oracle > 0, place: &place };
        output.result(&text::measure(&result, &view));
    }
    let violates = result.properties.is_some_and(|properties| !properties.violated.is_empty());
    let enough = args.require.is_none_or(|required| result.percent >= required);
    Ok(if enough && !violates { Outcome::Well } else { Outcome::Negative })
}

/// Where an obligation is, and what it is about.
fn place(subject: &TestedModel, id: &str) -> [String; 2] {
    let obligation = subject.obligations.iter().find(|obligation| obligation.id == id);
    obligation.map_or_else(Default::default, |obligation| {
        let place = subject.file.line_column(obligation.span.start);
        [format!("{}:{}", place.line, place.column), shortened(&obligation.text, 30)]
    })
}
