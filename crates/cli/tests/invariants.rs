//! The invariants of docs/ARCHITECTURE.md that a search through the sources can keep.

use std::path::{Path, PathBuf};

use provoke_testkit::repository;

/// The sources of all crates that users get, by name, without tests.
fn sources() -> Vec<(String, String)> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => walk(&path, found),
                false => found.push(path),
            }
        }
    }
    let root = repository();
    let mut files = Vec::new();
    for entry in std::fs::read_dir(root.join("crates")).expect("crates") {
        let source = entry.expect("a crate").path().join("src");
        walk(&source, &mut files);
    }
    let named = |path: PathBuf| {
        let name = path.strip_prefix(&root).expect("inside").display().to_string();
        let name = name.trim_start_matches("crates/").to_string();
        let text = std::fs::read_to_string(&path).ok()?;
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_string();
        name.ends_with(".rs").then_some((name, code))
    };
    let for_users = |(name, _): &(String, String)| {
        !["campaign/", "testkit/"].iter().any(|other| name.starts_with(other))
            && !name.ends_with("/tests.rs")
    };
    files.into_iter().filter_map(named).filter(for_users).collect()
}

/// Asserts that `word` stands only where a name begins with one of `allowed`, and somewhere.
fn only_in(word: &str, allowed: &[&str]) {
    let mut count = 0;
    for (name, text) in sources() {
        for (at, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if code.contains(word) {
                count += 1;
                let is_allowed = allowed.iter().any(|prefix| name.starts_with(prefix));
                assert!(is_allowed, "{name}:{} says `{word}`", at + 1);
            }
        }
    }
    assert!(count > 0, "nobody says `{word}`");
}

#[test]
fn engines_read_no_clock_but_where_time_is_what_they_are_about() {
    // Targets run in real time; a limit in seconds has to be watched where solvers are called; and what
    // is asked for is timed by those who ask.
    let solvers =
        ["solve/src/engine/budget.rs", "solve/src/engine/solver_pair.rs", "solve/src/smtlib.rs"];
    let others = ["base/src/control.rs", "solve/src/watchdog.rs", "exec/", "store/", "work/"];
    let askers = ["coverage/", "provoke/", "study/", "cli/"];
    let allowed = [&solvers[..], &others, &askers].concat();
    only_in("Instant::now", &allowed);
}

#[test]
fn nobody_asks_for_the_date() {
    let asks = |(name, text): (String, String)| text.contains("SystemTime").then_some(name);
    assert_eq!(sources().into_iter().find_map(asks), None);
}

#[test]
fn processes_are_started_by_few() {
    let allowed = ["solve/src/smtlib", "work/src/", "exec/src/stream.rs", "mine/src/"];
    only_in("Command::new(", &[&allowed[..], &["provoke/src/mine/process.rs"]].concat());
}

#[test]
fn only_mining_starts_compilers() {
    for compiler in ["\"gcc\"", "\"clang"] {
        only_in(compiler, &["mine/src/", "provoke/src/doctor.rs"]);
    }
}

#[test]
fn only_the_command_line_knows_its_process() {
    // Solvers are found by variables that users set; nobody else looks at the environment.
    let solvers = ["solve/src/z3/library.rs", "solve/src/smtlib.rs", "audit/src/solver/library.rs"];
    only_in("env::var", &[&solvers[..], &["cli/"]].concat());
    only_in("env::args", &["cli/"]);
    only_in("io::stdin", &["cli/"]);
    only_in("io::stdout", &["cli/", "work/src/reports.rs"]);
    only_in("io::stderr", &["cli/"]);
    only_in("signal_hook", &["cli/"]);
    only_in("process::exit", &["cli/"]);
    only_in("clap::", &["cli/"]);
}
