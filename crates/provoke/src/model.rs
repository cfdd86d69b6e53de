//! Models that can be worked on.

use provoke_base::{Diagnostic, SourceFile};
use provoke_model::System;

/// A model without errors.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its text, with a line behind it for each assumption that was added.
    pub file: SourceFile,
    /// What it does.
    pub system: System,
}

/// Why a text is no model that can be worked on.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// What is wrong with the text, and what may be.
    pub diagnostics: Vec<Diagnostic>,
    /// What is wrong with each of the assumptions.
    pub about_assumptions: Vec<Vec<Diagnostic>>,
}

impl Model {
    /// The model of a text. `main` names the main node if it is not the one that the text marks; the
    /// assumptions are expressions that hold in every step.
    pub fn read(
        file: &SourceFile,
        main: Option<&str>,
        assumptions: &[String],
    ) -> Result<Model, Rejected> {
        let read = provoke_lustre::load_assuming(file, main, assumptions);
        match read.system {
            Some(system) => Ok(Model { file: read.file, system }),
            None => Err(Rejected {
                diagnostics: read.diagnostics,
                about_assumptions: read.about_assumptions,
            }),
        }
    }
}
