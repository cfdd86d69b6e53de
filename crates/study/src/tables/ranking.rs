//! Where one criterion is better than another with significance (seed 004, tables 8 and 10):
//! one-sided Mann-Whitney tests on the suites of each model, alpha = 0.05.

use provoke_criteria::{Criterion, Host};

use crate::case::Group;
use crate::cells::StudyCells;
use crate::compare::{beats, share};
use crate::outcome::MonitoredSet;
use crate::table::Table;
use crate::tables::efficacy::for_pairs;

const OMCDC: Criterion = Criterion { host: Host::Mcdc, observable: true };

pub(super) fn of_omcdc(cells: &StudyCells) -> Table {
    let title = "per cent of models on which omcdc kills more, or less, than another criterion";
    let columns = ["models", "criterion", "MX more", "MX less", "OO more", "OO less", "of"];
    let mut table = Table::new("8", "omcdc", title, &columns);
    for group in cells.groups() {
        for other in cells.criteria().into_iter().filter(|other| *other != OMCDC) {
            table.rows.push(row(cells, group, OMCDC, other));
        }
    }
    table
}

pub(super) fn of_observability(cells: &StudyCells) -> Table {
    let title = "per cent of models on which the observable criterion kills more, or its host";
    let columns = ["models", "host", "MX observable", "MX host", "OO observable", "OO host", "of"];
    let mut table = Table::new("10", "observability", title, &columns);
    for_pairs(cells, |group, with, without| table.rows.push(row(cells, group, with, without)));
    table
}

/// On which share of the models the first of two criteria beats the second, and the reverse.
fn row(cells: &StudyCells, group: Group, first: Criterion, second: Criterion) -> Vec<String> {
    let pairs = cells.on_both(group, first, second);
    let mut row = vec![group.to_string(), second.word().to_string()];
    for seen in MonitoredSet::ALL {
        let rates: Vec<(Vec<f64>, Vec<f64>)> =
            pairs.iter().map(|(_, one, other)| (one.rates(seen), other.rates(seen))).collect();
        let better = rates.iter().filter(|(one, other)| beats(one, other)).count();
        let worse = rates.iter().filter(|(one, other)| beats(other, one)).count();
        row.extend([share(better, rates.len()), share(worse, rates.len())]);
    }
    row.push(pairs.len().to_string());
    row
}
