//! The cells of an XLSX workbook: an archive of XML parts, of which we need the list of
//! sheets, the shared texts and the sheets. By hand, because calamine 0.38 panics on some
//! broken files, and because a small archive can be made to unpack to gigabytes.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::{Cursor, Read};

use roxmltree::{Document, Node, ParsingOptions};
use zip::ZipArchive;
use zip::result::ZipError;

use crate::error::{ReadError, excerpt};
use crate::notation::double_text;
use crate::table::{MAX_TEXT, too_much_text};
use crate::text::decode;

/// The most bytes that a workbook may unpack to.
const MAX_UNPACKED: u64 = 2 * crate::MAX_BYTES as u64;

/// A cell is two elements and a text; each takes about 80 bytes of memory.
const MAX_NODES: u32 = 10_000_000;

/// What a sheet can have.
const MAX_COLUMNS: usize = 16_384;
const MAX_ROWS: usize = 1_048_576;

/// A workbook that is open for reading.
pub(crate) struct Book<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// The names of the sheets in their order.
    sheets: Vec<String>,
    /// The sheets' parts of the archive.
    parts: HashMap<String, String>,
    shared: Vec<String>,
    unpacked_left: u64,
    text_left: usize,
}

impl<'a> Book<'a> {
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Book<'a>, ReadError> {
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(unreadable)?;
        let mut book = Book {
            archive,
            sheets: Vec::new(),
            parts: HashMap::new(),
            shared: Vec::new(),
            unpacked_left: MAX_UNPACKED,
            text_left: MAX_TEXT,
        };
        book.read_contents()?;
        Ok(book)
    }

    pub(crate) fn sheet_names(&self) -> Vec<String> {
        self.sheets.clone()
    }

    /// Calls `see` with row, column and text of every cell that holds something.
    pub(crate) fn for_each_cell(
        &mut self,
        sheet: &str,
        mut see: impl FnMut(usize, usize, &str) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let Some(part) = self.parts.get(sheet).cloned() else {
            return Err(unreadable(format!("there is no sheet `{}`", excerpt(sheet))));
        };
        let text = self.part(&part)?;
        let document = parse(&text)?;
        let data = children(document.root_element(), "sheetData");
        let mut place = CellPlace { row: 0, column: 0 };
        for row in data.flat_map(|data| children(data, "row")) {
            place.enter_row(row)?;
            for cell in children(row, "c") {
                place.enter_cell(cell)?;
                let text = cell_text(cell, &self.shared)?;
                if !text.is_empty() {
                    let left = self.text_left.checked_sub(text.len());
                    self.text_left = left.ok_or_else(too_much_text)?;
                    see(place.row, place.column, &text)?;
                }
                place.column += 1;
            }
            place.row += 1;
        }
        Ok(())
    }

    /// Finds the sheets and reads the shared texts.
    fn read_contents(&mut self) -> Result<(), ReadError> {
        let root = self.relations("_rels/.rels", "")?;
        let main = root.values().find(|relation| relation.kind == "officeDocument");
        let main = main.map_or("xl/workbook.xml", |relation| &relation.part).to_string();
        let (folder, file) = main.rsplit_once('/').unwrap_or(("", &main));
        let relations = self.relations(&join(folder, &format!("_rels/{file}.rels")), folder)?;
        let text = self.part(&main)?;
        let document = parse(&text)?;
        for sheet in descendants(document.root_element(), "sheet") {
            let id = sheet.attributes().find(|attribute| attribute.name() == "id");
            let relation = id.and_then(|id| relations.get(id.value()));
            if let (Some(name), Some(relation)) = (sheet.attribute("name"), relation)
                && relation.kind == "worksheet"
            {
                self.sheets.push(name.to_string());
                self.parts.insert(name.to_string(), relation.part.clone());
            }
        }
        let shared = relations.values().find(|relation| relation.kind == "sharedStrings");
        if let Some(relation) = shared {
            let text = self.part(&relation.part)?;
            let document = parse(&text)?;
            self.shared = children(document.root_element(), "si").map(rich_text).collect();
        }
        Ok(())
    }

    /// The relations that a part of the archive lists, by their ids.
    fn relations(
        &mut self,
        part: &str,
        folder: &str,
    ) -> Result<BTreeMap<String, Relation>, ReadError> {
        let text = self.part(part)?;
        let document = parse(&text)?;
        let relation = |node: Node<'_, '_>| {
            let kind = node.attribute("Type")?.rsplit('/').next()?.to_string();
            let target = node.attribute("Target")?;
            let part = target.strip_prefix('/').map_or_else(|| join(folder, target), String::from);
            Some((node.attribute("Id")?.to_string(), Relation { kind, part }))
        };
        Ok(children(document.root_element(), "Relationship").filter_map(relation).collect())
    }

    /// Unpacks a part, but never more than is left to unpack: what the archive says of its
    /// sizes may be untrue.
    fn part(&mut self, name: &str) -> Result<String, ReadError> {
        let part = self.archive.by_name(name).map_err(|error| match error {
            ZipError::FileNotFound => {
                unreadable(format!("the part `{}` is missing", excerpt(name)))
            }
            error => unreadable(error),
        })?;
        let mut bytes = Vec::new();
        let size = part.take(self.unpacked_left + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        let Some(left) = self.unpacked_left.checked_sub(size as u64) else {
            let message = format!("the workbook unpacks to more than {} MB", MAX_UNPACKED >> 20);
            return Err(ReadError::new(message).hint("split the suite into several files"));
        };
        self.unpacked_left = left;
        Ok(decode(&bytes).into_owned())
    }
}

