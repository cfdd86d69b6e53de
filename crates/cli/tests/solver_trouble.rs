//! Solvers that are missing, old, broken, slow or at a loss: a clear message, and nothing lost.

#![cfg(unix)]

mod support;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use support::{provoke_with, scratch, solver_is_there};

const CHAIN: &str = "models/delay_chain.lus";

/// What a user sees when Z3 is to be loaded from `path`.
fn with_z3(path: &str) -> String {
    let ran = provoke_with(&[("PROVOKE_Z3", path), ("HOME", "")], &["generate", CHAIN]);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    assert!(ran.stderr.contains("help: install it with: "), "{}", ran.stderr);
    assert!(ran.stderr.contains(path), "{}", ran.stderr);
    ran.stderr
}

/// A library made of C source; `None` where there is no compiler.
fn library(folder: &Path, source: &str) -> Option<String> {
    let (text, library) = (folder.join("fake.c"), folder.join("libz3.so"));
    std::fs::write(&text, source).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&text);
    match compiler.status() {
        Ok(status) if status.success() => Some(library.to_str().unwrap().to_string()),
        _ => {
            provoke_testkit::skip("no C compiler");
            None
        }
    }
}

fn version(numbers: [u32; 4]) -> String {
    let set = |(name, number): (char, u32)| format!("*{name} = {number}; ");
    let body: String = "abcd".chars().zip(numbers).map(set).collect();
    format!("void Z3_get_version(unsigned *a, unsigned *b, unsigned *c, unsigned *d) {{ {body}}}\n")
}

#[test]
fn a_missing_library_is_named_with_the_command_that_installs_it() {
    assert!(with_z3("/nowhere/libz3.so").contains("no usable Z3 was found"));
}

#[test]
fn a_file_that_is_no_library_is_refused() {
    let file = provoke_testkit::repository().join("Cargo.toml");
    with_z3(file.to_str().unwrap());
}

#[test]
fn an_old_library_is_refused_with_both_versions() {
    let Some(path) = library(&scratch("old_library"), &version([4, 4, 1, 0])) else { return };
    let seen = with_z3(&path);
    assert!(seen.contains("version 4.4.1.0 is too old, 4.8.12 or newer is needed"), "{seen}");
}

#[test]
fn a_library_without_what_is_needed_is_refused() {
    let Some(path) = library(&scratch("bare_library"), &version([4, 9, 0, 0])) else { return };
    let seen = with_z3(&path);
    assert!(seen.contains("has no Z3_"), "{seen}");
}

/// A model with an obligation that simulation cannot settle.
const STUCK: &str = "node stuck(x: int) returns (y: bool); let y = x > 3 and x < 2; tel\n";

/// A folder with that model and a program that passes for Yices and then does `body`.
struct Fake {
    model: String,
    program: String,
    out: String,
}

impl Fake {
    fn new(name: &str, body: &str) -> Fake {
        let folder = scratch(name);
        let path = |name: &str| folder.join(name).to_str().unwrap().to_string();
        let fake = Fake { model: path("stuck.lus"), program: path("yices"), out: path("out") };
        std::fs::write(&fake.model, STUCK).unwrap();
        fake.become_one_that(body);
        fake
    }

    fn become_one_that(&self, body: &str) {
        let version = "if [ \"$1\" = --version ]; then echo Yices 2.6.5; exit; fi";
        // A program that is being run cannot be written to, but it can be replaced.
        let draft = format!("{}.draft", self.program);
        std::fs::write(&draft, format!("#!/bin/sh\n{version}\n{body}\n")).unwrap();
        std::fs::set_permissions(&draft, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::rename(draft, &self.program).unwrap();
    }

    fn generate(&self) -> support::Ran {
        let arguments = ["generate", &self.model, "--solver", "yices", "--effort", "1", "-o"];
        provoke_with(&[("PROVOKE_YICES", &self.program)], &[&arguments[..], &[&self.out]].concat())
    }

    /// Whatever the solver does, the tests that simulation found are there.
    fn leaves_unknown(&self, reason: &str) -> support::Ran {
        let ran = self.generate();
        assert_eq!(ran.code, 5, "{}", ran.stderr);
        assert!(ran.stdout.contains(reason), "{}", ran.stdout);
        let suite = std::fs::read_to_string(Path::new(&self.out).join("suite.json")).unwrap();
        assert!(suite.contains("\"t1\""), "{suite}");
        ran
    }
}

/// Answers every question in the same way.
fn answering(word: &str) -> String {
    format!(
        "while read -r line; do case \"$line\" in\n*check-sat*) echo {word} ;;\n\
         *get-unsat*) echo '()' ;;\nesac; done"
    )
}

#[test]
fn a_missing_program_is_named_with_the_command_that_installs_it() {
    let arguments = ["generate", CHAIN, "--solver", "yices"];
    let ran = provoke_with(&[("PROVOKE_YICES", "/nowhere/yices")], &arguments);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("/nowhere/yices") && ran.stderr.contains("scripts/install-yices.sh")
    );
}

