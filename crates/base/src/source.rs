//! Source files and places in them.

/// A half-open range of bytes of a [`SourceFile`]'s text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

impl Span {
    /// The span from byte `start` up to byte `end`.
    pub fn new(start: usize, end: usize) -> Span {
        Span { start: start as u32, end: end as u32 }
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span right behind this one.
    pub fn after(self) -> Span {
        Span { start: self.end, end: self.end }
    }

    /// The span as a range of byte offsets.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A named text with an index of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The name shown to the user.
    pub name: String,
    /// The text; spans are byte offsets into it.
    pub text: String,
    line_starts: Vec<u32>,
    /// Whether every character is one byte, so that columns need not be counted.
    is_ascii: bool,
}

/// A place as people count: both from 1, columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LineColumn {
    /// Line number.
    pub line: usize,
    /// Column number.
    pub column: usize,
}

impl SourceFile {
    /// The largest text that is read as a model.
    pub const MAX_BYTES: usize = 16 << 20;

    /// A file called `name` that holds `text`.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> SourceFile {
        let text = text.into();
        let newlines = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let line_starts = std::iter::once(0).chain(newlines.map(|(i, _)| i as u32 + 1)).collect();
        let is_ascii = text.is_ascii();
        SourceFile { name: name.into(), text, line_starts, is_ascii }
    }

    /// A file from raw bytes: UTF-8, else ISO-8859-1, which older translators write.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> SourceFile {
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|error| error.into_bytes().iter().map(|&byte| byte as char).collect());
        SourceFile::new(name, text)
    }

    /// The text that `span` covers.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// Line and column of a byte offset.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let line = self.line_starts.partition_point(|&start| start <= offset);
        let start = self.line_starts[line - 1] as usize;
        let before = self.text.get(start..offset as usize).unwrap_or("");
        let column = if self.is_ascii { before.len() } else { before.chars().count() };
        LineColumn { line, column: column + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_characters_from_one() {
        let file = SourceFile::new("f", "ab\né=c\n");
        let at = |offset| {
            let place = file.line_column(offset);
            (place.line, place.column)
        };
        assert_eq!([at(0), at(2), at(3), at(5), at(7)], [(1, 1), (1, 3), (2, 1), (2, 2), (2, 4)]);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_read_as_latin1() {
        let file = SourceFile::from_bytes("f", b"caf\xe9".to_vec());
        assert_eq!(file.text, "café");
    }
}
