//! What the shape of a model does (seed 004, table 16).

use provoke_criteria::Masking;

use crate::case::{Form, Group};
use crate::cells::Cells;
use crate::compare::{MeanChange, two_digits};
use crate::outcome::Seen;
use crate::table::Table;

pub(super) fn changes(cells: &Cells) -> Table {
    let title = "average change in per cent from one operator in each equation to inlined";
    let columns = ["masking", "criterion", "MX", "MX of", "OO", "OO of"];
    let mut table = Table::new("16", "structure", title, &columns);
    let studied = |masking: &Masking| {
        let groups = cells.groups();
        let with = |form| groups.contains(&Group { form, masking: *masking });
        with(Form::Split) && with(Form::Inlined)
    };
    for masking in Masking::ALL.into_iter().filter(studied) {
        for criterion in cells.criteria() {
            let mut row = vec![masking.word().to_string(), criterion.word().to_string()];
            let of = |model: &str, form| cells.outcome(model, Group { form, masking }, criterion);
            for seen in Seen::ALL {
                let rates = |model: &str| {
                    let from = of(model, Form::Split)?.rate(seen)?;
                    Some((from, of(model, Form::Inlined)?.rate(seen)?))
                };
                let changes = cells.models().into_iter().filter_map(rates);
                let MeanChange { percent, of } = MeanChange::of(changes);
                row.extend([two_digits(percent), of.to_string()]);
            }
            table.rows.push(row);
        }
    }
    table
}
