//! The tables and notes of the study.

/// A table with its name and heading; the first row is its head.
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) rows: Vec<Vec<String>>,
}

/// What the study came to.
#[derive(Default)]
pub(crate) struct Section {
    pub(crate) tables: Vec<Table>,
    pub(crate) notes: Vec<String>,
}

impl Section {
    /// Adds a table, or its rows to the one of that name.
    pub(crate) fn add(&mut self, table: Table) {
        match self.tables.iter_mut().find(|known| known.name == table.name) {
            Some(known) => known.rows.extend(table.rows.into_iter().skip(1)),
            None => self.tables.push(table),
        }
    }
}
