//! CSV: a header of names, one row per step, an empty cell where any value will do.
//!
//! Several tests stand in one file with a first column `test`, or separated by blank lines,
//! where the header may be repeated. A column `requirements` holds the ids of the requirements
//! that a test is for. What a test covers and, without a model, what is an output, CSV does not
//! tell.

use csv::{ReaderBuilder, StringRecord, WriterBuilder};
use provoke_model::{Signal, Step, Suite, TestCase};

use crate::error::{ReadError, SuitePlace, WriteError, excerpt};
use crate::requirement;
use crate::table::{Column, Counting, Table};
use crate::text::decode;
use crate::typing::Typing;

/// The header of the column that names the tests.
const TEST: &str = "test";

pub(crate) fn read(title: &str, bytes: &[u8], typing: Typing<'_>) -> Result<Table, ReadError> {
    let text = decode(bytes);
    let mut records = Records::new(&text);
    let Some(first) = records.next()? else {
        return Err(ReadError::new("the file is empty")
            .hint("the first line must hold the names of the signals"));
    };
    let header = records.fields.clone();
    let names: Vec<&str> = header.iter().map(str::trim).collect();
    let has_tests = names_tests(&names, typing);
    let requirements = requirement::column(&names, typing);
    let mut table = Table::new(Counting::Rows);
    let mut columns = Vec::new();
    for (position, name) in names.iter().enumerate() {
        columns.push(match position {
            0 if has_tests => CsvColumn::Test,
            position if requirements == Some(position) => CsvColumn::Requirements,
            _ => {
                let added = table.add_column(Column::named(*name));
                CsvColumn::Signal(added.map_err(|e| e.at(SuitePlace::row(first.row)))?)
            }
        });
    }
    let mut rows = Rows { title, names: &names, columns, has_tests, table, last_test: None };
    while let Some(line) = records.next()? {
        rows.add(&records.fields, line).map_err(|error| error.at(SuitePlace::row(line.row)))?;
    }
    rows.finish()
}

/// Whether the first column names tests: by its header, unless that is a variable of the
/// model and names no other column.
fn names_tests(names: &[&str], typing: Typing<'_>) -> bool {
    let is_variable = match typing {
        Typing::System(system) => system.var_named(TEST).is_some(),
        Typing::Infer => false,
    };
    names.first() == Some(&TEST) && (!is_variable || names[1..].contains(&TEST))
}

/// What the cells of a column are.
#[derive(Clone, Copy)]
enum CsvColumn {
    Test,
    Requirements,
    Signal(usize),
}

struct Rows<'a> {
    title: &'a str,
    names: &'a [&'a str],
    columns: Vec<CsvColumn>,
    has_tests: bool,
    table: Table,
    last_test: Option<String>,
}

impl Rows<'_> {
    fn add(&mut self, fields: &StringRecord, line: Line) -> Result<(), ReadError> {
        if !self.has_tests && (line.after_blank || self.table.test_count() == 0) {
            self.start_block()?;
        }
        if line.after_blank && fields.iter().map(str::trim).eq(self.names.iter().copied()) {
            return Ok(());
        }
        if fields.len() != self.names.len() {
            let (found, expected) = (fields.len(), self.names.len());
            let message = format!("{found} cells, but the header has {expected}");
            return Err(ReadError::new(message).hint("an empty cell still needs its comma"));
        }
        if self.has_tests && self.last_test.as_deref() != Some(&fields[0]) {
            self.last_test = Some(fields[0].to_string());
            let hint = "keep the rows of each test together";
            self.table.start_test(&fields[0]).map_err(|error| error.hint(hint))?;
        }
        self.table.start_step()?;
        for (column, cell) in self.columns.iter().zip(fields).filter(|(_, cell)| !cell.is_empty()) {
            match column {
                CsvColumn::Test => {}
                CsvColumn::Requirements => self.table.require_all(cell)?,
                CsvColumn::Signal(signal) => self.table.put(*signal, cell, line.row)?,
            }
        }
        Ok(())
    }

    /// The first test is called after the file until a second one appears.
    fn start_block(&mut self) -> Result<(), ReadError> {
        let number = self.table.test_count() + 1;
        if number == 2 {
            self.table.rename_test(0, format!("{}-1", self.title));
        }
        let name = if number == 1 { self.title.into() } else { format!("{}-{number}", self.title) };
        self.table.start_test(name)
    }

    /// A table without rows is one test without steps, if it is not a list of tests.
    fn finish(mut self) -> Result<Table, ReadError> {
        if !self.has_tests && self.table.test_count() == 0 {
            self.start_block()?;
        }
        Ok(self.table)
    }
}

/// Where a record stands.
#[derive(Clone, Copy)]
struct Line {
    /// Its line, counted from 1.
    row: usize,
    /// Whether a blank line precedes it.
    after_blank: bool,
}

/// The records of a text; the `csv` crate passes over blank lines, which we must see.
struct Records<'a> {
    text: &'a str,
    reader: csv::Reader<&'a [u8]>,
    /// The last record.
    fields: StringRecord,
    offset: usize,
    line: usize,
    width: usize,
}

