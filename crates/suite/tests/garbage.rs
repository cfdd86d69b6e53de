//! No bytes make a reader panic: random bytes, random words of each format, and files of
//! ours with a few bytes changed.

mod common;

use std::io::{Cursor, Read, Write};

use common::{example, system_of, write_all};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use provoke_suite::{Format, Typing, read, write};

/// Reads with and without a model, and writes whatever was understood.
fn survive(bytes: &[u8], format: Option<Format>) {
    let system = system_of(&example());
    for typing in [Typing::Infer, Typing::System(&system)] {
        if let Ok(read) = read("file", bytes, format, typing) {
            for format in [Format::Json, Format::Csv, Format::Kind2, Format::Vcd, Format::Scade] {
                let _ = write(&read.suite, format);
            }
        }
    }
}

fn words_of(words: &'static [&'static str]) -> impl Strategy<Value = String> {
    proptest::collection::vec(select(words), 0..60).prop_map(|words| words.concat())
}

const CSV: &[&str] = &[
    "x", "go", "test", ",", ",", "\n", "\r\n", "\n\n", "\"", "1", "1/3", "true", " ", ";", "\t",
    "1e9999", "\r", "OFF", "-",
];

const JSON: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"in\"",
    "\"out\"",
    "\"steps\"",
    "\"tests\"",
    "\"inputs\"",
    "\"name\"",
    "\"type\"",
    "\"enum {A, B}\"",
    "\"int\"",
    "\"go\"",
    "1",
    "true",
    "null",
    "\"1/3\"",
    "1e999",
    "{\"steps\":[{\"in\":{",
    "}}]}",
    "[{\"a\":",
];

const SCADE: &[&str] = &[
    "SSM::set ",
    "SSM::check ",
    "SSM::cycle",
    "SSM::uncheck ",
    "SSM::alias ",
    "# provoke ",
    "# test ",
    "# any ",
    "# exact ",
    "# covers ",
    "x ",
    "Root/go ",
    "{",
    "}",
    "\"",
    "1",
    " 3",
    "\n",
    "\n",
    "\\\n",
    "sustain=",
    "forever",
    "?",
    "{\"inputs\":[{\"name\":\"x\",\"type\":\"int\"}]}\n",
    "é",
];

const XML: &[&str] = &[
    "<Results>",
    "</Results>",
    "<Property name='p'>",
    "</Property>",
    "<Counterexample>",
    "</Counterexample>",
    "<Signal name='x' type='int'>",
    "<Signal name='y'>",
    "</Signal>",
    "<Value time='0'>",
    "<Value time='7'>",
    "</Value>",
    "1",
    "a",
    "<K>3</K>",
    "<Interval low='1'/>",
    "<!DOCTYPE a [<!ENTITY b 'c'>]>",
    "&b;",
    "&lt;",
];

proptest! {
    #[test]
    fn random_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        survive(&bytes, None);
        for format in Format::ALL {
            survive(&bytes, Some(format));
        }
    }

    #[test]
    fn random_tables_are_survived(text in words_of(CSV)) {
        survive(text.as_bytes(), Some(Format::Csv));
    }

    #[test]
    fn random_json_is_survived(text in words_of(JSON)) {
        survive(text.as_bytes(), Some(Format::Json));
        survive(text.as_bytes(), Some(Format::Kind2));
    }

    #[test]
    fn random_scenarios_are_survived(text in words_of(SCADE)) {
        survive(text.as_bytes(), Some(Format::Scade));
    }

    #[test]
    fn random_xml_is_survived(text in words_of(XML)) {
        survive(text.as_bytes(), Some(Format::JkindXml));
    }

    #[test]
    fn changed_files_are_survived(
        which in any::<Index>(),
        changes in proptest::collection::vec((any::<Index>(), any::<u8>()), 1..5),
    ) {
        let formats = [Format::Json, Format::Csv, Format::Kind2, Format::Scade, Format::Xlsx];
        let format = formats[which.index(formats.len())];
        let mut bytes = write_all(&example(), format).remove(0).bytes;
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        survive(&bytes, Some(format));
    }
}

/// Changes the parts of a workbook before they are packed, behind the archive's checksums.
fn with_changed_parts(bytes: &[u8], change: impl Fn(&str, &mut Vec<u8>)) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut changed = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).unwrap();
        let mut content = Vec::new();
        part.read_to_end(&mut content).unwrap();
        let name = part.name().unwrap().to_string();
        change(&name, &mut content);
        changed.start_file(&*name, zip::write::SimpleFileOptions::default()).unwrap();
        changed.write_all(&content).unwrap();
    }
    changed.finish().unwrap().into_inner()
}

const SHEET: &[&str] = &[
    "<",
    ">",
    "/",
    "\"",
    "<c r=\"A1\">",
    "</c>",
    "<c>",
    "<v>",
    "</v>",
    "r=\"ZZZZZZZ1\"",
    "t=\"s\"",
    "r=\"A99999999999\"",
    "r=\"XFD1048576\"",
    "<row r=\"4294967295\">",
    "<row r=\"0\">",
    "</row>",
    "99999999999999999999",
    "-1",
    "1e999",
    "NaN",
    "&#0;",
    "&x;",
    "<sheetData>",
    "</sheetData>",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn changed_parts_of_workbooks_are_survived(
        part in select(vec!["sheet1.xml", "sheet2.xml", "sharedStrings.xml", "workbook.xml", "rels", "styles.xml"]),
        changes in proptest::collection::vec((any::<Index>(), select(SHEET), 0..20_usize), 1..4),
    ) {
        let bytes = write_all(&example(), Format::Xlsx).remove(0).bytes;
        let bytes = with_changed_parts(&bytes, |name, content| {
            if name.ends_with(part) {
                for (place, word, removed) in &changes {
                    let start = place.index(content.len());
                    let end = (start + removed).min(content.len());
                    content.splice(start..end, word.bytes());
                }
            }
        });
        survive(&bytes, Some(Format::Xlsx));
    }
}
