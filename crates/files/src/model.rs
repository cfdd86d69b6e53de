//! Models that can be worked on.

use provoke_base::{Diagnostic, Error, SourceFile};
use provoke_model::System;
use serde::{Deserialize, Serialize};

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
pub struct RejectedModel {
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
    ) -> Result<Model, RejectedModel> {
        let read = provoke_lustre::load_assuming(file, main, assumptions);
        match read.system {
            Some(system) => Ok(Model { file: read.file, system }),
            None => Err(RejectedModel {
                diagnostics: read.diagnostics,
                about_assumptions: read.about_assumptions,
            }),
        }
    }
}

impl Model {
    /// An error if something in the model has values that nobody can set or predict: `what` needs tests
    /// that work for all of them.
    pub fn refuse_choices(&self, what: &str) -> Result<(), Error> {
        let Some(choice) = self.system.choices().next() else { return Ok(()) };
        let var = &self.system.vars[choice];
        let message =
            format!("{what} of a model with values that nobody defines is not supported yet");
        let error = Diagnostic::error("unsupported", var.span, message)
            .label("its value is not known")
            .help("define it, or make it an input; `provoke prove` takes the model as it is");
        Err(Error::in_text(&self.file, vec![error]))
    }
}

impl RejectedModel {
    /// What is wrong, as an error about a text.
    pub fn into_error(mut self, file: &SourceFile) -> Error {
        self.diagnostics.retain(Diagnostic::is_error);
        Error::in_text(file, self.diagnostics)
    }
}

/// A model as it is written.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct ModelText {
    /// What it is called, such as the name of its file.
    pub name: String,
    /// The text.
    pub text: String,
    /// The main node, if it is not the one that the text marks.
    pub main: Option<String>,
}

impl ModelText {
    /// A text whose main node is the one that it marks.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> ModelText {
        ModelText { name: name.into(), text: text.into(), main: None }
    }

    /// The model; the assumptions are expressions that hold in every step.
    pub fn read(&self, assumptions: &[String]) -> Result<Model, Error> {
        let file = SourceFile::new(self.name.as_str(), self.text.as_str());
        let model = Model::read(&file, self.main.as_deref(), assumptions);
        model.map_err(|rejected| rejected.into_error(&file))
    }
}
