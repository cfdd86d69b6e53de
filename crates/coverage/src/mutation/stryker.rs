//! Mutants in the format of other tools' viewer.

use std::collections::BTreeMap;

use provoke_base::SourceFile;
use provoke_mutate::Mutant;
use provoke_results::stryker::{
    FileMutant, FileMutants, Framework, Position, SourceRange, Stryker, TestFile, TestName,
    Thresholds,
};

use super::result::proven;
use super::{ModelMutants, MutantVerdict, MutationAnalysis};

/// Mutants as the viewer of mutation testing tools reads them.
/// `suite` is the name of the suite.
pub fn stryker(
    suite: &str,
    campaign: &MutationAnalysis<'_>,
    statuses: &[MutantVerdict],
) -> Stryker {
    let ModelMutants { file, mutants, .. } = &campaign.mutated;
    let model = FileMutants {
        language: "lustre",
        source: file.text.clone(),
        mutants: mutants.iter().zip(statuses).map(|(m, s)| in_file(campaign, m, s)).collect(),
    };
    let tests = campaign.suite.tests.iter();
    let tests =
        tests.map(|test| TestName { id: test.name.clone(), name: test.name.clone() }).collect();
    Stryker {
        schema_version: "2",
        thresholds: Thresholds { high: 80, low: 60 },
        framework: Framework { name: "provoke", version: env!("CARGO_PKG_VERSION").to_string() },
        files: BTreeMap::from([(file.name.clone(), model)]),
        test_files: BTreeMap::from([(suite.to_string(), TestFile { tests })]),
    }
}

fn in_file(campaign: &MutationAnalysis<'_>, mutant: &Mutant, status: &MutantVerdict) -> FileMutant {
    let ModelMutants { file, system, .. } = &campaign.mutated;
    let (word, reason, killed_by) = match status.clone() {
        MutantVerdict::Invalid { reason, at_run_time: true } => {
            ("RuntimeError", reason, Vec::new())
        }
        MutantVerdict::Invalid { reason, .. } => ("CompileError", reason, Vec::new()),
        MutantVerdict::Killed { step, test, by } => {
            ("Killed", format!("differs in test {test}, step {step}"), by)
        }
        MutantVerdict::Equivalent { engine, k, .. } => {
            ("Ignored", format!("equivalent: {}", proven(&engine, k)), Vec::new())
        }
        MutantVerdict::Survived { miss, note } => {
            let stage = miss.stage.word();
            let reason = if note.is_empty() { stage.into() } else { format!("{stage}; {note}") };
            ("Survived", reason, Vec::new())
        }
    };
    FileMutant {
        id: mutant.id.clone(),
        mutator_name: mutant.operator.word(),
        description: mutant.describe(file),
        replacement: mutant.rewritten(system, file),
        location: SourceRange {
            start: position(file, mutant.span.start),
            end: position(file, mutant.span.end),
        },
        status: word,
        status_reason: reason,
        killed_by,
    }
}

fn position(file: &SourceFile, offset: u32) -> Position {
    let place = file.line_column(offset);
    Position { line: place.line, column: place.column }
}
