//! Plants faults in a model and tells which of them generated tests do not find.
//!
//! `cargo run --example mutate -- models/wiper.lus`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows what it found")]

use std::error::Error;

use provoke::{Control, GenerateOptions, Model, MutateOptions, SourceFile, WorkOptions};
use provoke_results::MutantWord;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a model")?;
    let file = SourceFile::new(path.as_str(), std::fs::read_to_string(&path)?);
    let model = Model::read(&file, None, &[]).map_err(|_| "the model has errors")?;
    let control = Control::new();

    let work = WorkOptions { effort: Some(2), ..WorkOptions::default() };
    let options = GenerateOptions { work: work.clone(), ..GenerateOptions::default() };
    let generated = provoke::generate(&model, None, &options, &control)?;

    let options = MutateOptions { equivalence: true, work, ..MutateOptions::default() };
    let mutation = provoke::mutate(model, generated.suite, &options, &control)?;

    let result = &mutation.result;
    println!(
        "{} mutants: {} killed, {} equivalent, {} survive",
        result.mutants, result.killed, result.equivalent, result.survived
    );
    let survivors = result.results.iter().filter(|one| one.status == MutantWord::Survived);
    for mutant in survivors {
        println!("{}: {} ({})", mutant.id, mutant.text, mutant.reason);
    }
    Ok(())
}
