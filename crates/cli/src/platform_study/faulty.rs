//! Faulty systems as compiled C, in libraries of their own.

use std::path::Path;
use std::process::Command;

use provoke_base::SourceFile;
use provoke_exec::{LibraryController, TestResult, Verdict};
use provoke_model::{Suite, System};
use provoke_mutate::{Mutant, REPLACEMENTS, mutants, sample};

use crate::outcome::Failure;

/// A fault, and what it does to the tests.
pub(crate) struct Faulty {
    pub(crate) mutant: Mutant,
    /// For each test, the interactions whose outputs are not the model's.
    pub(crate) failing: Vec<Vec<bool>>,
}

/// Mutants of a model, so that each kind of fault has its share, with what each does to the suite.
pub(crate) fn faulty(
    system: &System,
    file: &SourceFile,
    suite: &Suite,
    count: usize,
    seed: u64,
) -> Vec<Faulty> {
    let all = mutants(system, Some(file), REPLACEMENTS);
    let valid: Vec<Mutant> = all.into_iter().filter(|mutant| mutant.invalid.is_none()).collect();
    let mut found = Vec::new();
    for mutant in sample(valid, count, seed) {
        let changed = mutant.apply(system);
        let mut outputs = suite.clone();
        if provoke_sim::expect(&mut outputs, &changed, &changed.outputs).is_err() {
            continue;
        }
        let failing = suite.tests.iter().zip(&outputs.tests).map(|(right, wrong)| {
            let steps = right.steps.iter().zip(&wrong.steps);
            steps.map(|(right, wrong)| right.outputs != wrong.outputs).collect()
        });
        found.push(Faulty { failing: failing.collect(), mutant });
    }
    found
}

impl Faulty {
    /// How many interactions fail on the fault itself, without any platform.
    pub(crate) fn count(&self) -> usize {
        self.failing.iter().flatten().filter(|failing| **failing).count()
    }

    /// Those of them that pass on a platform: the test and the interaction, from 1.
    pub(crate) fn missed<'r>(&self, results: &'r [TestResult]) -> Vec<(&'r str, usize)> {
        let mut missed = Vec::new();
        for (failing, result) in self.failing.iter().zip(results) {
            for (index, (failing, judged)) in failing.iter().zip(&result.judged).enumerate() {
                if *failing && judged.verdict == Verdict::Pass {
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
        number: usize,
    ) -> Result<LibraryController, Failure> {
        let changed = self.mutant.apply(system);
        let options = provoke_codegen::Options::default();
        let code = provoke_codegen::generate(&changed, None, &options).map_err(|_| {
            Failure::input("a number of the model does not fit 64 bits", "use smaller numbers")
        })?;
        let library = provoke_codegen::library(&changed, &code);
        let name = format!("fault_{number}.so");
        let files = [
            (format!("{}.h", code.name), &code.header),
            (format!("{}.c", code.name), &code.source),
            (format!("{}_library.c", code.name), &library),
        ];
        let sources = folder.join(format!("fault_{number}"));
        let unwritable = |error: std::io::Error| {
            let message = format!("cannot write to {}: {error}", folder.display());
            Failure::input(message, "name a folder that may be written to")
        };
        std::fs::create_dir_all(&sources).map_err(unwritable)?;
        for (name, text) in &files {
            std::fs::write(sources.join(name), text).map_err(unwritable)?;
        }
        let mut gcc = Command::new("gcc");
        gcc.current_dir(&sources).args(["-std=c99", "-O1", "-shared", "-fPIC"]);
        let compiled = gcc.args([&files[1].0, &files[2].0]).arg("-o").arg(&name).output();
        let missing = |why: String| Failure::Missing {
            message: format!("the faults cannot be compiled: {why}"),
            command: "apt-get install gcc".to_string(),
        };
        let compiled = compiled.map_err(|error| missing(error.to_string()))?;
        if !compiled.status.success() {
            return Err(missing(String::from_utf8_lossy(&compiled.stderr).into_owned()));
        }
        let path = std::path::absolute(sources.join(name)).map_err(unwritable)?;
        LibraryController::load(&path, suite)
            .map_err(|trouble| Failure::Unreachable { message: trouble.reason, hint: trouble.hint })
    }
}
