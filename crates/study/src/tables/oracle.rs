//! What monitoring everything adds (seed 004, table 15).

use crate::cells::StudyCells;
use crate::compare::{MeanChange, two_digits};
use crate::outcome::{CaseOutcome, MonitoredSet};
use crate::table::Table;

pub(super) fn changes(cells: &StudyCells) -> Table {
    let title = "average change in per cent from the output-only to the maximum oracle";
    let columns = ["models", "criterion", "change", "of"];
    let mut table = Table::new("15", "oracle", title, &columns);
    for group in cells.groups() {
        for criterion in cells.criteria() {
            let rates = |(_, outcome): &(&str, &CaseOutcome)| {
                Some((outcome.rate(MonitoredSet::Outputs)?, outcome.rate(MonitoredSet::Maximum)?))
            };
            let outcomes = cells.of(group, criterion);
            let MeanChange { percent, of } = MeanChange::of(outcomes.iter().filter_map(rates));
            let words = [group.to_string(), criterion.word().to_string()];
            let row = words.into_iter().chain([two_digits(percent), of.to_string()]);
            table.rows.push(row.collect());
        }
    }
    table
}
