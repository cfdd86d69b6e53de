//! Runs the program as a user does.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// How a run ended.
#[allow(dead_code, reason = "not every test file looks at all")]
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs `provoke` with the arguments in the repository's root.
pub(crate) fn provoke(arguments: &[&str]) -> Ran {
    provoke_with_input(arguments, b"")
}

/// The same with something on standard input.
#[allow(dead_code, reason = "not every test file uses it")]
pub(crate) fn provoke_with_input(arguments: &[&str], input: &[u8]) -> Ran {
    run(command(arguments), input)
}

/// The same with variables of the environment.
#[allow(dead_code, reason = "not every test file uses it")]
pub(crate) fn provoke_with(variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
    let mut command = command(arguments);
    command.envs(variables.iter().copied());
    run(command, b"")
}

/// The program, to be started in the repository's root.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_provoke"));
    command.args(arguments).current_dir(provoke_testkit::repository());
    command
}

fn run(mut command: Command, input: &[u8]) -> Ran {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that does not read its input closes the pipe early, which is fine.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    let output = child.wait_with_output().expect("the program ends");
    Ran {
        code: output.status.code().expect("not killed by a signal"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

/// The result as JSON of a run that must end with `code`.
#[allow(dead_code, reason = "not every test file uses it")]
pub(crate) fn json(arguments: &[&str], code: i32) -> serde_json::Value {
    let ran = provoke(&[arguments, &["--format", "json"]].concat());
    assert_eq!(ran.code, code, "{arguments:?}: {}", ran.stderr);
    serde_json::from_str(&ran.stdout).expect("JSON")
}

/// Says why and returns false where no solver is installed; with `CI` set that is a failure.
#[allow(dead_code, reason = "not every test file uses it")]
pub(crate) fn solver_is_there() -> bool {
    let found = provoke_solve::z3::find();
    found.map_err(|missing| provoke_testkit::skip(&missing.to_string())).is_ok()
}

/// Compares all a user sees with a snapshot.
#[allow(dead_code, reason = "not every test file uses it")]
pub(crate) fn check(name: &str, arguments: &[&str], code: i32) {
    let ran = provoke(arguments);
    let seen = format!(
        "$ provoke {}\n{}--- messages\n{}--- exit code {}\n",
        arguments.join(" "),
        ran.stdout,
        ran.stderr,
        ran.code
    );
    let file = format!("crates/cli/tests/snapshots/{name}.txt");
    provoke_testkit::check_snapshot(&provoke_testkit::repository().join(file), &seen);
    assert_eq!(ran.code, code, "{seen}");
}

/// A fresh folder for files of one test.
#[allow(dead_code, reason = "not every test file uses it")]
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a writable folder");
    folder
}
