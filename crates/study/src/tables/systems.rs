//! What the models are like (seed 004, tables 4 to 6).

use crate::anatomy::Anatomy;
use crate::case::ModelForm;
use crate::compare::two_digits;
use crate::table::Table;

pub(super) fn tables(anatomies: &[Anatomy]) -> Vec<Table> {
    let tables = [
        (ModelForm::Split, "4", "systems-split", "the models with one operator in each equation"),
        (ModelForm::Inlined, "5", "systems-inlined", "the models, inlined"),
        (ModelForm::Given, "6", "systems-given", "the models as they are written"),
    ];
    let table = |(form, number, name, title)| {
        let columns = ["model", "inputs", "internal variables", "outputs", "average complexity"];
        let mut table = Table::new(number, name, title, &columns);
        let of_form = anatomies.iter().filter(|anatomy| anatomy.form == form);
        table.rows = of_form.map(row).collect();
        (!table.rows.is_empty()).then_some(table)
    };
    tables.into_iter().filter_map(table).collect()
}

fn row(anatomy: &Anatomy) -> Vec<String> {
    let Anatomy { model, inputs, locals, outputs, complexity, .. } = anatomy;
    let numbers = [inputs, locals, outputs].map(usize::to_string);
    let cells = [model.clone()].into_iter().chain(numbers);
    cells.chain([two_digits(Some(*complexity))]).collect()
}
