//! Words of the command line that several commands understand.

use std::time::Duration;

use provoke_criteria::{Criterion, ExactChange, Masking};
use provoke_testgen::GenerationMethod;

pub(super) fn masking(word: &str) -> Result<Masking, String> {
    let known: Vec<_> = Masking::ALL.iter().map(|masking| masking.word()).collect();
    Masking::named(word).ok_or_else(|| format!("the readings are {}", known.join(", ")))
}

pub(super) fn exact(word: &str) -> Result<ExactChange, String> {
    ExactChange::named(word).ok_or_else(|| "choose step or stuck".to_string())
}

pub(super) fn criterion(word: &str) -> Result<Criterion, String> {
    let known: Vec<_> = Criterion::ALL.iter().map(|criterion| criterion.word()).collect();
    Criterion::named(word).ok_or_else(|| format!("the criteria are {}", known.join(", ")))
}

pub(super) fn method(word: &str) -> Result<GenerationMethod, String> {
    let known: Vec<_> = GenerationMethod::ALL.iter().map(|method| method.word()).collect();
    GenerationMethod::named(word).ok_or_else(|| format!("the methods are {}", known.join(", ")))
}

pub(super) fn suite_format(word: &str) -> Result<provoke_suite::Format, String> {
    provoke_suite::Format::named(word).ok_or_else(|| {
        let known: Vec<_> = provoke_suite::Format::ALL.iter().map(|format| format.word()).collect();
        format!("the formats are {}", known.join(", "))
    })
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
    let split = word.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(word.len());
    let (number, unit) = word.split_at(split);
    let seconds = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err("write a time such as 500ms, 60s or 10m".to_string()),
    };
    match number.parse::<f64>() {
        Ok(number) if (0.0..1e9).contains(&number) => Ok(Duration::from_secs_f64(number * seconds)),
        _ => Err("write a time such as 500ms, 60s or 10m".to_string()),
    }
}
