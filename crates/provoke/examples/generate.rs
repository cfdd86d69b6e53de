//! Generates tests for a model and prints them as a table of comma-separated values.
//!
//! `cargo run --example generate -- models/wiper.lus`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows what it found")]

use std::error::Error;

use provoke::{Control, GenerateOptions, Model, SourceFile, WorkOptions};
use provoke_suite::Format;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a model")?;
    let file = SourceFile::new(path.as_str(), std::fs::read_to_string(&path)?);
    let model = Model::read(&file, None, &[]).map_err(|rejected| {
        let shown = rejected.diagnostics.iter().map(|found| found.render(&file, false));
        shown.collect::<String>()
    })?;

    // The same seed and effort give the same tests, on every machine.
    let work = WorkOptions { effort: Some(2), seed: 1, ..WorkOptions::default() };
    let options = GenerateOptions { work, ..GenerateOptions::default() };
    let generated = provoke::generate(&model, None, &options, &Control::new())?;

    let totals = &generated.result.obligations;
    println!(
        "{} of {} obligations are covered, {} cannot be, {} are unknown",
        totals.covered, totals.total, totals.infeasible, totals.unknown
    );
    for file in provoke_suite::write(&generated.suite, Format::Csv)? {
        print!("{}", String::from_utf8(file.bytes)?);
    }
    Ok(())
}
