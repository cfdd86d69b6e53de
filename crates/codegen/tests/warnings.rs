//! No compiler has anything to say about the generated C, and none compiles it that would round reals in
//! another way.

mod common;

use std::path::Path;
use std::process::Command;

use common::{PROVEN, SMALL, STRICT, WIDE, folder, inputs, load, models, random_model};
use provoke_base::{Random, SourceFile};
use provoke_codegen::{CodeOptions, CodePlatform, generate, library, replay, skeleton};
use provoke_model::{Step, Suite, System, TestCase, Value};
use provoke_testkit::random_system::{self, Shape};

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
fn written(
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

/// The compilers that are here.
fn compilers() -> Vec<&'static str> {
    let runs = |compiler: &str| Command::new(compiler).arg("--version").output().is_ok();
    if !runs("clang-19") {
        provoke_testkit::skip("clang-19 is not installed (make clang)");
    }
    ["gcc", "clang-19"].into_iter().filter(|compiler| runs(compiler)).collect()
}

fn compiles_silently(compiler: &str, folder: &Path, file: &str) {
    let mut command = Command::new(compiler);
    command.current_dir(folder).args(STRICT).args(["-O1", "-c", file, "-o", "object.o"]);
    let done = command.output().expect("a compiler");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{compiler}, {}/{file}: {said}", folder.display());
}

#[test]
fn no_model_gives_a_warning() {
    let compilers = compilers();
    for path in &models().0 {
        let (file, system) = load(path);
        let name = path.file_stem().unwrap().to_string_lossy();
        for (options, bits, most) in [(PROVEN, "auto", 9), (SMALL, "32", 2), (WIDE, "64", 1)] {
            let folder = folder(&format!("silent_{name}_{bits}"));
            for file in written(Some(&file), &system, &options, &folder).iter().take(most) {
                compilers.iter().for_each(|compiler| compiles_silently(compiler, &folder, file));
            }
        }
    }
}

#[test]
fn no_random_system_gives_a_warning() {
    let shape = Shape { inputs: 5, defined: 30, depth: 5, hazards: true, ..Shape::MIXED };
    let compilers = compilers();
    for seed in 0..6 {
        let system = random_system::system(&mut Random::new(seed), shape);
        let folder = folder(&format!("silent_random_{seed}"));
        for file in written(None, &system, &[WIDE, SMALL, PROVEN][seed as usize % 3], &folder) {
            compilers.iter().for_each(|compiler| compiles_silently(compiler, &folder, &file));
        }
    }
}

#[test]
fn no_random_model_with_nodes_gives_a_warning() {
    let compilers = compilers();
    for seed in 0..20 {
        let Some((file, system)) = random_model(seed, &WIDE) else { continue };
        let folder = folder(&format!("silent_model_{seed}"));
        let files = written(Some(&file), &system, &WIDE, &folder);
        for compiler in &compilers {
            compiles_silently(compiler, &folder, &files[0]);
            compiles_silently(compiler, &folder, &files[1]);
        }
    }
}

const MIXER: &str = "node mixer(a, b, c: real) returns (y: real);\nlet y = a * b + c; tel;";

/// Compiles the code and the test program of a model with reals; what the compiler or the program says.
fn mixed(name: &str, flags: &[&str]) -> (Option<i32>, String) {
    let file = SourceFile::new("mixer.lus", MIXER);
    let system = provoke_lustre::load(&file, None).system.expect("a model");
    let folder = folder(name);
    let files = written(Some(&file), &system, &WIDE, &folder);
    let mut gcc = Command::new("gcc");
    gcc.current_dir(&folder).args(flags).args(&files[..2]).args(["-o", "program"]);
    let compiled = gcc.output().expect("gcc runs");
    if !compiled.status.success() {
        return (None, String::from_utf8_lossy(&compiled.stderr).into_owned());
    }
    let ran = Command::new(folder.join("program")).output().expect("it starts");
    (ran.status.code(), String::from_utf8_lossy(&ran.stdout).into_owned())
}

#[test]
fn fast_mathematics_is_refused_by_the_compiler() {
    let (code, said) = mixed("fast_math", &["-O2", "-ffast-math"]);
    assert_eq!(code, None);
    assert!(said.contains("compile without -ffast-math"), "{said}");
}

#[test]
fn a_compiler_that_rounds_a_product_and_a_sum_once_is_noticed_before_the_first_test() {
    let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    if !processor.contains(" fma") {
        return provoke_testkit::skip("this processor has no instruction for a * b + c");
    }
    let (code, said) = mixed("contracted", &["-std=gnu99", "-O2", "-mfma"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("-ffp-contract=off"), "{said}");
    let flags = ["-std=gnu99", "-O2", "-mfma", "-ffp-contract=off"];
    assert_eq!(mixed("not_contracted", &flags), (Some(0), "PASS 1 tests, 3 steps\n".to_string()));
}
