//! `provoke obligations`: what a criterion asks for.

use provoke_base::table::{aligned, shortened};
use provoke_results::{Obligations, to_json};

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
        output.result(&describe(&result));
    }
    Ok(Outcome::Well)
}

fn describe(result: &Obligations) -> String {
    let mut rows = vec![["obligation", "place", "value", "expression"].map(String::from).to_vec()];
    for one in &result.obligations {
        rows.push(vec![
            one.id.clone(),
            format!("{}:{}", one.line, one.column),
            one.outcome.to_string(),
            shortened(&one.expression, 60),
        ]);
    }
    let plural = if result.count == 1 { "" } else { "s" };
    format!("{}{} obligation{plural} ({})\n", aligned(&rows), result.count, result.criterion)
}
