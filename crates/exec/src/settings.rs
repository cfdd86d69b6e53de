//! Files that users write as TOML, and where their words stand.

use provoke_base::{Diagnostic, SourceFile, Span};
use serde::de::DeserializeOwned;

/// Reads a file; what is wrong with it gets the code and the help of its kind.
pub fn read<T: DeserializeOwned>(
    file: &SourceFile,
    code: &'static str,
    help: &str,
) -> Result<T, Vec<Diagnostic>> {
    toml_edit::de::from_str(&file.text).map_err(|error| {
        let range = error.span().unwrap_or(0..0);
        let message = error.message().trim().replace('\n', "; ");
        let span = Span::new(range.start, range.end);
        vec![Diagnostic::error(code, span, message).help(help)]
    })
}

/// Where a key or name is written first.
pub fn place(file: &SourceFile, key: &str) -> Span {
    match file.text.find(key) {
        Some(start) if !key.is_empty() => Span::new(start, start + key.len()),
        _ => Span::new(0, 0),
    }
}
