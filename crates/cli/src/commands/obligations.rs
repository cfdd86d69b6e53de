//! `provoke obligations`: what a criterion asks for.

use provoke_report::text;
use provoke_results::to_json;

use crate::args::{CriterionArgs, ObligationsArgs};
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &ObligationsArgs, output: &Output) -> Result<Outcome, Failure> {
    let (path, main) = (&args.model.model, args.model.main.as_deref());
    let model = files::model_assuming(path, main, &[], output)?;
    let CriterionArgs { criterion, counting } = &args.criterion;
    let result = provoke::obligations(&model, criterion, *counting)?;
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        output.result(&text::obligations(&result));
    }
    Ok(Outcome::Well)
}
