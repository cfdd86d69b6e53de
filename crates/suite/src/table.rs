//! The cells of a suite file before their types are known: what every reader produces.

use std::collections::HashMap;

use provoke_base::IndexVec;
use provoke_model::{Arithmetic, EnumId, EnumType, Type};

use crate::error::{ReadError, SuitePlace, excerpt};
use crate::requirement;

/// The most values a suite may hold: tests × steps × signals.
pub const MAX_VALUES: usize = 20_000_000;

/// The most bytes that all cells together may hold. A small spreadsheet can show one long
/// text in millions of cells.
pub(crate) const MAX_TEXT: usize = 256 << 20;

/// Whether a column is set or expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Input,
    Output,
}

impl Side {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Side::Input => "input",
            Side::Output => "output",
        }
    }
}

/// A signal as far as the file describes it.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// Set when the format says it.
    pub(crate) side: Option<Side>,
    /// Set when the format says it; enumerations are those of the table.
    pub(crate) ty: Option<Type>,
    /// The name for an enumeration that is inferred from the cells.
    pub(crate) enum_name: Option<String>,
}

impl Column {
    pub(crate) fn named(name: impl Into<String>) -> Column {
        Column { name: name.into(), side: None, ty: None, enum_name: None }
    }

    pub(crate) fn on(mut self, side: Side) -> Column {
        self.side = Some(side);
        self
    }
}

/// How rows are counted in messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Counting {
    Rows,
    Lines,
    Steps,
}

struct Cell {
    column: u32,
    start: u32,
    end: u32,
    /// The row or line it stands in.
    number: u32,
}

struct Test {
    name: String,
    covers: Vec<String>,
    requirements: Vec<String>,
    first_row: usize,
}

/// The cells of all tests, step by step; a signal without a cell is "don't care".
pub(crate) struct Table {
    /// The model's name, if the format tells it.
    pub(crate) model: String,
    /// The machine's numbers that the tests were made for, if the format tells them.
    pub(crate) numbers: Option<Arithmetic>,
    /// The enumerations the format declares.
    pub(crate) enums: IndexVec<EnumId, EnumType>,
    pub(crate) columns: Vec<Column>,
    counting: Counting,
    by_name: HashMap<String, usize>,
    tests: Vec<Test>,
    test_names: HashMap<String, usize>,
    /// For each step the number of cells before it.
    rows: Vec<usize>,
    cells: Vec<Cell>,
    text: String,
    /// The last cell of requirements: a sheet may repeat a long one in every row.
    last_required: String,
}

/// One cell, as the typing pass sees it.
pub(crate) struct CellView<'a> {
    pub(crate) column: usize,
    pub(crate) text: &'a str,
    pub(crate) test: usize,
    pub(crate) step: usize,
    number: u32,
}

impl Table {
    pub(crate) fn new(counting: Counting) -> Table {
        Table {
            model: String::new(),
            numbers: None,
            enums: IndexVec::new(),
            columns: Vec::new(),
            counting,
            by_name: HashMap::new(),
            tests: Vec::new(),
            test_names: HashMap::new(),
            rows: Vec::new(),
            cells: Vec::new(),
            text: String::new(),
            last_required: String::new(),
        }
    }

    /// Adds a column; its name must be new and not empty.
    pub(crate) fn add_column(&mut self, column: Column) -> Result<usize, ReadError> {
        let index = self.columns.len();
        if column.name.is_empty() {
            return Err(ReadError::new(format!("column {} has no name", index + 1)));
        }
        if let Some(first) = self.by_name.insert(column.name.clone(), index) {
            let name = excerpt(&column.name);
            let message =
                format!("`{name}` occurs twice, as column {} and column {}", first + 1, index + 1);
            return Err(ReadError::new(message).hint("keep one of them"));
        }
        self.columns.push(column);
        Ok(index)
    }

