//! Reading and writing suites in every format, and completing what they leave open. Bytes
//! in, bytes out: nothing here touches a file.
//!
//! Every reader turns its format into a `table` of untyped cells; `typing` turns the
//! table into a suite, with the types of a model or with types inferred from the file. Files
//! are not trusted: sizes are limited, and no bytes make a reader panic.

mod check;
mod csv;
mod error;
mod fill;
mod format;
mod guess;
mod header;
mod jkind_xml;
mod json;
mod kind2;
mod names;
mod notation;
mod requirement;
mod scade;
mod table;
mod text;
mod typing;
mod vcd;
mod view;
mod workbook;
mod xlsx;

use provoke_model::{Suite, TestCase};

pub use error::{ReadError, SuitePlace, WriteError};
pub use fill::{FillPolicy, arrange_inputs, fill};
pub use format::Format;
pub use header::SCHEMA;
pub use table::MAX_VALUES;
pub use typing::{ReadSuite, Typing};
pub use view::table_of;

/// The largest file that is read.
pub const MAX_BYTES: usize = 64 << 20;

/// One file of a written suite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// What follows the name that the user chose, extension included: `.json`, or
    /// `-brake_late.vcd` where each test has its own file.
    pub suffix: String,
    /// What the file holds.
    pub bytes: Vec<u8>,
}

/// Reads a suite from the bytes of a file. The format is detected from `name` and content
/// unless it is given; a test that the file does not name is called after the file.
pub fn read(
    name: &str,
    bytes: &[u8],
    format: Option<Format>,
    typing: Typing<'_>,
) -> Result<ReadSuite, ReadError> {
    if bytes.len() > MAX_BYTES {
        let message = format!("the file is larger than {} MB", MAX_BYTES >> 20);
        return Err(ReadError::new(message).hint("split the suite into several files"));
    }
    let format = format.or_else(|| Format::detect(name, bytes)).ok_or_else(unknown_format)?;
    let title = text::title(name);
    let table = match format {
        Format::Json => json::read(title, bytes)?,
        Format::Csv | Format::CsvPerTest => csv::read(title, bytes, typing)?,
        Format::Kind2 => kind2::read(title, bytes)?,
        Format::Xlsx => xlsx::read(bytes, typing)?,
        Format::Scade | Format::ScadePerTest => scade::read(title, bytes)?,
        Format::JkindXml => jkind_xml::read(bytes)?,
        Format::Vcd => {
            let error = ReadError::new("VCD files are written, not read");
            return Err(error.hint("keep the suite as JSON beside it"));
        }
    };
    typing::suite_of(&table, typing)
}

fn unknown_format() -> ReadError {
    let words: Vec<_> = Format::ALL.iter().filter(|f| f.is_read()).map(|f| f.word()).collect();
    ReadError::new("the file is in no format known for suites")
        .hint(format!("the formats are {}", words.join(", ")))
}

/// Writes a suite. What a format cannot hold is left out (see the formats' modules); a suite
/// that it cannot hold at all is an error.
pub fn write(suite: &Suite, format: Format) -> Result<Vec<Output>, WriteError> {
    check::check(suite)?;
    let one = |bytes| vec![Output { suffix: format!(".{}", format.extension()), bytes }];
    match format {
        Format::Json => Ok(one(json::write(suite))),
        Format::Csv => csv::write(suite).map(one),
        Format::CsvPerTest => per_test(suite, format, csv::write_test),
        Format::Kind2 => per_test(suite, format, |suite, test| Ok(kind2::write_test(suite, test))),
        Format::Vcd => per_test(suite, format, |suite, test| Ok(vcd::write_test(suite, test))),
        Format::Xlsx => xlsx::write(suite).map(one),
        Format::Scade => scade::write(suite, &suite.tests).map(one),
        Format::ScadePerTest => {
            per_test(suite, format, |suite, test| scade::write(suite, std::slice::from_ref(test)))
        }
        Format::JkindXml => Err(WriteError::new("JKind XML is read, not written")
            .hint("write JSON, CSV or an XLSX workbook")),
    }
}

fn per_test(
    suite: &Suite,
    format: Format,
    write: impl Fn(&Suite, &TestCase) -> Result<Vec<u8>, WriteError>,
) -> Result<Vec<Output>, WriteError> {
    let suffixes = names::file_suffixes(&suite.tests, format.extension());
    let output = |(test, suffix)| Ok(Output { suffix, bytes: write(suite, test)? });
    suite.tests.iter().zip(suffixes).map(output).collect()
}
