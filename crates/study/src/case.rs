//! What is studied: one model in one shape, with one criterion.

use std::fmt;

use provoke_criteria::{Criterion, Masking};
use provoke_testgen::GenerationMethod;

/// The shape in which a model is studied.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ModelForm {
    /// As it was written.
    Given,
    /// Every local variable replaced by its definition.
    Inlined,
    /// One operator in each equation.
    Split,
}

provoke_base::words!(ModelForm {
    Given = "given",
    Inlined = "inlined",
    Split = "split",
});

/// What tables put side by side: the papers' datasets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Group {
    /// The shape of the models.
    pub form: ModelForm,
    /// How masking is read.
    pub masking: Masking,
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.form.word(), self.masking.word())
    }
}

/// One piece of work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StudyCase {
    /// The model's name.
    pub model: String,
    /// Its shape, and how masking is read.
    pub group: Group,
    /// What is asked of the tests.
    pub criterion: Criterion,
    /// How they are searched for.
    pub method: GenerationMethod,
    /// Which repetition it is, from 0 on.
    pub run: u64,
}

impl StudyCase {
    /// The case in whose place another may stand: only observability looks at the condition of
    /// an `if`, in which alone the strict reading of masking differs from the original one.
    pub fn shared(group: Group, criterion: Criterion) -> Group {
        match criterion.observable {
            true => group,
            false => Group { masking: Masking::Strict, ..group },
        }
    }
}

/// The cases of the study of observability (seed 004, section 4): all models, `forms` and
/// criteria, and the observable criteria with each reading of masking.
pub fn observability_cases<'m>(
    models: impl IntoIterator<Item = (&'m str, ModelForm)>,
    maskings: &[Masking],
    criteria: &[Criterion],
    method: GenerationMethod,
) -> Vec<StudyCase> {
    let mut cases: Vec<StudyCase> = Vec::new();
    for (model, form) in models {
        for &masking in maskings {
            for &criterion in criteria {
                let group = StudyCase::shared(Group { form, masking }, criterion);
                let case = StudyCase { model: model.to_string(), group, criterion, method, run: 0 };
                if !cases.contains(&case) {
                    cases.push(case);
                }
            }
        }
    }
    cases
}

/// The cases of the study of incremental generation (thesis, section 5.1): each model is treated
/// `runs` times by each method.
pub fn incremental_cases(models: &[&str], criterion: Criterion, runs: u64) -> Vec<StudyCase> {
    let group = Group { form: ModelForm::Given, masking: Masking::Strict };
    let mut cases = Vec::new();
    for model in models {
        for method in [GenerationMethod::Incremental, GenerationMethod::Regular] {
            let case = |run| StudyCase { model: model.to_string(), group, criterion, method, run };
            cases.extend((0..runs).map(case));
        }
    }
    cases
}
