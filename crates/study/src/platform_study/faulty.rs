//! Faulty systems as compiled C, in libraries of their own.

use std::path::Path;

use provoke_base::{Error, ErrorCode, SourceFile};
use provoke_exec::{ExecutedTest, ExecutionVerdict, LibraryController};
use provoke_files::write_together;
use provoke_mine::compile::shared_library;
use provoke_model::{Suite, System};
use provoke_mutate::{Mutant, REPLACEMENTS, mutants, sample};
use serde::{Deserialize, Serialize};

use crate::platform_study::trial::Tally;

/// A fault, and what it does to the tests.
pub(crate) struct Faulty<'m> {
    mutant: &'m Mutant,
    /// For each test, the interactions whose outputs are not the model's.
    failing: Vec<Vec<bool>>,
}

/// A false negative: the fault, the test, and the interaction, counted from 1.
pub(crate) type Missed = (String, String, usize);

/// What came of a fault behind a platform.
#[derive(Serialize, Deserialize)]
pub(crate) struct FaultOutcome {
    pub(crate) tally: Tally,
    /// How many interactions fail on the fault itself, without any platform.
    pub(crate) failing: usize,
    /// Those that pass: the fault, the test and the interaction.
    pub(crate) missed: Vec<Missed>,
}

/// Mutants of a model, so that each kind of fault has its share.
pub(crate) fn faults(system: &System, file: &SourceFile, count: usize, seed: u64) -> Vec<Mutant> {
    let all = mutants(system, Some(file), REPLACEMENTS);
    let valid = all.into_iter().filter(|mutant| mutant.invalid.is_none()).collect();
    sample(valid, count, seed)
}

impl<'m> Faulty<'m> {
    /// What a fault does to a suite; `None` if that is nothing, or cannot be computed.
    pub(crate) fn new(mutant: &'m Mutant, system: &System, suite: &Suite) -> Option<Faulty<'m>> {
        let changed = mutant.apply(system);
        let mut outputs = suite.clone();
        provoke_sim::expect(&mut outputs, &changed, &changed.outputs).ok()?;
        let failing = suite.tests.iter().zip(&outputs.tests).map(|(right, wrong)| {
            let steps = right.steps.iter().zip(&wrong.steps);
            steps.map(|(right, wrong)| right.outputs != wrong.outputs).collect()
        });
        let faulty = Faulty { failing: failing.collect(), mutant };
        (faulty.count() > 0).then_some(faulty)
    }

    fn count(&self) -> usize {
        self.failing.iter().flatten().filter(|failing| **failing).count()
    }

    /// What came of it.
    pub(crate) fn found(&self, results: &[ExecutedTest]) -> FaultOutcome {
        let fault = &self.mutant.id;
        let line =
            |(test, interaction): (&str, usize)| (fault.clone(), test.to_string(), interaction);
        let missed = self.missed(results).into_iter().map(line).collect();
        FaultOutcome { tally: Tally::new(results), failing: self.count(), missed }
    }

    /// Those of them that pass on a platform: the test and the interaction, from 1.
    fn missed<'r>(&self, results: &'r [ExecutedTest]) -> Vec<(&'r str, usize)> {
        let mut missed = Vec::new();
        for (failing, result) in self.failing.iter().zip(results) {
            for (index, (failing, judged)) in failing.iter().zip(&result.judged).enumerate() {
                if *failing && judged.verdict == ExecutionVerdict::Pass {
                    missed.push((result.name.as_str(), index + 1));
                }
            }
        }
        missed
    }

    /// The fault as a compiled library.
    pub(crate) fn compiled(
        &self,
        system: &System,
        suite: &Suite,
        folder: &Path,
    ) -> Result<LibraryController, Error> {
        let changed = self.mutant.apply(system);
        let options = provoke_codegen::CodeOptions::default();
        let code = provoke_codegen::generate(&changed, None, &options).map_err(|_| {
            Error::input("a number of the model does not fit 64 bits", "use smaller numbers")
        })?;
        let library = provoke_codegen::library(&changed, &code);
        let name = "fault.so";
        let files = [
            (format!("{}.h", code.name), &code.header),
            (format!("{}.c", code.name), &code.source),
            (format!("{}_library.c", code.name), &library),
        ];
        let unwritable = |error: std::io::Error| {
            let message = format!("cannot write to {}: {error}", folder.display());
            Error::new(ErrorCode::CannotWrite, message).hint("name a folder that may be written to")
        };
        std::fs::create_dir_all(folder).map_err(unwritable)?;
        let whole =
            |(name, text): &(String, &String)| (folder.join(name), text.as_bytes().to_vec());
        write_together(&files.iter().map(whole).collect::<Vec<_>>())?;
        shared_library(folder, &[&files[1].0, &files[2].0], name)?;
        let path = std::path::absolute(folder.join(name)).map_err(unwritable)?;
        Ok(LibraryController::load(&path, suite)?)
    }
}