/// A part of the archive that another one refers to.
struct Relation {
    kind: String,
    part: String,
}

/// Row and column of a cell, counted from 0.
struct CellPlace {
    row: usize,
    column: usize,
}

impl CellPlace {
    fn enter_row(&mut self, row: Node<'_, '_>) -> Result<(), ReadError> {
        self.column = 0;
        if let Some(number) = row.attribute("r") {
            self.row = number
                .parse::<usize>()
                .ok()
                .and_then(|number| number.checked_sub(1))
                .ok_or_else(|| unreadable(format!("`{}` is no row", excerpt(number))))?;
        }
        self.check()
    }

    fn enter_cell(&mut self, cell: Node<'_, '_>) -> Result<(), ReadError> {
        if let Some(reference) = cell.attribute("r") {
            let wrong = || unreadable(format!("`{}` is no cell", excerpt(reference)));
            (self.row, self.column) = row_and_column(reference).ok_or_else(wrong)?;
        }
        self.check()
    }

    fn check(&self) -> Result<(), ReadError> {
        if self.row < MAX_ROWS && self.column < MAX_COLUMNS {
            return Ok(());
        }
        Err(unreadable(format!("a sheet has {MAX_ROWS} rows and {MAX_COLUMNS} columns at most")))
    }
}

/// `B3` is row 2, column 1.
fn row_and_column(reference: &str) -> Option<(usize, usize)> {
    let digits = reference.find(|c: char| c.is_ascii_digit())?;
    let (letters, digits) = reference.split_at(digits);
    if letters.is_empty() || letters.len() > 3 || digits.len() > 7 {
        return None;
    }
    let digit = |letter: char| letter.to_digit(36).filter(|&digit| digit >= 10);
    let column = letters
        .chars()
        .try_fold(0, |column, letter| Some(column * 26 + digit(letter)? as usize - 9))?;
    Some((digits.parse::<usize>().ok()?.checked_sub(1)?, column - 1))
}

fn cell_text<'a>(cell: Node<'_, '_>, shared: &'a [String]) -> Result<Cow<'a, str>, ReadError> {
    let value = children(cell, "v").next().and_then(|value| value.text()).unwrap_or("");
    Ok(match cell.attribute("t").unwrap_or("n") {
        "s" => {
            let text = value.trim().parse().ok().and_then(|index: usize| shared.get(index));
            let missing = || unreadable(format!("there is no shared text {}", excerpt(value)));
            text.ok_or_else(missing)?.into()
        }
        "inlineStr" => children(cell, "is").map(rich_text).collect::<String>().into(),
        "b" if value.trim() == "1" => "true".into(),
        "b" if value.trim() == "0" => "false".into(),
        "n" => match value.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => double_text(number).into(),
            _ => value.to_string().into(),
        },
        _ => unescape(value).into(),
    })
}

fn parse(text: &str) -> Result<Document<'_>, ReadError> {
    let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(unreadable)
}

/// The children of that name, in whatever namespace: there are several dialects.
fn children<'a, 'b>(node: Node<'a, 'b>, name: &str) -> impl Iterator<Item = Node<'a, 'b>> {
    node.children().filter(move |child| child.tag_name().name() == name)
}

fn descendants<'a, 'b>(node: Node<'a, 'b>, name: &str) -> impl Iterator<Item = Node<'a, 'b>> {
    node.descendants().filter(move |child| child.tag_name().name() == name)
}

fn join(folder: &str, file: &str) -> String {
    if folder.is_empty() { file.to_string() } else { format!("{folder}/{file}") }
}

/// A text in one or several formats, without the hints for its pronunciation.
fn rich_text(node: Node<'_, '_>) -> String {
    let plain = children(node, "t");
    let runs = children(node, "r").flat_map(|run| children(run, "t"));
    let text: String = plain.chain(runs).filter_map(|part| part.text()).collect();
    unescape(&text)
}

/// Characters that XML cannot hold are written `_x0001_`.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("_x") {
        let (before, escape) = rest.split_at(start);
        plain.push_str(before);
        let code = escape.get(2..6).filter(|_| escape.get(6..7) == Some("_"));
        let code = code.and_then(|code| u32::from_str_radix(code, 16).ok());
        match code.and_then(char::from_u32) {
            Some(c) => {
                plain.push(c);
                rest = &escape[7..];
            }
            None => {
                plain.push_str("_x");
                rest = &escape[2..];
            }
        }
    }
    plain + rest
}

fn unreadable(error: impl std::fmt::Display) -> ReadError {
    ReadError::new(format!("not a readable XLSX workbook: {}", excerpt(&error.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_named_by_letters_and_digits() {
        let cases = [("A1", (0, 0)), ("Z9", (8, 25)), ("AA10", (9, 26)), ("XFD1", (0, 16_383))];
        for (reference, expected) in cases {
            assert_eq!(row_and_column(reference), Some(expected));
        }
        for wrong in ["", "A", "1", "A0", "AAAA1", "Ä1", "A1B", "A12345678"] {
            assert_eq!(row_and_column(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn escapes_stand_for_characters() {
        assert_eq!(unescape("a_x0041_b_x005F_x0041_"), "aAb_x0041_");
        assert_eq!(unescape("_x_x00_xäöü_"), "_x_x00_xäöü_");
    }
}
