//! Proves the properties of a model, or shows the inputs that break them.
//!
//! `cargo run --example prove -- models/traffic_light.lus`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows what it found")]

use std::error::Error;

use provoke::{Control, Model, SourceFile, WorkOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a model")?;
    let file = SourceFile::new(path.as_str(), std::fs::read_to_string(&path)?);
    let model = Model::read(&file, None, &[]).map_err(|_| "the model has errors")?;

    let work = WorkOptions { effort: Some(2), ..WorkOptions::default() };
    let proved = provoke::prove(&model, None, None, &work, &Control::new())?;

    for verdict in &proved.result.verdicts {
        println!("{} {}", verdict.id, verdict.verdict);
        let Some(name) = &verdict.test else { continue };
        let tests = &proved.counterexamples.tests;
        let run = tests.iter().find(|test| test.name == *name).ok_or("a run for each violation")?;
        for (step, row) in run.steps.iter().enumerate() {
            let inputs = model.system.inputs.iter().zip(&row.inputs);
            let shown = inputs.map(|(var, value)| {
                let var = &model.system.vars[*var];
                format!("{} = {}", var.name, value.show(var.ty, &model.system.enums))
            });
            println!("  step {}: {}", step + 1, shown.collect::<Vec<_>>().join(", "));
        }
    }
    Ok(())
}
