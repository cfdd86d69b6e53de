//! Measures what tests cover, and says why the rest is not.
//!
//! `cargo run --example measure -- models/wiper.lus tests.csv`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows what it found")]

use std::error::Error;

use provoke::{
    Control, CoverageTarget, Fill, MeasureOptions, Model, SourceFile, TestedModel, tests,
};
use provoke_criteria::{Counting, Criterion};

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = std::env::args().skip(1);
    let (model, suite) = paths.next().zip(paths.next()).ok_or("name a model and its tests")?;
    let file = SourceFile::new(model.as_str(), std::fs::read_to_string(&model)?);
    let model = Model::read(&file, None, &[]).map_err(|_| "the model has errors")?;

    let read = tests::read(&suite, &std::fs::read(&suite)?, None, &model.system)?;
    let control = Control::new().listening(|event| eprintln!("{event:?}"));
    let suite = tests::prepared(read, &model.system, Fill::Hold, 0, &control);

    let targets =
        ["mcdc", "omcdc"].map(|word| Criterion::named(word).map(CoverageTarget::Criterion));
    let targets: Vec<CoverageTarget> = targets.into_iter().flatten().collect();
    let tested = TestedModel::new(model, suite, &targets, Counting::Published, "output")?;
    let measured = provoke::measure(&tested, &MeasureOptions::default())?;

    for part in &measured.parts {
        println!("{} {}: {} of {}", part.criterion, part.node, part.covered, part.total);
    }
    for reason in &measured.reasons {
        println!("{}: {}", reason.id, reason.explanation);
    }
    Ok(())
}
