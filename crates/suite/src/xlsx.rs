//! Workbooks: one sheet per test with the header `time, signal, …` and one row per step.
//!
//! A first sheet `suite` lists model, enumerations, signals, tests with their sheets and
//! requirements, and what they cover, so that nothing is lost. A workbook without it is read
//! too: then every sheet is a test, a first column `time` is passed over, and a column
//! `requirements` holds the ids of the requirements that the test is for. An empty cell is
//! "don't care".

use std::collections::HashSet;

use provoke_model::{Signal, Suite, TestCase, Value};
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Workbook, Worksheet, XlsxError};

use crate::error::{ReadError, SuitePlace, WriteError, excerpt};
use crate::header::{EnumHeader, Header, SCHEMA, SignalHeader, constants_of, constants_text};
use crate::names::UniqueNames;
use crate::notation::{exact_double, small_integer};
use crate::requirement;
use crate::table::{Column, Counting, Table};
use crate::typing::Typing;
use crate::workbook::Book;

/// The sheet that describes the suite.
const SUITE: &str = "suite";

const TIME: &str = "time";

pub(crate) fn read(bytes: &[u8], typing: Typing<'_>) -> Result<Table, ReadError> {
    let mut book = Book::open(bytes)?;
    let mut table = Table::new(Counting::Rows);
    if let Some(Overview { header, tests }) = Overview::read(&mut book)? {
        header.declare(&mut table)?;
        for ListedTest { name, sheet, covers, requirements, row } in tests {
            table.start_test(&*name)?;
            covers.into_iter().for_each(|id| table.covers(id));
            table.require_all(&requirements).map_err(|error| error.at(SuitePlace::row(row)))?;
            read_sheet(&mut book, &sheet, &name, &mut table, true, typing)?;
        }
        return Ok(table);
    }
    for sheet in book.sheet_names() {
        read_sheet(&mut book, &sheet, &sheet, &mut table, false, typing)?;
    }
    Ok(table)
}

/// Reads one test; in a workbook of ours the signals are declared.
fn read_sheet(
    book: &mut Book<'_>,
    sheet: &str,
    test: &str,
    table: &mut Table,
    declared: bool,
    typing: Typing<'_>,
) -> Result<(), ReadError> {
    let mut reader = SheetReader {
        table,
        test,
        declared,
        names_requirements: !declared
            && requirement::column(&[requirement::COLUMN], typing).is_some(),
        header: None,
        columns: Vec::new(),
        named: HashSet::new(),
        steps: 0,
    };
    book.for_each_cell(sheet, |row, column, text| {
        reader.see(row, column, text).map_err(|mut error| {
            error.place.test = Some(test.to_string());
            error.place.row = Some(row + 1);
            error
        })
    })
}

#[derive(Clone, Copy)]
enum SheetColumn {
    Nameless,
    Time,
    Requirements,
    Signal(usize),
}

struct SheetReader<'a> {
    table: &'a mut Table,
    test: &'a str,
    declared: bool,
    /// Whether a column `requirements` is no signal.
    names_requirements: bool,
    /// The row of the names: the first that is not empty.
    header: Option<usize>,
    columns: Vec<SheetColumn>,
    /// The signals that have a column.
    named: HashSet<usize>,
    steps: usize,
}

impl SheetReader<'_> {
    fn see(&mut self, row: usize, column: usize, text: &str) -> Result<(), ReadError> {
        if self.header.is_none() && !self.declared {
            self.table.start_test(self.test)?;
        }
        let header = *self.header.get_or_insert(row);
        if row == header {
            return self.see_name(column, text.trim());
        }
        let Some(step) = row.checked_sub(header + 1).filter(|step| step + 1 >= self.steps) else {
            return Err(ReadError::new("the rows of the sheet are out of order"));
        };
        while self.steps <= step {
            self.table.start_step()?;
            self.steps += 1;
        }
        match self.columns.get(column) {
            Some(SheetColumn::Time) => Ok(()),
            Some(SheetColumn::Requirements) => self.table.require_all(text),
            Some(SheetColumn::Signal(signal)) => self.table.put(*signal, text, row + 1),
            Some(SheetColumn::Nameless) | None => {
                let message = format!("`{}` stands in a column without a name", excerpt(text));
                Err(ReadError::new(message).hint("the first row names the signals"))
            }
        }
    }

    fn see_name(&mut self, column: usize, name: &str) -> Result<(), ReadError> {
        if self.columns.len() <= column {
            self.columns.resize(column + 1, SheetColumn::Nameless);
        }
        if column == 0 && name == TIME {
            self.columns[0] = SheetColumn::Time;
            return Ok(());
        }
        if name == requirement::COLUMN && self.names_requirements {
            self.columns[column] = SheetColumn::Requirements;
            return Ok(());
        }
        let signal = self.signal(name)?;
        if !self.named.insert(signal) {
            let message = format!("two columns are called `{}`", excerpt(name));
            return Err(ReadError::new(message).hint("keep one of them"));
        }
        self.columns[column] = SheetColumn::Signal(signal);
        Ok(())
    }

    fn signal(&mut self, name: &str) -> Result<usize, ReadError> {
        match self.table.column_named(name) {
            Some(signal) => Ok(signal),
            None if self.declared => {
                let message = format!("`{}` is not in the sheet `{SUITE}`", excerpt(name));
                Err(ReadError::new(message).hint("add it there as an input or output"))
            }
            None => self.table.add_column(Column::named(name)),
        }
    }
}

