//! What became of mutants, as a result.

use std::path::Path;
use std::time::Instant;

use provoke_base::{Control, Error, Span};
use provoke_files::Model;
use provoke_files::{make_folder, suite_files, write_together};
use provoke_model::{ExprId, Suite};
use provoke_mutate::{Mutant, MutationOperator, TextPiece};
use provoke_results::{
    ExpectationsResult, MutantResult, MutantWord, Mutants, Mutate, OperatorResult, PieceResult,
    Place, Schema, StageWord, Word, percent, to_json,
};
use provoke_suite::Format;

use super::{ModelMutants, MutantVerdict, MutationAnalysis};
use crate::certificates;
use crate::expectations::check_expectations;
use crate::numbers::{numbers_result, reservation};
use crate::options::MutateOptions;

/// What was found out about the mutants of a model.
pub struct MutateOutcome<'a> {
    /// All of it, as programs read it.
    pub result: Mutate,
    /// The mutants, and the tests with those that were added.
    pub campaign: MutationAnalysis<'a>,
    /// What became of each mutant.
    pub statuses: Vec<MutantVerdict>,
}

/// Runs the mutants of a model on a suite over all its inputs, decides the survivors if that is asked
/// for, and writes all of it into the folder of the options.
pub fn mutate<'a>(
    model: Model,
    suite: Suite,
    options: &'a MutateOptions,
    control: &Control,
) -> Result<MutateOutcome<'a>, Error> {
    let start = Instant::now();
    let mut campaign = MutationAnalysis::new(model, suite, options, control)?;
    let expected = check_expectations(&campaign.suite, &campaign.mutated.system);
    let statuses = campaign.run(control)?;
    let mut result = result(options, &campaign, &statuses);
    (result.expectations, result.differences) = (expected.totals, expected.differences);
    result.seconds = (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    if let Some(folder) = &options.folder {
        write(folder, options, &campaign, &statuses, &mut result)?;
    }
    Ok(MutateOutcome { result, campaign, statuses })
}

/// The mutants of a model, which are not run.
pub fn list_mutants(model: Model, options: &MutateOptions) -> Result<Mutants, Error> {
    let mutated = ModelMutants::new(model, options)?;
    let results: Vec<MutantResult> = mutated.mutants.iter().map(|m| listed(&mutated, m)).collect();
    Ok(Mutants {
        schema: Schema::default(),
        model: mutated.file.name.clone(),
        all: mutated.all,
        mutants: results.len(),
        invalid: results.iter().filter(|result| result.status == MutantWord::Invalid).count(),
        operators: operators(&results),
        results,
    })
}

/// Writes all that belongs together, or nothing.
fn write(
    folder: &Path,
    options: &MutateOptions,
    campaign: &MutationAnalysis<'_>,
    statuses: &[MutantVerdict],
    result: &mut Mutate,
) -> Result<(), Error> {
    make_folder(folder)?;
    let path = folder.join("suite.json");
    result.suite = path.display().to_string();
    let system = &campaign.mutated.system;
    let (text, node) = (campaign.model_text(), &system.name);
    let sheet = campaign.certificates(statuses);
    let certificates = certificates::file(text, node, system.numbers, &options.work.assume, &sheet);
    let mut files = suite_files(&campaign.suite, &path, Format::Json, false)?;
    let others = [
        // The places of mutants are places in this text.
        ("model.lus", text.to_string()),
        ("mutants.json", to_json(result)),
        (certificates::FILE, certificates),
    ];
    files.extend(others.map(|(name, text)| (folder.join(name), text.into_bytes())));
    write_together(&files)
}

/// What mutants can come to, in the order in which they are counted.
const FATES: [MutantWord; 4] =
    [MutantWord::Invalid, MutantWord::Killed, MutantWord::Equivalent, MutantWord::Survived];

/// A mutant that was not run.
fn listed(mutated: &ModelMutants, mutant: &Mutant) -> MutantResult {
    let place = Place::new(&mutated.file, mutant.span);
    let pieces = mutant.pieces(&mutated.system, &mutated.file);
    let replacement = match &pieces {
        Some(_) => String::new(),
        None => mutant.rewritten(&mutated.system, &mutated.file),
    };
    MutantResult {
        id: mutant.id.clone(),
        operator: mutant.operator.word().to_string(),
        line: place.line,
        column: place.column,
        end_line: place.end_line,
        end_column: place.end_column,
        text: mutant.describe(&mutated.file),
        replacement,
        pieces: pieces.unwrap_or_default().into_iter().map(piece).collect(),
        status: match mutant.invalid {
            Some(_) => MutantWord::Invalid,
            None => MutantWord::Listed,
        },
        reason: mutant.invalid.map_or("", |invalid| invalid.words()).to_string(),
        test: None,
        step: None,
        stage: None,
        killed_by: None,
    }
}

