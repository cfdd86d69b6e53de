//! The models of a study, in all shapes that are asked for.

use std::sync::OnceLock;

use provoke_base::{Control, Error, SourceFile};
use provoke_files::{Model, ModelText};
use provoke_lustre::{print, transform};
use provoke_model::System;
use provoke_mutate::{Mutant, REPLACEMENTS, mutants, sample};

use crate::anatomy::Anatomy;
use crate::case::ModelForm;

/// How many models are enough when it has to be quick.
const QUICK: usize = 3;

/// Larger texts, in expressions, are not studied: inlining may double a model at each variable.
const MAX_EXPRESSIONS: usize = 200_000;

/// A model in one shape.
pub(super) struct StudyModel {
    pub(super) model: String,
    pub(super) form: ModelForm,
    pub(super) file: SourceFile,
    pub(super) system: System,
    mutants: OnceLock<Vec<Mutant>>,
}

impl StudyModel {
    fn new(model: &str, form: ModelForm, file: SourceFile, system: System) -> StudyModel {
        StudyModel { model: model.to_string(), form, file, system, mutants: OnceLock::new() }
    }

    /// The model as a text of another shape: what is studied is what a user could have written.
    fn reshaped(&self, form: ModelForm) -> Result<StudyModel, String> {
        let system = match form {
            ModelForm::Given => self.system.clone(),
            ModelForm::Inlined => transform::inline(&self.system),
            ModelForm::Split => transform::split(&self.system),
        };
        let text = print::print(&system)
            .map_err(|too_long| format!("would have {} expressions", too_long.expressions))?;
        let file = SourceFile::new(format!("{} ({})", self.file.name, form.word()), text);
        let system = provoke_lustre::load(&file, None).system;
        let system = system.ok_or("cannot be read back")?;
        match system.exprs.len() {
            many if many > MAX_EXPRESSIONS => Err(format!("would have {many} expressions")),
            _ => Ok(StudyModel::new(&self.model, form, file, system)),
        }
    }

    /// Some of the mutants that are programs to be tested.
    pub(super) fn mutants(&self, size: usize, seed: u64) -> Vec<Mutant> {
        let all = self.mutants.get_or_init(|| {
            let mut all = mutants(&self.system, Some(&self.file), REPLACEMENTS);
            all.retain(|mutant| mutant.invalid.is_none());
            all
        });
        sample(all.clone(), size, seed)
    }

    /// The numbers that the tables give of it.
    pub(super) fn anatomy(&self) -> Anatomy {
        Anatomy::of(&self.model, self.form, &self.system)
    }
}

/// All models, each in its shapes.
pub(super) struct Subjects {
    pub(super) all: Vec<StudyModel>,
    /// What is not studied, and why.
    pub(super) left_out: Vec<String>,
}

impl Subjects {
    /// Reads models, and brings them into their shapes; what is left out is told as a warning.
    pub(super) fn read(
        models: &[ModelText],
        quick: bool,
        forms: &[ModelForm],
        control: &Control,
    ) -> Result<Subjects, Error> {
        let mut given = Vec::new();
        for text in models {
            let name = &text.name;
            let Model { file, system } = text.read(&[])?;
            if given.iter().any(|other: &StudyModel| other.model == *name) {
                let message = format!("two models are called {name}");
                return Err(Error::input(message, "rename one: tables tell models by their names"));
            }
            given.push(StudyModel::new(name, ModelForm::Given, file, system));
        }
        if quick {
            given.sort_by_key(|studied| studied.system.equations.len());
            given.truncate(QUICK);
        }
        let mut subjects = Subjects { all: Vec::new(), left_out: Vec::new() };
        given.into_iter().for_each(|given| subjects.take(given, forms));
        subjects.left_out.iter().for_each(|what| control.warn(what));
        Ok(subjects)
    }

    fn take(&mut self, given: StudyModel, forms: &[ModelForm]) {
        let model = given.model.clone();
        if given.mutants(1, 0).is_empty() {
            self.left_out.push(format!("{model} is left out: it has nothing to mutate"));
            return;
        }
        let others = forms.iter().filter(|form| **form != ModelForm::Given);
        let others: Vec<_> = others.map(|form| (form.word(), given.reshaped(*form))).collect();
        if forms.contains(&ModelForm::Given) {
            self.all.push(given);
        }
        for (form, reshaped) in others {
            match reshaped {
                Ok(studied) => self.all.push(studied),
                Err(why) => self.left_out.push(format!("{model} ({form}) is left out: it {why}")),
            }
        }
    }

    /// A model in a shape, which is part of the study.
    pub(super) fn of(&self, model: &str, form: ModelForm) -> &StudyModel {
        let is_it = |studied: &&StudyModel| studied.model == model && studied.form == form;
        self.all.iter().find(is_it).expect("cases are about what is studied")
    }

    /// The names of the models, each once.
    pub(super) fn models(&self) -> Vec<&str> {
        let mut models: Vec<&str> = self.all.iter().map(|studied| studied.model.as_str()).collect();
        models.dedup();
        models
    }
}
