//! Everything that is generated for many systems, compiled without a single warning.

use std::path::Path;
use std::process::Command;

use provoke_base::{Random, SourceFile};
use provoke_codegen::{CodeOptions, CodePlatform, generate, library, replay, skeleton};
use provoke_model::{Step, Suite, System, TestCase, Value};
use provoke_testkit::random_system::{self, Shape};
use provoke_testkit::{files, repository};

use super::{PROVEN, SMALL, STRICT, WIDE, folder, inputs, load, models, random_model};

/// A few random steps, of which nothing is expected.
fn suite(system: &System, options: &CodeOptions) -> Suite {
    let mut suite = Suite::for_system(system, &system.outputs);
    let mut random = Random::new(1);
    let outputs = vec![Value::Unknown; system.outputs.len()];
    let mut step = |_| Step {
        inputs: inputs(&mut random, system, options.arithmetic),
        outputs: outputs.clone(),
    };
    let steps = (0..3).map(&mut step).collect();
    suite.tests.push(TestCase { name: "t1".into(), steps, ..TestCase::default() });
    suite
}

/// Writes everything that is generated for a system; returns the C files.
pub(crate) fn written(
    file: Option<&SourceFile>,
    system: &System,
    options: &CodeOptions,
    folder: &Path,
) -> Vec<String> {
    let code = generate(system, file, options).expect("constants that fit");
    let test = replay(system, &code, options, &suite(system, options), 1e-9).expect("a suite");
    let mut files = vec![
        (format!("{}.h", code.name), code.header.clone()),
        (format!("{}.c", code.name), code.source.clone()),
        (format!("{}_test.c", code.name), test),
        (format!("{}_library.c", code.name), library(system, &code)),
    ];
    let process = skeleton(system, &code, options, CodePlatform::Linux, 100, "model.lus");
    files.extend(process.into_iter().map(|(name, text)| (name.to_string(), text)));
    for (name, text) in &files {
        std::fs::write(folder.join(name), text).expect("a writable folder");
    }
    files.into_iter().map(|(name, _)| name).filter(|name| name.ends_with(".c")).collect()
}

fn compiles_silently(compiler: &str, folder: &Path, file: &str) {
    let mut command = Command::new(compiler);
    command.current_dir(folder).args(STRICT).args(["-O1", "-c", file, "-o", "object.o"]);
    let done = command.output().expect("a compiler");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{compiler}, {}/{file}: {said}", folder.display());
}

/// The models of the repository, with the programs around their code.
pub(crate) fn models_give_no_warning(compiler: &str) {
    for path in &models().0 {
        let (file, system) = load(path);
        let name = path.file_stem().unwrap().to_string_lossy();
        for (options, bits, most) in [(PROVEN, "auto", 9), (SMALL, "32", 2), (WIDE, "64", 1)] {
            let folder = folder(&format!("{compiler}_{name}_{bits}"));
            for file in written(Some(&file), &system, &options, &folder).iter().take(most) {
                compiles_silently(compiler, &folder, file);
            }
        }
    }
}

/// The whole language, as in nodes without inputs or without outputs.
pub(crate) fn examples_give_no_warning(compiler: &str) {
    for path in &files(&repository().join("testdata/ok"), "lus") {
        let (file, system) = load(path);
        let Ok(code) = generate(&system, Some(&file), &WIDE) else { continue };
        let folder = folder(&format!("{compiler}_ok"));
        std::fs::write(folder.join(format!("{}.h", code.name)), code.header).unwrap();
        std::fs::write(folder.join("code.c"), code.source).unwrap();
        compiles_silently(compiler, &folder, "code.c");
    }
}

/// Random systems in all numbers, and random models with nodes, clocks, arrays and structures.
pub(crate) fn random_code_gives_no_warning(compiler: &str) {
    let shape = Shape { inputs: 5, defined: 30, depth: 5, hazards: true, ..Shape::MIXED };
    for seed in 0..6 {
        let system = random_system::system(&mut Random::new(seed), shape);
        let folder = folder(&format!("{compiler}_random_{seed}"));
        for file in written(None, &system, &[WIDE, SMALL, PROVEN][seed as usize % 3], &folder) {
            compiles_silently(compiler, &folder, &file);
        }
    }
    for seed in 0..20 {
        let Some((file, system)) = random_model(seed, &WIDE) else { continue };
        let folder = folder(&format!("{compiler}_model_{seed}"));
        for file in written(Some(&file), &system, &WIDE, &folder).iter().take(2) {
            compiles_silently(compiler, &folder, file);
        }
    }
}