fn piece(piece: TextPiece) -> PieceResult {
    match piece {
        TextPiece::New(text) => PieceResult::New { text },
        TextPiece::Written(Span { start, end }) => PieceResult::Written { from: start, to: end },
    }
}

pub(crate) fn result(
    options: &MutateOptions,
    campaign: &MutationAnalysis<'_>,
    statuses: &[MutantVerdict],
) -> Mutate {
    let mutated = &campaign.mutated;
    let results: Vec<MutantResult> = mutated
        .mutants
        .iter()
        .zip(statuses)
        .map(|(mutant, status)| one(options, campaign, mutant, status))
        .collect();
    let count = |status| results.iter().filter(|result| result.status == status).count();
    let [invalid, killed, equivalent, survived] = FATES.map(count);
    Mutate {
        schema: Schema::default(),
        model: mutated.file.name.clone(),
        main: mutated.system.name.clone(),
        model_sha256: provoke_store::sha256(campaign.model_text().as_bytes()),
        assumptions: options.work.assume.clone(),
        numbers: numbers_result(mutated.system.numbers),
        numbers_reason: numbers_reason(mutated),
        oracle: options.oracle.clone(),
        monitored: campaign.monitored_names(),
        all: mutated.all,
        mutants: results.len(),
        invalid,
        killed,
        equivalent,
        survived,
        percent: percent(killed, results.len() - invalid),
        percent_nonequivalent: percent(killed, killed + survived),
        tests: campaign.suite.tests.len(),
        steps: campaign.suite.tests.iter().map(|test| test.steps.len()).sum(),
        added: campaign.added,
        seconds: 0.0,
        suite: String::new(),
        interrupted: campaign.interrupted,
        expectations: ExpectationsResult::default(),
        differences: Vec::new(),
        operators: operators(&results),
        results,
    }
}

fn one(
    options: &MutateOptions,
    campaign: &MutationAnalysis<'_>,
    mutant: &Mutant,
    status: &MutantVerdict,
) -> MutantResult {
    let plain = listed(&campaign.mutated, mutant);
    match status.clone() {
        MutantVerdict::Invalid { reason, .. } => {
            MutantResult { status: MutantWord::Invalid, reason, ..plain }
        }
        MutantVerdict::Killed { test, step, by } => {
            let killed_by = options.matrix.then_some(by);
            let (test, step) = (Some(test), Some(step));
            MutantResult { status: MutantWord::Killed, test, step, killed_by, ..plain }
        }
        MutantVerdict::Equivalent { engine, k, .. } => {
            let (status, reason) = (MutantWord::Equivalent, proven(&engine, k));
            MutantResult { status, reason, ..plain }
        }
        MutantVerdict::Survived { miss, note } => {
            let (test, step) = campaign.nearest(&miss).unzip();
            let stage = Some(StageWord::of(miss.stage.word()));
            MutantResult { status: MutantWord::Survived, reason: note, stage, test, step, ..plain }
        }
    }
}

/// The words that name a proof.
pub(super) fn proven(engine: &str, k: usize) -> String {
    format!("proven by {engine}, k = {k}")
}

/// The numbers of each operator that has mutants.
fn operators(results: &[MutantResult]) -> Vec<OperatorResult> {
    let mut all = Vec::new();
    for operator in MutationOperator::ALL.map(MutationOperator::word) {
        let of: Vec<_> = results.iter().filter(|result| result.operator == operator).collect();
        let count = |status| of.iter().filter(|result| result.status == status).count();
        if !of.is_empty() {
            let [invalid, killed, equivalent, survived] = FATES.map(count);
            let (operator, mutants) = (operator.to_string(), of.len());
            let row = OperatorResult { operator, mutants, invalid, killed, equivalent, survived };
            all.push(row);
        }
    }
    all
}

/// What keeps proofs of equivalence from holding for every run of the machine: mutants may change anything.
fn numbers_reason(mutated: &ModelMutants) -> Option<String> {
    let all: Vec<ExprId> = mutated.system.roots().collect();
    reservation(&mutated.file, &mutated.system, &all)
}
