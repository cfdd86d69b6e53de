//! Incremental against regular generation (thesis, tables 6.1 to 6.5): means over the runs, and
//! a two-sided permutation test on the means.

use provoke_base::Random;
use provoke_stats::describe::mean;
use provoke_stats::means_test;
use provoke_testgen::GenerationMethod;

use crate::cells::StudyCells;
use crate::compare::two_digits;
use crate::outcome::{CaseOutcome, MonitoredSet};
use crate::table::Table;

/// Ten runs of each method have so few divisions that all are tried; for more runs these many.
const ROUNDS: u64 = 100_000;

pub(super) fn tables(cells: &StudyCells) -> Vec<Table> {
    let seconds = |outcome: &CaseOutcome| Some(outcome.seconds);
    let covered = |outcome: &CaseOutcome| Some(outcome.obligations.covered as f64);
    let killed = |outcome: &CaseOutcome| outcome.rate(MonitoredSet::Outputs);
    let titles = [
        ("6.1", "time", "seconds of generation"),
        ("6.2", "obligations", "satisfied obligations"),
        ("6.3", "length", "average length of a test, in steps"),
        ("6.4", "size", "tests of a reduced suite"),
        ("6.5", "mutants", "per cent of mutants killed, output-only oracle"),
    ];
    let [time, obligations, length, size, mutants] =
        titles.map(|(number, name, title)| Table::new(number, name, title, &[]));
    vec![
        filled(cells, time, seconds, Extra::Ratio),
        filled(cells, obligations, covered, Extra::Total),
        filled(cells, length, CaseOutcome::test_length, Extra::None),
        filled(cells, size, CaseOutcome::suite_size, Extra::None),
        filled(cells, mutants, killed, Extra::None),
    ]
}

/// What a table has beside the means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extra {
    None,
    /// How many obligations there are.
    Total,
    /// The first mean in per cent of the second, and how many runs ended before they were done.
    Ratio,
}

fn filled(
    cells: &StudyCells,
    mut table: Table,
    number: impl Fn(&CaseOutcome) -> Option<f64>,
    extra: Extra,
) -> Table {
    let mut columns = vec!["model", "incremental", "regular"];
    match extra {
        Extra::None => {}
        Extra::Total => columns.insert(1, "obligations"),
        Extra::Ratio => columns.extend(["ratio %", "out of time"]),
    }
    columns.push("p");
    table.columns = columns.into_iter().map(String::from).collect();
    for model in cells.models() {
        let [first, second] = [GenerationMethod::Incremental, GenerationMethod::Regular]
            .map(|method| runs(cells, model, method));
        let numbers = |runs: &[&CaseOutcome]| -> Vec<f64> {
            runs.iter().filter_map(|outcome| number(outcome)).collect()
        };
        let (x, y) = (numbers(&first), numbers(&second));
        let mut row = vec![model.to_string(), two_digits(mean(&x)), two_digits(mean(&y))];
        let all = || first.iter().chain(&second);
        match extra {
            Extra::None => {}
            Extra::Total => {
                let total = all().next().map_or(0, |outcome| outcome.obligations.total);
                row.insert(1, total.to_string());
            }
            Extra::Ratio => {
                let ratio = mean(&x).zip(mean(&y)).map(|(x, y)| 100.0 * x / y);
                let late = all().filter(|outcome| outcome.cut_short).count();
                row.extend([two_digits(ratio.filter(|ratio| ratio.is_finite())), late.to_string()]);
            }
        }
        row.push(p_value(&x, &y));
        table.rows.push(row);
    }
    table
}

fn runs<'c>(cells: &'c StudyCells, model: &str, method: GenerationMethod) -> Vec<&'c CaseOutcome> {
    let is_it =
        |cell: &&'c crate::StudyCell| cell.case.model == model && cell.case.method == method;
    cells.0.iter().filter(is_it).map(|cell| &cell.outcome).collect()
}

fn p_value(x: &[f64], y: &[f64]) -> String {
    match means_test(x, y, ROUNDS, &mut Random::new(0)) {
        Ok(test) => format!("{:.4}", test.p_value),
        Err(_) => "–".to_string(),
    }
}
