//! Workbooks: one sheet per test with the header `time, signal, …` and one row per step.
//!
//! A first sheet `suite` lists model, enumerations, signals, tests with their sheets, and
//! what they cover, so that nothing is lost. A workbook without it is read too: then every
//! sheet is a test, and a first column `time` is passed over. An empty cell is "don't care".

use std::io::{self, Cursor, Read};

use calamine::{DataRef, Reader, SheetType, Xlsx};
use provoke_model::{Signal, Suite, TestCase, Value};
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Workbook, Worksheet, XlsxError};
use zip::ZipArchive;

use crate::error::{Place, ReadError, WriteError, excerpt};
use crate::header::{EnumHeader, Header, SCHEMA, SignalHeader, constants_of, constants_text};
use crate::names::UniqueNames;
use crate::notation::{double_text, exact_double, small_integer};
use crate::table::{Column, Counting, Table};

/// The sheet that describes the suite.
const SUITE: &str = "suite";

const TIME: &str = "time";

/// The most bytes that a workbook may unpack to: a small file can be made to hold gigabytes.
const MAX_UNPACKED: u64 = 2 * crate::MAX_BYTES as u64;

type Book<'a> = Xlsx<Cursor<&'a [u8]>>;

pub(crate) fn read(bytes: &[u8]) -> Result<Table, ReadError> {
    check_unpacked_size(bytes)?;
    let mut book: Book<'_> = Xlsx::new(Cursor::new(bytes)).map_err(unreadable)?;
    let is_sheet = |sheet: &&calamine::Sheet| sheet.typ == SheetType::WorkSheet;
    let sheets: Vec<String> =
        book.sheets_metadata().iter().filter(is_sheet).map(|sheet| sheet.name.clone()).collect();
    let mut table = Table::new(Counting::Rows);
    if sheets.iter().any(|name| name == SUITE)
        && let Some(overview) = Overview::read(&mut book)?
    {
        overview.header.declare(&mut table)?;
        for ListedTest { name, sheet, covers } in overview.tests {
            table.start_test(&*name)?;
            covers.into_iter().for_each(|id| table.covers(id));
            read_sheet(&mut book, &sheet, &name, &mut table, true)?;
        }
        return Ok(table);
    }
    for sheet in sheets {
        read_sheet(&mut book, &sheet, &sheet, &mut table, false)?;
    }
    Ok(table)
}

/// Unpacks every part once and throws it away: what the archive says of its sizes may be
/// untrue.
fn check_unpacked_size(bytes: &[u8]) -> Result<(), ReadError> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(unreadable)?;
    let mut left = MAX_UNPACKED;
    for index in 0..archive.len() {
        let part = archive.by_index(index).map_err(unreadable)?;
        let size = io::copy(&mut part.take(left + 1), &mut io::sink()).map_err(unreadable)?;
        let Some(rest) = left.checked_sub(size) else {
            let message = format!("the workbook unpacks to more than {} MB", MAX_UNPACKED >> 20);
            return Err(ReadError::new(message).hint("split the suite into several files"));
        };
        left = rest;
    }
    Ok(())
}

fn unreadable(error: impl std::fmt::Display) -> ReadError {
    ReadError::new(format!("not a readable XLSX workbook: {}", excerpt(&error.to_string())))
}

/// Calls `see` with row, column and text of every cell that holds something.
fn for_each_cell(
    book: &mut Book<'_>,
    sheet: &str,
    mut see: impl FnMut(usize, usize, &str) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut cells = book.worksheet_cells_reader(sheet).map_err(unreadable)?;
    while let Some(cell) = cells.next_cell().map_err(unreadable)? {
        let (row, column) = cell.get_position();
        let (row, column) = (row as usize, column as usize);
        match cell.get_value() {
            DataRef::Empty => {}
            DataRef::SharedString(text) => see(row, column, text)?,
            DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => {
                see(row, column, text)?;
            }
            DataRef::Int(value) => see(row, column, &value.to_string())?,
            DataRef::Float(value) => see(row, column, &double_text(*value))?,
            DataRef::DateTime(date) => see(row, column, &double_text(date.as_f64()))?,
            DataRef::Bool(value) => see(row, column, &value.to_string())?,
            DataRef::Error(error) => see(row, column, &error.to_string())?,
        }
    }
    Ok(())
}

