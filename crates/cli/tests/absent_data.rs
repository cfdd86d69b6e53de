//! A check that cannot be made is counted, or fails where the data is required.

use std::path::Path;
use std::process::{Command, Output};

/// Wants what is in no collection.
#[test]
#[ignore = "the child of the tests below"]
fn child_that_wants_what_is_absent() {
    assert!(provoke_testkit::shared("golden").is_none());
}

/// Wants a tool that nobody has.
#[test]
#[ignore = "the child of the tests below"]
fn child_that_wants_a_tool() {
    provoke_testkit::skip("no such tool");
}

fn child(name: &str, list: &Path, variable: (&str, &str)) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", name, "--ignored", "--nocapture"]);
    command.env_remove("CI").env_remove("PROVOKE_REQUIRE_SHARED");
    command.env("PROVOKE_SHARED", "/nowhere").env("PROVOKE_SKIPPED", list);
    command.env(variable.0, variable.1).output().expect("a child")
}

fn fresh_list(name: &str) -> std::path::PathBuf {
    let list = std::env::temp_dir().join(format!("provoke-{name}-{}", std::process::id()));
    let _ = std::fs::remove_file(&list);
    list
}

#[test]
fn absent_data_is_counted_and_fails_where_it_is_required() {
    let list = fresh_list("absent");
    let name = "child_that_wants_what_is_absent";
    assert!(child(name, &list, ("PROVOKE_REQUIRE_SHARED", "0")).status.success());
    assert!(child(name, &list, ("CI", "true")).status.success());
    let line = format!(
        "no golden of the benchmark collection (set PROVOKE_SHARED)\tabsent_data\t{name}\n"
    );
    assert_eq!(std::fs::read_to_string(&list).expect("a list"), line.repeat(2));
    let required = child(name, &list, ("PROVOKE_REQUIRE_SHARED", "1"));
    assert!(!required.status.success());
    assert!(String::from_utf8_lossy(&required.stderr).contains("it is required"));
    std::fs::remove_file(&list).expect("a list");
}

#[test]
fn an_absent_tool_is_counted_and_fails_in_continuous_integration() {
    let list = fresh_list("tool");
    let name = "child_that_wants_a_tool";
    assert!(child(name, &list, ("CI", "")).status.success());
    assert!(!child(name, &list, ("CI", "true")).status.success());
    let line = format!("no such tool\tabsent_data\t{name}\n");
    assert_eq!(std::fs::read_to_string(&list).expect("a list"), line);
    std::fs::remove_file(&list).expect("a list");
}
