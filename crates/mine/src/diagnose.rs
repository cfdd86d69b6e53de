//! Where a word of a file is.

use provoke_base::{SourceFile, Span};

/// Where a key or name is written first.
pub(crate) fn place(file: &SourceFile, key: &str) -> Span {
    match file.text.find(key) {
        Some(start) if !key.is_empty() => Span::new(start, start + key.len()),
        _ => Span::new(0, 0),
    }
}
