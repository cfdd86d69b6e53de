//! Bytes as text, and names of files as names of tests.

use std::borrow::Cow;

/// The text of a file: UTF-8 with or without a byte order mark, else ISO-8859-1, which older
/// tools write.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| byte as char).collect()),
    }
}

/// A file's name without folders and extension.
pub(crate) fn title(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let title = file.rsplit_once('.').map_or(file, |(title, _)| title);
    if title.is_empty() || title == "-" { "test" } else { title }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_file_names_without_folder_and_extension() {
        let names = ["out/brake.late.csv", "C:\\x\\a.json", "-", "", "plain"];
        assert_eq!(names.map(title), ["brake.late", "a", "test", "test", "plain"]);
    }

    #[test]
    fn text_may_be_utf8_with_a_mark_or_latin1() {
        assert_eq!(decode(b"\xef\xbb\xbfa"), "a");
        assert_eq!(decode(b"caf\xe9"), "café");
    }
}