/// A row of the sheet `suite` about a test.
struct ListedTest {
    name: String,
    sheet: String,
    covers: Vec<String>,
    /// The ids as they stand in the cell.
    requirements: String,
    row: usize,
}

/// What the sheet `suite` tells.
#[derive(Default)]
struct Overview {
    /// Without a schema until the first row has shown that the sheet is ours.
    header: Header,
    tests: Vec<ListedTest>,
}

impl Overview {
    /// `None` if there is no sheet of ours.
    fn read(book: &mut Book<'_>) -> Result<Option<Overview>, ReadError> {
        if !book.sheet_names().iter().any(|name| name == SUITE) {
            return Ok(None);
        }
        let mut overview = Overview::default();
        let mut cells: [String; 4] = Default::default();
        let mut current = 0;
        book.for_each_cell(SUITE, |row, column, text| {
            if row != current {
                overview.add(current, &mut cells)?;
                current = row;
            }
            if let Some(cell) = cells.get_mut(column) {
                *cell = text.to_string();
            }
            Ok(())
        })?;
        overview.add(current, &mut cells)?;
        Ok(overview.header.schema.is_some().then_some(overview))
    }

    /// Takes one row and leaves its cells empty.
    fn add(&mut self, row: usize, cells: &mut [String; 4]) -> Result<(), ReadError> {
        let [kind, name, detail, extra] = std::mem::take(cells);
        if self.header.schema.is_none() {
            self.header.schema = Some(kind).filter(|kind| kind.starts_with("provoke/suite"));
            return Ok(());
        }
        let at_row = |error: ReadError| error.at(SuitePlace::row(row + 1));
        let enum_name = constants_of(&detail).is_some().then(|| extra.clone());
        match kind.as_str() {
            "" => {}
            "model" => self.header.model = name,
            "enum" => {
                let constants = constants_of(&detail).ok_or_else(|| {
                    let message = format!("`{}` is no list of constants", excerpt(&detail));
                    at_row(ReadError::new(message).hint("write enum {A, B}"))
                })?;
                self.header.enums.push(EnumHeader { name, constants });
            }
            "input" => self.header.inputs.push(SignalHeader { name, ty: detail, enum_name }),
            "output" => self.header.outputs.push(SignalHeader { name, ty: detail, enum_name }),
            "test" => self.tests.push(ListedTest {
                name,
                sheet: detail,
                covers: Vec::new(),
                requirements: extra,
                row: row + 1,
            }),
            "covers" => {
                let before = || at_row(ReadError::new("`covers` comes before any test"));
                self.tests.last_mut().ok_or_else(before)?.covers.push(name);
            }
            _ => {
                let message = format!("`{}` is no kind of entry", excerpt(&kind));
                let hint = "entries are model, enum, input, output, test and covers";
                return Err(at_row(ReadError::new(message).hint(hint)));
            }
        }
        Ok(())
    }
}

pub(crate) fn write(suite: &Suite) -> Result<Vec<u8>, WriteError> {
    check_names(suite)?;
    let mut names = UniqueNames::new(31);
    names.claim(SUITE);
    // Excel keeps this name for itself.
    names.claim("History");
    let sheets: Vec<String> =
        suite.tests.iter().map(|test| names.claim(&sheet_name(&test.name))).collect();
    write_book(suite, &sheets).map_err(|error| {
        let message = format!("the suite does not fit a workbook: {error}");
        WriteError::new(message).hint("write JSON or CSV")
    })
}