impl<'a> Records<'a> {
    fn new(text: &'a str) -> Records<'a> {
        let first = text.trim_start().lines().next().unwrap_or("");
        let delimiter = [b',', b';', b'\t'].into_iter().find(|&d| first.as_bytes().contains(&d));
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter.unwrap_or(b','))
            .from_reader(text.as_bytes());
        Records { text, reader, fields: StringRecord::new(), offset: 0, line: 1, width: 0 }
    }

    fn next(&mut self) -> Result<Option<Line>, ReadError> {
        let mut after_blank = false;
        loop {
            let start = self.reader.position().byte() as usize;
            let more = self.reader.read_record(&mut self.fields);
            if !more.map_err(|error| ReadError::new(format!("not a CSV file: {error}")))? {
                return Ok(None);
            }
            after_blank |= self.advance(start);
            let fields = &self.fields;
            // A line of nothing but spaces is blank too, where a row needs several cells.
            if self.width != 1 && fields.len() == 1 && fields[0].trim().is_empty() {
                after_blank = true;
                continue;
            }
            let is_first = std::mem::replace(&mut self.width, fields.len()) == 0;
            return Ok(Some(Line { row: self.line, after_blank: after_blank && !is_first }));
        }
    }

    /// Moves to where the record that starts at or behind `start` really starts, and says
    /// whether blank lines were passed.
    fn advance(&mut self, start: usize) -> bool {
        let bytes = self.text.as_bytes();
        // The line feed of a carriage return, which still belongs to the line before.
        let half = start > 0 && bytes[start - 1] == b'\r' && bytes.get(start) == Some(&b'\n');
        let content = start + usize::from(half);
        let blank = bytes[content..].iter().take_while(|&&b| b == b'\r' || b == b'\n').count();
        let end = content + blank;
        self.line += bytes[self.offset..end].iter().filter(|&&byte| byte == b'\n').count();
        self.offset = end;
        blank > 0
    }
}

/// One file for all tests.
pub(crate) fn write(suite: &Suite) -> Result<Vec<u8>, WriteError> {
    if let Some(test) = suite.tests.iter().find(|test| test.steps.is_empty()) {
        let name = excerpt(&test.name);
        let message = format!("the test `{name}` has no steps, so it has no row in a table");
        return Err(WriteError::new(message).hint("write JSON, or one CSV file per test"));
    }
    let has_ids = has_requirements(suite, &suite.tests);
    let ids = has_ids.then(|| requirement::COLUMN.to_string());
    let header = [TEST.to_string()].into_iter().chain(ids).chain(names(suite)).collect();
    let rows = suite.tests.iter().flat_map(|test| {
        let named = move |row: Vec<String>| [test.name.clone()].into_iter().chain(row).collect();
        rows(suite, test, has_ids).map(named)
    });
    Ok(table(header, rows))
}

/// One file for one test.
pub(crate) fn write_test(suite: &Suite, test: &TestCase) -> Result<Vec<u8>, WriteError> {
    if suite.inputs.is_empty() && suite.outputs.is_empty() {
        return Err(WriteError::new("a suite without signals is no table"));
    }
    let has_ids = has_requirements(suite, std::slice::from_ref(test));
    let ids = has_ids.then(|| requirement::COLUMN.to_string());
    Ok(table(ids.into_iter().chain(names(suite)).collect(), rows(suite, test, has_ids)))
}

/// Whether a table has a column of requirements: if there are some, or if a signal could be taken for it.
fn has_requirements(suite: &Suite, tests: &[TestCase]) -> bool {
    tests.iter().any(|test| !test.requirements.is_empty())
        || names(suite).any(|name| name == requirement::COLUMN)
}

/// The rows of a test; its requirements stand in the first one.
fn rows(suite: &Suite, test: &TestCase, has_ids: bool) -> impl Iterator<Item = Vec<String>> {
    test.steps.iter().enumerate().map(move |(number, step)| {
        let ids = if number == 0 { requirement::cell(test) } else { String::new() };
        has_ids.then_some(ids).into_iter().chain(cells(suite, step)).collect()
    })
}

fn names(suite: &Suite) -> impl Iterator<Item = String> {
    suite.inputs.iter().chain(&suite.outputs).map(|signal| signal.name.clone())
}

fn cells(suite: &Suite, step: &Step) -> impl Iterator<Item = String> {
    let inputs = suite.inputs.iter().zip(&step.inputs);
    let all = inputs.chain(suite.outputs.iter().zip(&step.outputs));
    all.map(|(Signal { ty, .. }, value)| value.show(*ty, &suite.enums))
}

fn table(header: Vec<String>, rows: impl Iterator<Item = Vec<String>>) -> Vec<u8> {
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    for record in std::iter::once(header).chain(rows) {
        writer.write_record(&record).expect("records of one width go into memory");
    }
    writer.into_inner().expect("memory can be flushed")
}
