//! What the shape of a model does (seed 004, table 16).

use provoke_criteria::{Criterion, Masking};

use crate::case::{Group, ModelForm};
use crate::cells::StudyCells;
use crate::compare::{MeanChange, two_digits};
use crate::outcome::MonitoredSet;
use crate::table::Table;

/// The papers' non-inlined models may be those that were given, or one operator in each equation.
const BEFORE: [ModelForm; 2] = [ModelForm::Given, ModelForm::Split];

pub(super) fn changes(cells: &StudyCells) -> Table {
    let title = "average change in per cent when every local variable is inlined";
    let columns = ["from", "masking", "criterion", "MX", "MX of", "OO", "OO of"];
    let mut table = Table::new("16", "structure", title, &columns);
    let groups = cells.groups();
    for (before, masking) in BEFORE.into_iter().flat_map(|form| Masking::ALL.map(|m| (form, m))) {
        let studied = |form| groups.contains(&Group { form, masking });
        if studied(before) && studied(ModelForm::Inlined) {
            for criterion in cells.criteria() {
                table.rows.push(row(cells, before, masking, criterion));
            }
        }
    }
    table
}

fn row(
    cells: &StudyCells,
    before: ModelForm,
    masking: Masking,
    criterion: Criterion,
) -> Vec<String> {
    let mut row = [before.word(), masking.word(), criterion.word()].map(String::from).to_vec();
    let of = |model: &str, form| cells.outcome(model, Group { form, masking }, criterion);
    for seen in MonitoredSet::ALL {
        let rates = |model: &str| {
            let from = of(model, before)?.rate(seen)?;
            Some((from, of(model, ModelForm::Inlined)?.rate(seen)?))
        };
        let changes = cells.models().into_iter().filter_map(rates);
        let MeanChange { percent, of } = MeanChange::of(changes);
        row.extend([two_digits(percent), of.to_string()]);
    }
    row
}
