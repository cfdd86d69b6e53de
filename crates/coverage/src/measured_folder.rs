//! What a suite covers, kept in a folder as evidence: the files that `generate` writes, without a search.

use std::path::Path;

use provoke_base::Error;
use provoke_files::{make_folder, suite_files, write_together};
use provoke_model::{Suite, TestCase};
use provoke_results::{
    CountingWord, ExactWord, MaskingWord, Measure, MethodWord, ProverWord, ReductionWord, Schema,
    Settings, SolverWord, Verdicts, Word, to_json,
};
use provoke_solve::certificate::Sheet;
use provoke_suite::Format;

use crate::certificates;
use crate::measure::MeasureOptions;
use crate::numbers::numbers_result;
use crate::tests::TestedModel;

/// A measurement that is written into a folder.
pub(crate) struct MeasuredFolder<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) subject: &'a TestedModel,
    pub(crate) options: &'a MeasureOptions,
    /// What was measured.
    pub(crate) result: &'a Measure,
    pub(crate) seconds: f64,
}

impl MeasuredFolder<'_> {
    /// Writes all files or none; gives the name of the suite.
    pub(crate) fn write(&self) -> Result<String, Error> {
        let TestedModel { file, system, .. } = self.subject;
        refuse_other_results(self.folder)?;
        make_folder(self.folder)?;
        let path = self.folder.join("suite.json");
        let mut files = suite_files(&self.suite(), &path, Format::Json, false)?;
        let sheet = Sheet::new(system);
        let others = [
            ("verdicts.json", to_json(&self.verdicts())),
            ("model.lus", file.text.clone()),
            ("settings.json", to_json(&self.settings())),
            (
                certificates::FILE,
                certificates::file(&file.text, &system.name, system.numbers, &[], &sheet),
            ),
        ];
        files.extend(others.map(|(name, text)| (self.folder.join(name), text.into_bytes())));
        write_together(&files)?;
        Ok(path.display().to_string())
    }

    /// The tests as they were given; each says of which obligations it is the first witness.
    fn suite(&self) -> Suite {
        let mut suite = self.subject.suite.clone();
        suite.tests.iter_mut().for_each(|test| test.covers.clear());
        for verdict in &self.result.verdicts {
            let is_named = |test: &&mut TestCase| Some(&test.name) == verdict.test.as_ref();
            if let Some(test) = suite.tests.iter_mut().find(is_named) {
                test.covers.push(verdict.id.clone());
            }
        }
        suite
    }

    fn verdicts(&self) -> Verdicts {
        Verdicts {
            schema: Schema::default(),
            model: self.subject.system.name.clone(),
            criterion: self.subject.criterion.clone(),
            assumptions: Vec::new(),
            verdicts: self.result.verdicts.clone(),
            errors: self.result.errors.clone(),
            exact: self.exact(),
        }
    }

    fn exact(&self) -> Option<ExactWord> {
        self.options.exact.map(|exact| ExactWord::of(exact.word()))
    }

    fn settings(&self) -> Settings {
        let TestedModel { file, system, oracle, .. } = self.subject;
        let monitored = oracle.monitored(system);
        Settings {
            schema: Schema::default(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            model: file.name.clone(),
            main: system.name.clone(),
            criterion: self.subject.criterion.clone(),
            model_sha256: provoke_store::sha256(file.text.as_bytes()),
            counting: CountingWord::of(self.subject.counting.word()),
            method: MethodWord::Measured,
            masking: MaskingWord::of(self.options.masking.word()),
            monitored: monitored.iter().map(|var| system.vars[*var].name.clone()).collect(),
            exact: self.exact(),
            as_published: self.options.as_published,
            engine: ProverWord::None,
            solver: SolverWord::None,
            seed: 0,
            effort: None,
            budget_seconds: None,
            reduction: ReductionWord::None,
            assumptions: Vec::new(),
            numbers: numbers_result(system.numbers),
            shard: None,
            tests_before_reduction: self.subject.suite.tests.len(),
            seconds: self.seconds,
            interrupted: false,
        }
    }
}

/// Proofs and tests that a search has found are not replaced by a measurement.
fn refuse_other_results(folder: &Path) -> Result<(), Error> {
    let settings = std::fs::read_to_string(folder.join("settings.json")).unwrap_or_default();
    let settings: Option<Settings> = serde_json::from_str(&settings).ok();
    let is_measured = settings.is_some_and(|settings| settings.is_measured());
    let results = ["settings.json", "verdicts.json", "suite.json", "mutants.json"];
    let Some(found) = results.iter().find(|name| folder.join(name).exists()) else { return Ok(()) };
    if is_measured && !folder.join("mutants.json").exists() {
        return Ok(());
    }
    let message =
        format!("{} holds {found} of another command, which would be lost", folder.display());
    Err(Error::input(message, "name another folder, such as out/measured"))
}
