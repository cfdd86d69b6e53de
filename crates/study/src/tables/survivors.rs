//! What becomes of the mutants that no generated test kills: beyond the papers.

use crate::case::{Group, ModelForm};
use crate::cells::{StudyCell, StudyCells};
use crate::compare::share;
use crate::outcome::{CaseOutcome, MonitoredSet, Survivors};
use crate::table::Table;

/// Nothing where it was not asked for.
pub(super) fn tables(cells: &StudyCells) -> Vec<Table> {
    match cells.0.iter().any(|cell| cell.outcome.survivors.is_some()) {
        true => vec![survivors(cells)],
        false => Vec::new(),
    }
}

/// How much the suites kill by the outputs of the mutants that are not proven equivalent, in per
/// cent; mutants of another form of the model are others.
pub(super) fn rate(
    cells: &StudyCells,
    model: &str,
    group: Group,
    outcome: &CaseOutcome,
) -> Option<f64> {
    let equivalent = decided(cells, model).filter(|_| group.form == ModelForm::Given)?.equivalent;
    let left = outcome.mutants.checked_sub(equivalent).filter(|left| *left > 0)?;
    Some(outcome.rate(MonitoredSet::Outputs)? * outcome.mutants as f64 / left as f64)
}

fn decided(cells: &StudyCells, model: &str) -> Option<Survivors> {
    let of_model = cells.0.iter().filter(|cell| cell.case.model == model);
    of_model.filter_map(|cell| cell.outcome.survivors).next()
}

fn survivors(cells: &StudyCells) -> Table {
    let title = "mutants killed by all generated tests, and after killing tests are added";
    let columns = [
        "model",
        "mutants",
        "killed",
        "added",
        "equivalent",
        "invalid",
        "unknown",
        "% before",
        "% of non-equivalent before",
        "% of non-equivalent after",
    ];
    let mut table = Table::new("", "survivors", title, &columns);
    let known = |cell: &StudyCell| Some((cell.case.model.clone(), cell.outcome.survivors?));
    let all: Vec<(String, Survivors)> = cells.0.iter().filter_map(known).collect();
    let sum = |part: fn(&Survivors) -> usize| all.iter().map(|(_, of)| part(of)).sum();
    let total = Survivors {
        killed: sum(|of| of.killed),
        added: sum(|of| of.added),
        equivalent: sum(|of| of.equivalent),
        invalid: sum(|of| of.invalid),
        unknown: sum(|of| of.unknown),
    };
    let rows = all.iter().map(|(model, of)| row(model, of));
    table.rows = rows.chain([row("all", &total)]).collect();
    table
}

fn row(model: &str, of: &Survivors) -> Vec<String> {
    let Survivors { killed, added, equivalent, invalid, unknown } = *of;
    let valid = killed + added + equivalent + unknown;
    let different = valid - equivalent;
    let numbers = [valid, killed, added, equivalent, invalid, unknown].map(|n| n.to_string());
    let shares = [share(killed, valid), share(killed, different), share(killed + added, different)];
    [model.to_string()].into_iter().chain(numbers).chain(shares).collect()
}
