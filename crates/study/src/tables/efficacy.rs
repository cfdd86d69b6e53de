//! How many mutants suites kill, and what observability adds (seed 004, tables 7, 9 and 11).

use provoke_criteria::Criterion;
use provoke_stats::describe::mean;

use crate::case::Group;
use crate::cells::StudyCells;
use crate::compare::{MeanChange, change, two_digits};
use crate::outcome::{CaseOutcome, MonitoredSet};
use crate::table::Table;
use crate::tables::survivors;

/// The papers count equivalent mutants; where they are known, the last columns do not.
pub(super) fn rates(cells: &StudyCells) -> Table {
    let title = "average per cent of mutants killed, by criterion and oracle";
    let columns = ["models", "criterion", "MX", "OO", "of", "OO of non-equivalent", "of those"];
    let mut table = Table::new("7", "efficacy", title, &columns);
    for group in cells.groups() {
        for criterion in cells.criteria() {
            let outcomes = cells.of(group, criterion);
            let rate = |seen| {
                let rates = outcomes.iter().filter_map(|(_, outcome)| outcome.rate(seen));
                two_digits(mean(&rates.collect::<Vec<_>>()))
            };
            let different =
                |(model, of): &(&str, &CaseOutcome)| survivors::rate(cells, model, group, of);
            let different: Vec<f64> = outcomes.iter().filter_map(different).collect();
            let mut row = vec![group.to_string(), criterion.word().to_string()];
            row.extend(MonitoredSet::ALL.map(rate));
            row.push(outcomes.len().to_string());
            row.extend([two_digits(mean(&different)), different.len().to_string()]);
            table.rows.push(row);
        }
    }
    table
}

pub(super) fn changes(cells: &StudyCells) -> Table {
    let title = "average change in per cent of the mutants killed when observability is added";
    let columns = ["models", "host", "MX", "MX of", "OO", "OO of"];
    let mut table = Table::new("9", "improvement", title, &columns);
    for_pairs(cells, |group, with, without| {
        let pairs = cells.on_both(group, with, without);
        let mut row = vec![group.to_string(), without.word().to_string()];
        for seen in MonitoredSet::ALL {
            let rates = pairs.iter().filter_map(|(_, to, from)| between(from, to, seen));
            let MeanChange { percent, of } = MeanChange::of(rates);
            row.extend([two_digits(percent), of.to_string()]);
        }
        table.rows.push(row);
    });
    table
}

pub(super) fn lowest_changes(cells: &StudyCells) -> Table {
    let title = "lowest change in per cent when observability is added, and on which models";
    let columns = ["models", "host", "MX", "MX on", "OO", "OO on"];
    let mut table = Table::new("11", "lowest", title, &columns);
    for_pairs(cells, |group, with, without| {
        let pairs = cells.on_both(group, with, without);
        let mut row = vec![group.to_string(), without.word().to_string()];
        for seen in MonitoredSet::ALL {
            let changed = |(model, to, from): &(&str, &CaseOutcome, &CaseOutcome)| {
                let (from, to) = between(from, to, seen)?;
                Some((two_digits(Some(change(from, to)?)), change(from, to)?, model.to_string()))
            };
            row.extend(lowest(pairs.iter().filter_map(changed).collect()));
        }
        table.rows.push(row);
    });
    table
}

/// The lowest change as it is shown, and all models that share it.
fn lowest(changes: Vec<(String, f64, String)>) -> [String; 2] {
    let least = changes.iter().min_by(|a, b| a.1.total_cmp(&b.1)).map(|(shown, ..)| shown.clone());
    let Some(least) = least else { return [two_digits(None), String::new()] };
    let models = changes.iter().filter(|(shown, ..)| *shown == least);
    let models: Vec<&str> = models.map(|(.., model)| model.as_str()).collect();
    [least, models.join(" ")]
}

/// What both kill, if both say something.
fn between(from: &CaseOutcome, to: &CaseOutcome, seen: MonitoredSet) -> Option<(f64, f64)> {
    Some((from.rate(seen)?, to.rate(seen)?))
}

/// Does something for each group and each host that was studied with and without observability.
pub(super) fn for_pairs(cells: &StudyCells, mut each: impl FnMut(Group, Criterion, Criterion)) {
    for group in cells.groups() {
        for (with, without) in cells.pairs() {
            each(group, with, without);
        }
    }
}
