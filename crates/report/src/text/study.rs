//! What studies end with.

use provoke_base::table::aligned;
use provoke_results::{NamedTable, Study, StudyStochastic, TableResult};

/// The tables that are shown when a study of criteria ends.
const SHOWN: [&str; 8] = ["7", "10", "6.1", "6.2", "6.3", "6.4", "6.5", ""];
/// Those of the study of oracles.
const SHOWN_OF_ORACLES: [&str; 4] = ["suites", "rq1", "rq2", "rq3"];

/// The main tables of a study of criteria, and where all of them are.
pub fn study(result: &Study) -> String {
    let mut text = String::new();
    for table in result.tables.iter().filter(|table| SHOWN.contains(&table.number.as_str())) {
        let TableResult { number, title, columns, rows, .. } = table;
        if !number.is_empty() {
            text += &format!("Table {number}: ");
        }
        text += &format!("{title}\n{}\n", shown(columns, rows));
    }
    let Study { done, cases, resumed, seconds, folder, .. } = result;
    text + &format!(
        "{done} of {cases} cases done, {resumed} of them earlier; {seconds} s\n\
         all tables: {folder}/study.md, each as {folder}/*.csv\n"
    )
}

/// The main tables of the study of oracles.
pub fn study_stochastic(result: &StudyStochastic) -> String {
    let is_shown = |table: &&NamedTable| SHOWN_OF_ORACLES.contains(&table.name.as_str());
    let table =
        |table: &NamedTable| format!("{}\n{}\n", table.title, shown(&table.columns, &table.rows));
    result.tables.iter().filter(is_shown).map(table).collect()
}

/// A table with aligned columns.
fn shown(columns: &[String], rows: &[Vec<String>]) -> String {
    let lines: Vec<Vec<String>> =
        std::iter::once(columns).chain(rows.iter().map(Vec::as_slice)).map(<[_]>::to_vec).collect();
    aligned(&lines)
}
