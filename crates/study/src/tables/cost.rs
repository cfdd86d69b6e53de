//! What observability costs (seed 004, tables 12 to 14). What depends on the clock is kept apart,
//! in table 13, so that the others are the same in each run.

use provoke_stats::describe::{mean, median};

use crate::cells::StudyCells;
use crate::compare::{MeanChange, two_digits};
use crate::outcome::CaseOutcome;
use crate::table::Table;
use crate::tables::efficacy::for_pairs;

pub(super) fn changes(cells: &StudyCells) -> Table {
    let title = "average change in per cent when observability is added; its time is in table 13";
    let columns = ["models", "host", "suite size", "obligations satisfied", "of"];
    let mut table = Table::new("12", "size", title, &columns);
    for_pairs(cells, |group, with, without| {
        let pairs = cells.on_both(group, with, without);
        let changed = |number: fn(&CaseOutcome) -> Option<f64>| {
            let both = pairs.iter().filter_map(|(_, to, from)| Some((number(from)?, number(to)?)));
            two_digits(MeanChange::of(both).percent)
        };
        let row = [group.to_string(), without.word().to_string(), changed(CaseOutcome::suite_size)];
        let rest = [changed(satisfied), pairs.len().to_string()];
        table.rows.push(row.into_iter().chain(rest).collect());
    });
    table
}

fn satisfied(outcome: &CaseOutcome) -> Option<f64> {
    outcome.obligations.percent(outcome.obligations.covered)
}

pub(super) fn times(cells: &StudyCells) -> Table {
    let title = "median seconds of generation, and the average change in per cent";
    let columns = ["models", "host", "observable", "host alone", "change", "of", "out of time"];
    let mut table = Table::new("13", "time", title, &columns);
    for_pairs(cells, |group, with, without| {
        let pairs = cells.on_both(group, with, without);
        let (to, from): (Vec<f64>, Vec<f64>) =
            pairs.iter().map(|(_, to, from)| (to.seconds, from.seconds)).unzip();
        let change = MeanChange::of(from.iter().copied().zip(to.iter().copied())).percent;
        let late = pairs.iter().filter(|(_, to, from)| to.cut_short || from.cut_short).count();
        let mut row = vec![group.to_string(), without.word().to_string()];
        row.extend([median(&to), median(&from), change].map(two_digits));
        row.extend([pairs.len(), late].map(|number| number.to_string()));
        table.rows.push(row);
    });
    table
}

pub(super) fn verdicts(cells: &StudyCells) -> Table {
    let title = "average per cent of obligations fulfilled, proven infeasible, and unknown";
    let columns = ["models", "criterion", "fulfilled", "infeasible", "unknown", "of"];
    let mut table = Table::new("14", "verdicts", title, &columns);
    for group in cells.groups() {
        for criterion in cells.criteria() {
            let outcomes = cells.of(group, criterion);
            let shared = |part: fn(&CaseOutcome) -> usize| {
                let percent = |(_, outcome): &(&str, &CaseOutcome)| {
                    outcome.obligations.percent(part(outcome))
                };
                two_digits(mean(&outcomes.iter().filter_map(percent).collect::<Vec<_>>()))
            };
            table.rows.push(vec![
                group.to_string(),
                criterion.word().to_string(),
                shared(|outcome| outcome.obligations.covered),
                shared(|outcome| outcome.obligations.infeasible),
                shared(|outcome| outcome.obligations.unknown),
                outcomes.len().to_string(),
            ]);
        }
    }
    table
}
