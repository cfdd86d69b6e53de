//! The models of a study, in all shapes that are asked for.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use provoke_base::SourceFile;
use provoke_lustre::{print, transform};
use provoke_model::System;
use provoke_mutate::{Mutant, REPLACEMENTS, mutants, sample};
use provoke_study::{Anatomy, Form};

use crate::args::StudyArgs;
use crate::files;
use crate::outcome::Failure;
use crate::output::Output;

/// How many models are enough when it has to be quick.
const QUICK: usize = 3;

/// Larger texts, in expressions, are not studied: inlining may double a model at each variable.
const MAX_EXPRESSIONS: usize = 200_000;

/// A model in one shape.
pub(crate) struct Studied {
    pub(crate) model: String,
    pub(crate) form: Form,
    pub(crate) file: SourceFile,
    pub(crate) system: System,
    mutants: OnceLock<Vec<Mutant>>,
}

impl Studied {
    fn new(model: &str, form: Form, file: SourceFile, system: System) -> Studied {
        Studied { model: model.to_string(), form, file, system, mutants: OnceLock::new() }
    }

    /// The model as a text of another shape: what is studied is what a user could have written.
    fn reshaped(&self, form: Form) -> Result<Studied, String> {
        let system = match form {
            Form::Given => self.system.clone(),
            Form::Inlined => transform::inline(&self.system),
            Form::Split => transform::split(&self.system),
        };
        let text = print::print(&system)
            .map_err(|too_long| format!("would have {} expressions", too_long.expressions))?;
        let file = SourceFile::new(format!("{} ({})", self.file.name, form.word()), text);
        let system = provoke_lustre::load(&file, None).system;
        let system = system.ok_or("cannot be read back")?;
        match system.exprs.len() {
            many if many > MAX_EXPRESSIONS => Err(format!("would have {many} expressions")),
            _ => Ok(Studied::new(&self.model, form, file, system)),
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
    pub(crate) fn anatomy(&self) -> Anatomy {
        Anatomy::of(&self.model, self.form, &self.system)
    }
}

/// All models, each in its shapes.
pub(crate) struct Subjects {
    pub(crate) all: Vec<Studied>,
    /// What is not studied, and why.
    pub(crate) left_out: Vec<String>,
}

impl Subjects {
    /// Reads the models that the arguments name.
    pub(crate) fn load(
        args: &StudyArgs,
        forms: &[Form],
        output: &Output,
    ) -> Result<Subjects, Failure> {
        let mut given = Vec::new();
        for path in paths(&args.models)? {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let (file, system) = files::model(&path, None, output)?;
            if given.iter().any(|other: &Studied| other.model == name) {
                let message = format!("two models are called {name}");
                return Err(Failure::input(
                    message,
                    "rename one: tables tell models by their names",
                ));
            }
            given.push(Studied::new(&name, Form::Given, file, system));
        }
        if args.quick {
            given.sort_by_key(|studied| studied.system.equations.len());
            given.truncate(QUICK);
        }
        let mut subjects = Subjects { all: Vec::new(), left_out: Vec::new() };
        given.into_iter().for_each(|given| subjects.take(given, forms));
        subjects.left_out.iter().for_each(|what| output.warning(what));
        Ok(subjects)
    }

    fn take(&mut self, given: Studied, forms: &[Form]) {
        let model = given.model.clone();
        if given.mutants(1, 0).is_empty() {
            self.left_out.push(format!("{model} is left out: it has nothing to mutate"));
            return;
        }
        let others = forms.iter().filter(|form| **form != Form::Given);
        let others: Vec<_> = others.map(|form| (form.word(), given.reshaped(*form))).collect();
        if forms.contains(&Form::Given) {
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
    pub(super) fn of(&self, model: &str, form: Form) -> &Studied {
        let is_it = |studied: &&Studied| studied.model == model && studied.form == form;
        self.all.iter().find(is_it).expect("cases are about what is studied")
    }

    /// The names of the models, each once.
    pub(crate) fn models(&self) -> Vec<&str> {
        let mut models: Vec<&str> = self.all.iter().map(|studied| studied.model.as_str()).collect();
        models.dedup();
        models
    }
}

/// The files that are named, and those of the folders that are, in order.
fn paths(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut all = Vec::new();
    for path in named {
        match path.is_dir() {
            true => all.extend(models_in(path)?),
            false => all.push(path.clone()),
        }
    }
    Ok(all)
}

fn models_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = std::fs::read_dir(folder).map_err(|error| {
        let message = format!("cannot list {}: {error}", folder.display());
        Failure::input(message, "name a folder that may be read")
    })?;
    let is_model = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "lus");
    let mut found: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_model).collect();
    found.sort();
    match found.is_empty() {
        true => {
            let message = format!("{} holds no models", folder.display());
            Err(Failure::input(message, "models are files whose names end in .lus"))
        }
        false => Ok(found),
    }
}
