//! What there is to say about a model before anything is done with it.

use provoke_base::{Diagnostic, Error, SourceFile};
use provoke_criteria::Counting;
use provoke_files::Model;
use provoke_results::{Check, Obligations, Schema};

use crate::assumptions;
use crate::design::listed_errors;
use crate::options::{CoverageTarget, MachineNumbers};
use crate::surely_wrong::surely_wrong;
use crate::tests::{describe, listed};

/// The errors and warnings of a text, its interface, and what its assertions leave of its runs. `main`
/// names the main node if it is not the one that the text marks.
pub fn check(file: &SourceFile, main: Option<&str>) -> (Check, Vec<Diagnostic>) {
    let mut loaded = provoke_lustre::load(file, main);
    let analysed = loaded.system.as_ref().map(assumptions::analysed);
    let analysed = analysed.and_then(|(found, analysis)| {
        loaded.diagnostics.extend(found);
        analysis
    });
    if let Some(system) = &loaded.system {
        loaded.diagnostics.extend(surely_wrong(file, system));
    }
    let mut result = Check::new(file, loaded.system.as_ref(), &loaded.diagnostics);
    result.assumption_analysis = analysed;
    (result, loaded.diagnostics)
}

/// The obligations that targets consist of on a model.
pub fn obligations(
    model: &Model,
    targets: &[CoverageTarget],
    counting: Counting,
) -> Result<Obligations, Error> {
    let Model { file, system } = model;
    let found = listed(file, system, targets, counting)?;
    let errors = match targets.contains(&CoverageTarget::Errors) {
        true => listed_errors(file, system, MachineNumbers::default()),
        false => Vec::new(),
    };
    let words: Vec<&str> = targets.iter().map(|target| target.word()).collect();
    Ok(Obligations {
        schema: Schema::default(),
        model: file.name.clone(),
        criterion: words.join(","),
        count: found.len() + errors.len(),
        obligations: found.iter().map(|one| describe(file, system, one)).collect(),
        errors,
    })
}