/// Reads one test; in a workbook of ours the signals are declared.
fn read_sheet(
    book: &mut Book<'_>,
    sheet: &str,
    test: &str,
    table: &mut Table,
    declared: bool,
) -> Result<(), ReadError> {
    let mut reader = SheetReader { table, test, declared, header: None, columns: vec![], steps: 0 };
    for_each_cell(book, sheet, |row, column, text| {
        reader.see(row, column, text).map_err(|mut error| {
            error.place.test = Some(test.to_string());
            error.place.row = Some(row + 1);
            error
        })
    })
}

#[derive(Clone, Copy, PartialEq)]
enum SheetColumn {
    Nameless,
    Time,
    Signal(usize),
}

struct SheetReader<'a> {
    table: &'a mut Table,
    test: &'a str,
    declared: bool,
    /// The row of the names: the first that is not empty.
    header: Option<usize>,
    columns: Vec<SheetColumn>,
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
            Some(SheetColumn::Signal(signal)) => self.table.put(*signal, text, row + 1),
            Some(SheetColumn::Nameless) | None => {
                let message = format!("`{}` stands in a column without a name", excerpt(text));
                Err(ReadError::new(message).hint("the first row names the signals"))
            }
        }
    }

    fn see_name(&mut self, column: usize, name: &str) -> Result<(), ReadError> {
        let named = if column == 0 && name == TIME {
            SheetColumn::Time
        } else {
            SheetColumn::Signal(self.signal(name)?)
        };
        if self.columns.contains(&named) {
            let message = format!("two columns are called `{}`", excerpt(name));
            return Err(ReadError::new(message).hint("keep one of them"));
        }
        if self.columns.len() <= column {
            self.columns.resize(column + 1, SheetColumn::Nameless);
        }
        self.columns[column] = named;
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
}

/// What the sheet `suite` tells.
struct Overview {
    header: Header,
    tests: Vec<ListedTest>,
}

impl Overview {
    /// `None` if the sheet is not ours, only called so.
    fn read(book: &mut Book<'_>) -> Result<Option<Overview>, ReadError> {
        let at_row = |row: usize| move |error: ReadError| error.at(Place::row(row + 1));
        let mut overview: Option<Overview> = None;
        let mut cells: [String; 4] = Default::default();
        let mut current = 0;
        for_each_cell(book, SUITE, |row, column, text| {
            if row != current {
                overview.add(current, &mut cells).map_err(at_row(current))?;
                current = row;
            }
            if let Some(cell) = cells.get_mut(column) {
                *cell = text.to_string();
            }
            Ok(())
        })?;
        overview.add(current, &mut cells).map_err(at_row(current))?;
        Ok(overview)
    }
}

/// Takes rows one by one; nothing until the first row has shown that the sheet is ours.
trait TakeRow {
    fn add(&mut self, row: usize, cells: &mut [String; 4]) -> Result<(), ReadError>;
}

impl TakeRow for Option<Overview> {
    fn add(&mut self, row: usize, cells: &mut [String; 4]) -> Result<(), ReadError> {
        let [kind, name, detail, extra] = std::mem::take(cells);
        let Some(Overview { header, tests }) = self else {
            if row == 0 && kind.starts_with("provoke/suite") {
                let header = Header {
                    schema: Some(kind),
                    model: String::new(),
                    enums: Vec::new(),
                    inputs: Vec::new(),
                    outputs: Vec::new(),
                };
                *self = Some(Overview { header, tests: Vec::new() });
            }
            return Ok(());
        };
        let enum_name = constants_of(&detail).is_some().then_some(extra);
        match kind.as_str() {
            "" => {}
            "model" => header.model = name,
            "enum" => {
                let constants = constants_of(&detail).ok_or_else(|| {
                    let message = format!("`{}` is no list of constants", excerpt(&detail));
                    ReadError::new(message).hint("write enum {A, B}")
                })?;
                header.enums.push(EnumHeader { name, constants });
            }
            "input" => header.inputs.push(SignalHeader { name, ty: detail, enum_name }),
            "output" => header.outputs.push(SignalHeader { name, ty: detail, enum_name }),
            "test" => tests.push(ListedTest { name, sheet: detail, covers: Vec::new() }),
            "covers" => match tests.last_mut() {
                Some(test) => test.covers.push(name),
                None => return Err(ReadError::new("`covers` comes before any test")),
            },
            _ => {
                let message = format!("`{}` is no kind of entry", excerpt(&kind));
                let hint = "entries are model, enum, input, output, test and covers";
                return Err(ReadError::new(message).hint(hint));
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
        rows.push(["test", &test.name, sheet, ""].map(str::to_string));
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
    let column = |index: usize| u16::try_from(index + 1).map_err(|_| XlsxError::RowColumnLimitError);
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
