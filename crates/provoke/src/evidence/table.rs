//! Tables that other commands or people wrote as CSV.

use std::path::Path;

use csv::ReaderBuilder;
use provoke_base::Error;

use crate::files;

/// The rows of a table with the lines they begin on; rows may be of different lengths.
pub(super) fn rows(path: &Path, limit: usize) -> Result<Vec<(u64, Vec<String>)>, Error> {
    let bytes = files::read(path, limit)?;
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(&*bytes);
    let mut rows = Vec::new();
    for record in reader.byte_records() {
        let record = record.map_err(|error| {
            let message = format!("{} is no table: {error}", path.display());
            Error::input(message, "write it as CSV, cells separated by commas")
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        let cell = |cell: &[u8]| String::from_utf8_lossy(cell).into_owned();
        rows.push((line, record.iter().map(cell).collect()));
    }
    Ok(rows)
}
