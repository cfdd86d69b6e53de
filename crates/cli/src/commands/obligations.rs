//! `provoke obligations`: what a criterion asks for.

use provoke_results::{Obligations, Schema, to_json};

use crate::args::ObligationsArgs;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::subject;
use crate::table::{aligned, shortened};

pub(crate) fn run(args: &ObligationsArgs, output: &Output) -> Result<Outcome, Failure> {
    let (file, system) = files::model(&args.model.model, args.model.main.as_deref(), output)?;
    let found =
        subject::listed(&file, &system, &args.criterion.criterion, args.criterion.counting)?;
    let result = Obligations {
        schema: Schema::default(),
        model: file.name.clone(),
        criterion: args.criterion.words(),
        count: found.len(),
        obligations: found.iter().map(|one| subject::describe(&file, &system, one)).collect(),
    };
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
