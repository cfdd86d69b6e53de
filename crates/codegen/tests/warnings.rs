//! gcc has nothing to say about the generated C, and no compiler takes it that would round reals in another
//! way.

mod common;

use std::process::Command;

use common::silent::{
    examples_give_no_warning, models_give_no_warning, random_code_gives_no_warning, written,
};
use common::{WIDE, folder};
use provoke_base::SourceFile;

#[test]
fn no_model_gives_a_warning() {
    models_give_no_warning("gcc");
}

#[test]
fn nothing_of_the_language_gives_a_warning() {
    examples_give_no_warning("gcc");
}

#[test]
fn no_random_system_gives_a_warning() {
    random_code_gives_no_warning("gcc");
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