#[test]
fn what_a_crashing_solver_leaves_open_is_tried_again() {
    let fake = Fake::new("crashing", "exit 1");
    let ran = fake.leaves_unknown("solver failed");
    assert!(ran.stderr.contains("the same command tries them again"), "{}", ran.stderr);
    fake.become_one_that(&answering("unsat"));
    let again = fake.generate();
    assert!(again.code == 0 && again.stdout.contains("0 unknown"), "{}", again.stdout);
}

#[test]
fn a_solver_that_talks_nonsense_has_failed() {
    Fake::new("nonsense", &answering("')'")).leaves_unknown("solver failed");
}

#[test]
fn a_solver_that_hangs_is_ended() {
    let start = std::time::Instant::now();
    Fake::new("hanging", "exec sleep 1000").leaves_unknown("effort used up");
    assert!(start.elapsed().as_secs() < 60, "took {:?}", start.elapsed());
}

#[test]
fn a_solver_at_a_loss_leaves_an_obligation_unknown() {
    Fake::new("at_a_loss", &answering("unknown")).leaves_unknown("solver gave up: unknown");
}

#[test]
fn the_other_solver_answers_in_a_portfolio_when_one_fails() {
    if !solver_is_there() {
        return;
    }
    let fake = Fake::new("portfolio", "exit 1");
    let arguments = ["generate", &fake.model, "--solver", "portfolio", "--effort", "1"];
    let ran = provoke_with(&[("PROVOKE_YICES", &fake.program)], &arguments);
    assert!(ran.code == 0 && ran.stdout.contains("0 unknown"), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn too_little_memory_leaves_obligations_unknown_but_no_test_is_lost() {
    if !solver_is_there() {
        return;
    }
    let arguments = ["generate", "models/voter.lus", "--effort", "1", "--memory", "16"];
    let ran = provoke_with(&[], &arguments);
    assert!([0, 5].contains(&ran.code), "{}", ran.stderr);
    assert!(
        ran.code == 0 || ran.stderr.contains("more memory for the solver may help"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stdout.contains("\n  0 tests"), "{}", ran.stdout);
}

#[test]
fn an_engine_that_the_solver_does_not_have_is_refused() {
    let arguments = ["generate", CHAIN, "--solver", "yices", "--prover", "pdr"];
    let ran = provoke_with(&[], &arguments);
    assert!(ran.code == 2 && ran.stderr.contains("type --solver z3"), "{}", ran.stderr);
    let arguments = ["generate", CHAIN, "--solver", "yices", "--memory", "100"];
    let ran = provoke_with(&[], &arguments);
    assert!(ran.code == 2 && ran.stderr.contains("leave out --memory"), "{}", ran.stderr);
}

#[test]
fn a_program_that_does_not_even_tell_its_version_is_refused() {
    let folder = scratch("speechless");
    let program = folder.join("yices");
    std::fs::write(&program, "#!/bin/sh\nexec sleep 1000\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let variables = [("PROVOKE_YICES", program.to_str().unwrap())];
    let ran = provoke_with(&variables, &["generate", CHAIN, "--solver", "yices"]);
    assert!(ran.code == 4 && ran.stderr.contains("does not tell its version"), "{}", ran.stderr);
}