    pub(crate) fn column_named(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The column called `name`, added if there is none; it must not be known to be on the
    /// other side.
    pub(crate) fn column_on(&mut self, name: &str, side: Side) -> Result<usize, ReadError> {
        let Some(index) = self.column_named(name) else {
            return self.add_column(Column::named(name).on(side));
        };
        if self.columns[index].side.is_some_and(|other| other != side) {
            let message = format!("`{}` is both an input and an output", excerpt(name));
            return Err(ReadError::new(message));
        }
        Ok(index)
    }

    /// Begins a test; its name must be new.
    pub(crate) fn start_test(&mut self, name: impl Into<String>) -> Result<(), ReadError> {
        let name = name.into();
        if self.test_names.insert(name.clone(), self.tests.len()).is_some() {
            let message = format!("two tests are called `{}`", excerpt(&name));
            return Err(ReadError::new(message).hint("give every test a name of its own"));
        }
        let first_row = self.rows.len();
        self.last_required.clear();
        self.tests.push(Test { name, covers: Vec::new(), requirements: Vec::new(), first_row });
        Ok(())
    }

    /// Says that the last test covers an obligation.
    pub(crate) fn covers(&mut self, obligation: impl Into<String>) {
        if let Some(test) = self.tests.last_mut() {
            test.covers.push(obligation.into());
        }
    }

    /// Says that the last test is for a requirement.
    pub(crate) fn require(&mut self, id: &str) -> Result<(), ReadError> {
        if !requirement::is_id(id) {
            return Err(requirement::no_id(id));
        }
        let Some(test) = self.tests.last_mut() else { return Ok(()) };
        if test.requirements.iter().any(|known| known == id) {
            return Ok(());
        }
        if test.requirements.len() == requirement::MAX_IDS {
            let most = requirement::MAX_IDS;
            let message = format!("the test has more than {most} requirements");
            return Err(ReadError::new(message).hint("split it into several tests"));
        }
        test.requirements.push(id.to_string());
        Ok(())
    }

    /// Says that the last test is for all requirements in a cell.
    pub(crate) fn require_all(&mut self, cell: &str) -> Result<(), ReadError> {
        if self.last_required == cell {
            return Ok(());
        }
        self.last_required = cell.to_string();
        requirement::ids(cell).try_for_each(|id| self.require(id))
    }

    /// Begins a step of the last test.
    pub(crate) fn start_step(&mut self) -> Result<(), ReadError> {
        if self.rows.len() >= MAX_VALUES {
            return Err(too_many_values());
        }
        self.rows.push(self.cells.len());
        Ok(())
    }

    /// Puts a text into the last step; `number` is the row or line it comes from.
    pub(crate) fn put(
        &mut self,
        column: usize,
        text: &str,
        number: usize,
    ) -> Result<(), ReadError> {
        if self.cells.len() >= MAX_VALUES {
            return Err(too_many_values());
        }
        let start = self.text.len();
        if start + text.len() > MAX_TEXT {
            return Err(too_much_text());
        }
        self.text.push_str(text);
        let cell = Cell {
            column: column as u32,
            start: start as u32,
            end: self.text.len() as u32,
            number: number as u32,
        };
        self.cells.push(cell);
        Ok(())
    }

    pub(crate) fn test_count(&self) -> usize {
        self.tests.len()
    }

    /// The name and the covered obligations of a test.
    pub(crate) fn test(&self, test: usize) -> (&str, &[String]) {
        (&self.tests[test].name, &self.tests[test].covers)
    }

    pub(crate) fn requirements(&self, test: usize) -> &[String] {
        &self.tests[test].requirements
    }

    pub(crate) fn rename_test(&mut self, test: usize, name: String) {
        self.tests[test].name = name;
    }

    pub(crate) fn step_count(&self, test: usize) -> usize {
        let end = self.tests.get(test + 1).map_or(self.rows.len(), |next| next.first_row);
        end - self.tests[test].first_row
    }

    /// The cells of one step.
    pub(crate) fn step(&self, test: usize, step: usize) -> impl Iterator<Item = CellView<'_>> {
        let row = self.tests[test].first_row + step;
        let end = self.rows.get(row + 1).copied().unwrap_or(self.cells.len());
        self.cells[self.rows[row]..end].iter().map(move |cell| CellView {
            column: cell.column as usize,
            text: &self.text[cell.start as usize..cell.end as usize],
            test,
            step,
            number: cell.number,
        })
    }

    /// Every cell in order.
    pub(crate) fn all_cells(&self) -> impl Iterator<Item = CellView<'_>> {
        let steps = |test| (0..self.step_count(test)).map(move |step| (test, step));
        (0..self.tests.len()).flat_map(steps).flat_map(|(test, step)| self.step(test, step))
    }

    /// Where a cell stands, as the user sees it.
    pub(crate) fn place(&self, cell: &CellView<'_>) -> SuitePlace {
        let mut place = SuitePlace::default().signal(&self.columns[cell.column].name);
        if self.tests.len() > 1 || self.counting == Counting::Steps {
            place.test = Some(self.tests[cell.test].name.clone());
        }
        match self.counting {
            Counting::Rows => place.row = Some(cell.number as usize),
            Counting::Lines => place.line = Some(cell.number as usize),
            Counting::Steps => place.step = Some(cell.step),
        }
        place
    }

    /// Fails if the suite would be too large to hold: its steps have a value for every
    /// signal, also where the file has no cell.
    pub(crate) fn check_size(&self) -> Result<(), ReadError> {
        let values = self.rows.len().checked_mul(self.columns.len());
        if values.is_none_or(|values| values > MAX_VALUES) {
            return Err(too_many_values());
        }
        Ok(())
    }
}

pub(crate) fn too_many_values() -> ReadError {
    let message = format!("tests × steps × signals is more than {MAX_VALUES}");
    ReadError::new(message).hint("split the suite into several files")
}

pub(crate) fn too_much_text() -> ReadError {
    let message = format!("the cells hold more than {} MB of text", MAX_TEXT >> 20);
    ReadError::new(message).hint("split the suite into several files")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_by_test_and_step() {
        let mut table = Table::new(Counting::Rows);
        let x = table.add_column(Column::named("x")).unwrap();
        table.start_test("a").unwrap();
        table.start_step().unwrap();
        table.put(x, "1", 2).unwrap();
        table.start_test("b").unwrap();
        table.start_step().unwrap();
        table.start_step().unwrap();
        table.put(x, "22", 4).unwrap();
        assert_eq!((table.step_count(0), table.step_count(1)), (1, 2));
        let texts: Vec<_> = table.all_cells().map(|cell| (cell.step, cell.text)).collect();
        assert_eq!(texts, [(0, "1"), (1, "22")]);
        let last = table.all_cells().last().unwrap();
        assert_eq!(table.place(&last).to_string(), "test `b`, row 4, column `x`");
    }

    #[test]
    fn too_many_values_are_refused_before_they_are_made() {
        let mut table = Table::new(Counting::Rows);
        for name in 0..5000 {
            table.add_column(Column::named(name.to_string())).unwrap();
        }
        table.start_test("a").unwrap();
        for _ in 0..4001 {
            table.start_step().unwrap();
        }
        let error = table.check_size().unwrap_err();
        assert_eq!(error.to_string(), "tests × steps × signals is more than 20000000");
    }
}
