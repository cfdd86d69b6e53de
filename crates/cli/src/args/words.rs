//! Words of the command line that several commands understand.

use std::time::Duration;

use provoke_base::words::Words;

/// One of a list of words.
pub(super) fn word<T: Words>(word: &str) -> Result<T, String> {
    T::read(word)
}

/// A number from 0 to 100, with or without a per cent sign.
pub(super) fn percentage(word: &str) -> Result<f64, String> {
    match word.trim_end_matches('%').parse::<f64>() {
        Ok(number) if (0.0..=100.0).contains(&number) => Ok(number),
        _ => Err("a number from 0 to 100".to_string()),
    }
}

/// `500ms`, `60s` or `10m`.
pub(super) fn duration(word: &str) -> Result<Duration, String> {
    provoke::project::parse_duration(word)
}