fn write_book(suite: &Suite, sheets: &[String]) -> Result<Vec<u8>, XlsxError> {
    let mut book = Workbook::new();
    // A fixed date: the same suite is the same bytes at any time.
    let date = ExcelDateTime::from_ymd(2000, 1, 1)?;
    book.set_properties(&DocProperties::new().set_creation_datetime(&date));
    write_overview(book.add_worksheet(), suite, sheets)?;
    for (test, name) in suite.tests.iter().zip(sheets) {
        write_test(book.add_worksheet().set_name(name)?, suite, test)?;
    }
    book.save_to_buffer()
}

fn write_overview(
    sheet: &mut Worksheet,
    suite: &Suite,
    sheets: &[String],
) -> Result<(), XlsxError> {
    sheet.set_name(SUITE)?;
    sheet.write_string(0, 0, SCHEMA)?;
    let header = Header::of(suite);
    let mut rows = vec![["model", &header.model, "", ""].map(str::to_string)];
    for ty in &header.enums {
        rows.push(["enum", &ty.name, &constants_text(&ty.constants), ""].map(str::to_string));
    }
    for (kind, signals) in [("input", &header.inputs), ("output", &header.outputs)] {
        for SignalHeader { name, ty, enum_name } in signals {
            let enum_name = enum_name.as_deref().unwrap_or("");
            rows.push([kind, name, ty, enum_name].map(str::to_string));
        }
    }
    for (test, sheet) in suite.tests.iter().zip(sheets) {
        let requirements = requirement::cell(test);
        rows.push(["test", &test.name, sheet, &requirements].map(str::to_string));
        rows.extend(test.covers.iter().map(|id| ["covers", id, "", ""].map(str::to_string)));
    }
    for (row, cells) in (1..).zip(&rows) {
        for (column, cell) in (0..).zip(cells) {
            sheet.write_string(row, column, cell)?;
        }
    }
    Ok(())
}

fn write_test(sheet: &mut Worksheet, suite: &Suite, test: &TestCase) -> Result<(), XlsxError> {
    sheet.write_string(0, 0, TIME)?;
    let signals: Vec<&Signal> = suite.inputs.iter().chain(&suite.outputs).collect();
    let column =
        |index: usize| u16::try_from(index + 1).map_err(|_| XlsxError::RowColumnLimitError);
    for (index, signal) in signals.iter().enumerate() {
        sheet.write_string(0, column(index)?, &signal.name)?;
    }
    sheet.set_freeze_panes(1, 1)?;
    for (time, step) in test.steps.iter().enumerate() {
        let row = u32::try_from(time + 1).map_err(|_| XlsxError::RowColumnLimitError)?;
        sheet.write_number(row, 0, time as f64)?;
        for (index, value) in step.inputs.iter().chain(&step.outputs).enumerate() {
            write_value(sheet, row, column(index)?, suite, signals[index], value)?;
        }
    }
    Ok(())
}

/// Numbers are numbers where a double holds them exactly, else text.
fn write_value(
    sheet: &mut Worksheet,
    row: u32,
    column: u16,
    suite: &Suite,
    signal: &Signal,
    value: &Value,
) -> Result<(), XlsxError> {
    let number = match value {
        Value::Unknown => return Ok(()),
        Value::Bool(value) => {
            sheet.write_boolean(row, column, *value)?;
            return Ok(());
        }
        Value::Int(int) => small_integer(int).map(|int| int as f64),
        Value::Real(real) => exact_double(real),
        Value::Enum(_) => None,
    };
    match number {
        Some(number) => sheet.write_number(row, column, number)?,
        None => sheet.write_string(row, column, value.show(signal.ty, &suite.enums))?,
    };
    Ok(())
}

/// A sheet's name has no brackets, colons, asterisks, question marks or slashes, and no
/// apostrophe at its ends.
fn sheet_name(test: &str) -> String {
    let clean = |c: char| if "[]:*?/\\'".contains(c) { '_' } else { c };
    let name: String = test.chars().map(clean).collect();
    if name.trim().is_empty() { "test".into() } else { name }
}

/// Cells hold XML text, which has no control characters.
fn check_names(suite: &Suite) -> Result<(), WriteError> {
    let signals = suite.inputs.iter().chain(&suite.outputs).map(|signal| &signal.name);
    let enums = suite.enums.iter().map(|ty| &ty.name);
    let tests = suite.tests.iter().flat_map(|test| [&test.name].into_iter().chain(&test.covers));
    let mut all = signals.chain(enums).chain(tests).chain([&suite.model]);
    match all.find(|name| name.contains(|c: char| c.is_control())) {
        Some(name) => {
            let message = format!("`{}` cannot be a name in a workbook", excerpt(name));
            Err(WriteError::new(message).hint("rename it, or write JSON"))
        }
        None => Ok(()),
    }
}
