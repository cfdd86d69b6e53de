//! Watches a long search from outside, and ends it after half a second: what was found is kept.
//!
//! `cargo run --example cancel -- models/ward_pump.lus`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows what it found")]

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use provoke::{Control, Event, GenerateOptions, Model, SourceFile, WorkOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a model")?;
    let file = SourceFile::new(path.as_str(), std::fs::read_to_string(&path)?);
    let model = Model::read(&file, None, &[]).map_err(|_| "the model has errors")?;

    let heard = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&heard);
    let control = Control::new().listening(move |event| {
        if matches!(event, Event::Progress(_)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    });

    // An effort that would keep solvers busy for hours.
    let work = WorkOptions { effort: Some(100_000), ..WorkOptions::default() };
    let options = GenerateOptions { work, ..GenerateOptions::default() };
    let generated = std::thread::scope(|scope| {
        let work = scope.spawn(|| provoke::generate(&model, None, &options, &control));
        std::thread::sleep(Duration::from_millis(500));
        control.cancel();
        work.join().expect("no panic")
    })?;

    let totals = &generated.result.obligations;
    println!("interrupted: {}", generated.result.interrupted);
    println!("progress was told: {}", heard.load(Ordering::Relaxed) > 0);
    println!("tests were found: {}", totals.covered > 0 && !generated.suite.tests.is_empty());
    Ok(())
}
