//! The file formats of suites, and how to tell which one a file is in.

/// A file format of suites.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// Provoke's own: everything a suite holds.
    Json,
    /// One table of all tests, the first column `test` names the test.
    Csv,
    /// One table per test, one file each.
    CsvPerTest,
    /// The inputs of one test as Kind 2's interpreter reads them, one file per test.
    Kind2,
    /// Waves for GTKWave and Surfer, one file per test; written only.
    Vcd,
    /// A workbook with one sheet per test.
    Xlsx,
    /// SCADE scenarios, all tests in one file, which is for keeping, not for running.
    Scade,
    /// SCADE scenarios, one file per test, as SCADE runs them.
    ScadePerTest,
    /// The counterexamples in JKind's XML results; read only.
    JkindXml,
}

provoke_base::words!(Format {
    Json = "json",
    Csv = "csv",
    CsvPerTest = "csv-per-test",
    Kind2 = "kind2",
    Vcd = "vcd",
    Xlsx = "xlsx",
    Scade = "sss",
    ScadePerTest = "sss-per-test",
    JkindXml = "jkind-xml",
});

impl Format {
    /// The file name extension, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Json | Format::Kind2 => "json",
            Format::Csv | Format::CsvPerTest => "csv",
            Format::Vcd => "vcd",
            Format::Xlsx => "xlsx",
            Format::Scade | Format::ScadePerTest => "sss",
            Format::JkindXml => "xml",
        }
    }

    /// Whether suites can be read from it.
    pub fn is_read(self) -> bool {
        self != Format::Vcd
    }

    /// Whether suites can be written to it.
    pub fn is_written(self) -> bool {
        self != Format::JkindXml
    }

    /// The format that a file name's extension stands for when a suite is written.
    pub fn from_name(name: &str) -> Option<Format> {
        let (_, extension) = name.rsplit_once('.')?;
        let extension = extension.to_ascii_lowercase();
        Format::ALL.into_iter().find(|format| format.extension() == extension)
    }

    /// The format of a file that is to be read: its extension decides, and where that is
    /// unknown or stands for several formats, its content.
    pub fn detect(name: &str, bytes: &[u8]) -> Option<Format> {
        match Format::from_name(name) {
            Some(Format::Json) | None => Format::from_content(bytes),
            known => known,
        }
    }

    fn from_content(bytes: &[u8]) -> Option<Format> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let text = bytes.trim_ascii_start();
        let is_scade = |line: &[u8]| line.trim_ascii_start().starts_with(b"SSM::");
        match text.first()? {
            b'{' => Some(Format::Json),
            b'[' => Some(Format::Kind2),
            b'<' => Some(Format::JkindXml),
            b'$' => Some(Format::Vcd),
            _ if bytes.starts_with(b"PK\x03\x04") => Some(Format::Xlsx),
            _ if bytes.contains(&0) => None,
            _ if text.split(|&byte| byte == b'\n').any(is_scade) => Some(Format::Scade),
            _ => Some(Format::Csv),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides_where_it_stands_for_one_format() {
        let detect = |name, bytes: &str| Format::detect(name, bytes.as_bytes());
        assert_eq!(detect("a/b.csv", "[x]"), Some(Format::Csv));
        assert_eq!(detect("b.XLSX", ""), Some(Format::Xlsx));
        assert_eq!(detect("b.sss", "x"), Some(Format::Scade));
        assert_eq!(detect("b.xml", ""), Some(Format::JkindXml));
        assert_eq!(detect("b.json", " {"), Some(Format::Json));
        assert_eq!(detect("b.json", " [{}]"), Some(Format::Kind2));
    }

    #[test]
    fn the_content_decides_where_the_extension_does_not() {
        let detect = |bytes: &[u8]| Format::detect("-", bytes);
        assert_eq!(detect(b"PK\x03\x04..."), Some(Format::Xlsx));
        assert_eq!(detect(b"\xef\xbb\xbf{}"), Some(Format::Json));
        assert_eq!(detect(b"<?xml version='1.0'?>"), Some(Format::JkindXml));
        assert_eq!(detect(b"# by hand\nSSM::set x 1\n"), Some(Format::Scade));
        assert_eq!(detect(b"$timescale 1 ns $end"), Some(Format::Vcd));
        assert_eq!(detect(b"x,y\n1,2\n"), Some(Format::Csv));
        assert_eq!(detect(b"x\0y"), None);
        assert_eq!(detect(b""), None);
    }

    #[test]
    fn words_name_formats_uniquely() {
        for format in Format::ALL {
            assert_eq!(Format::named(format.word()), Some(format));
        }
        assert_eq!(Format::named("pdf"), None);
    }
}
