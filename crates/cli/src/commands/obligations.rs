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
    let mut rows = Vec::new();
    if !result.obligations.is_empty() || result.errors.is_empty() {
        rows.push(["obligation", "place", "value", "expression"].map(String::from).to_vec());
    }
    for one in &result.obligations {
        rows.push(vec![
            one.id.clone(),
            format!("{}:{}", one.line, one.column),
            one.outcome.to_string(),
            shortened(&one.expression, 60),
        ]);
    }
    let mut errors: Vec<Vec<String>> = Vec::new();
    if !result.errors.is_empty() {
        errors.push(["design error", "place", "in"].map(String::from).to_vec());
    }
    for one in &result.errors {
        let place = format!("{}:{}", one.line, one.column);
        errors.push(vec![shortened(&one.id, 60), place, one.instance.clone()]);
    }
    let plural = if result.count == 1 { "" } else { "s" };
    let (rows, errors) = (aligned(&rows), aligned(&errors));
    format!("{rows}{errors}{} obligation{plural} ({})\n", result.count, result.criterion)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use provoke_base::SourceFile;

    #[test]
    fn design_errors_are_listed_with_their_places() {
        let text = "node ratio(a, d: int) returns (x: int);\nlet\n  x = a div d;\ntel\n";
        let file = SourceFile::new("ratio.lus", text);
        let model = provoke::Model::read(&file, None, &[]).expect("a model");
        let targets = [provoke::CoverageTarget::Errors];
        let listed = provoke::obligations(&model, &targets, provoke_criteria::Counting::Published);
        expect![[r#"
            design error      place  in
            div0:a div d      3:7
            overflow:a div d  3:7
            2 obligations (errors)
        "#]]
        .assert_eq(&super::describe(&listed.expect("a list")));
    }
}
