//! What a suite covers, kept in a folder as evidence: the files that `generate` writes, without a search.

use std::path::Path;

use provoke_base::Error;
use provoke_criteria::{Obligation, ObligationKind, SuiteCoverage};
use provoke_files::{make_folder, suite_files, write_together};
use provoke_model::Suite;
use provoke_results::{
    CountingWord, ExactWord, KindWord, MaskingWord, MethodWord, ProverWord, ReductionWord, Schema,
    Settings, SolverWord, VerdictResult, VerdictWord, Verdicts, Word, to_json,
};
use provoke_solve::certificate::Sheet;
use provoke_suite::Format;

use crate::certificates;
use crate::measure::MeasureOptions;
use crate::tests::TestedModel;

/// Why an obligation is unknown that no test covers: nobody has looked for one.
const NOT_COVERED: &str = "no test of the suite does that";

/// A measurement that is written into a folder.
pub(crate) struct MeasuredFolder<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) subject: &'a TestedModel,
    pub(crate) options: &'a MeasureOptions,
    /// What decides: by changed values if these were asked for, else by tags.
    pub(crate) coverage: &'a SuiteCoverage,
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
            (certificates::FILE, certificates::file(&file.text, &system.name, &[], &sheet)),
        ];
        files.extend(others.map(|(name, text)| (self.folder.join(name), text.into_bytes())));
        write_together(&files)?;
        Ok(path.display().to_string())
    }

    /// The tests as they were given; each says of which obligations it is the first witness.
    fn suite(&self) -> Suite {
        let mut suite = self.subject.suite.clone();
        suite.tests.iter_mut().for_each(|test| test.covers.clear());
        for (obligation, status) in self.subject.obligations.iter().zip(&self.coverage.statuses) {
            if let Some(moment) = status.covered {
                suite.tests[moment.test].covers.push(obligation.id.clone());
            }
        }
        suite
    }

    fn verdicts(&self) -> Verdicts {
        let positions = 0..self.subject.obligations.len();
        Verdicts {
            schema: Schema::default(),
            model: self.subject.system.name.clone(),
            criterion: self.subject.criterion.clone(),
            assumptions: Vec::new(),
            verdicts: positions.map(|at| self.verdict(at)).collect(),
            exact: self.exact(),
        }
    }

    fn verdict(&self, at: usize) -> VerdictResult {
        let Obligation { id, kind, .. } = &self.subject.obligations[at];
        let test = self.coverage.statuses[at].covered.map(|moment| moment.test);
        VerdictResult {
            id: id.clone(),
            kind: KindWord::of(kind.word()),
            verdict: match (test, kind) {
                (None, _) => VerdictWord::Unknown,
                (Some(_), ObligationKind::Property) => VerdictWord::Violated,
                (Some(_), _) => VerdictWord::Covered,
            },
            test: test.map(|test| self.subject.suite.tests[test].name.clone()),
            undefined: Vec::new(),
            engine: None,
            k: None,
            lemmas: None,
            reason: test.is_none().then(|| NOT_COVERED.to_string()),
            depth: None,
            note: None,
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
            engine: ProverWord::None,
            solver: SolverWord::None,
            seed: 0,
            effort: None,
            budget_seconds: None,
            reduction: ReductionWord::None,
            assumptions: Vec::new(),
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
