//! What a criterion asks for, as text.

use provoke_base::table::{aligned, shortened};
use provoke_results::Obligations;

/// The obligations of a model, and the operations that may go wrong, with their places.
pub fn obligations(result: &Obligations) -> String {
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
