//! Generates tests by simulation alone, and keeps as few of them as cover the same.
//!
//! `cargo run --example reduce -- models/elevator.lus`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows what it found")]

use std::error::Error;

use provoke::{
    Control, GenerateOptions, GenerationMethod, Model, ReduceOptions, Reduction, ReductionChoice,
    ReductionUnit, SourceFile, TestedModel, WorkOptions,
};
use provoke_criteria::{Counting, Masking};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a model")?;
    let file = SourceFile::new(path.as_str(), std::fs::read_to_string(&path)?);
    let model = Model::read(&file, None, &[]).map_err(|_| "the model has errors")?;

    let options = GenerateOptions {
        method: GenerationMethod::Random,
        reduction: None,
        work: WorkOptions { effort: Some(2), ..WorkOptions::default() },
        ..GenerateOptions::default()
    };
    let generated = provoke::generate(&model, None, &options, &Control::new())?;
    let (targets, suite) = (&options.targets, generated.suite);
    let tested = TestedModel::new(model, suite, targets, Counting::Published, "output")?;

    let method = Reduction::Exact;
    let choice =
        ReductionChoice { method, by: ReductionUnit::Tests, effort: 1_000, seed: 0, repeat: 1 };
    let options = ReduceOptions { choice, masking: Masking::Strict, trim: true };
    let (result, smaller) = provoke::reduce(&tested, &options);

    println!("{} obligations are covered before and after", result.covered);
    println!("{} tests, {} steps before", result.before.tests, result.before.steps);
    println!("{} tests, {} steps after", smaller.tests.len(), result.after.steps);
    Ok(())
}
