//! What a user sees of studies.

mod support;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use provoke_testkit::{check_snapshot, files, repository};
use support::{command, json, provoke, scratch, solver_is_there};

const STUDY: [&str; 8] =
    ["study", "observability", "--models", "models", "--quick", "--method", "random", "-o"];

/// The files of a study, without those that tell the time.
fn tables(folder: &Path) -> Vec<(String, String)> {
    let timed = ["table-13-time", "table-6.1-time", "times"];
    let stem = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    let csv = files(folder, "csv").into_iter().filter(|path| !timed.contains(&&*stem(path)));
    csv.map(|path| (stem(&path), std::fs::read_to_string(path).unwrap())).collect()
}

/// The page of a study without the tables that tell the time.
fn page(folder: &Path) -> String {
    let text = std::fs::read_to_string(folder.join("study.md")).unwrap();
    let timed = |part: &&str| part.starts_with("Table 13:") || part.starts_with("Table 6.1:");
    text.split("\n## ").filter(|part| !timed(part)).collect::<Vec<_>>().join("\n## ")
}

fn snapshot(name: &str, folder: &Path) {
    let file = repository().join(format!("crates/cli/tests/snapshots/{name}.md"));
    check_snapshot(&file, &page(folder));
}

#[test]
fn the_tables_of_observability_are_written() {
    let folder = scratch("study_tables");
    let out = folder.to_str().unwrap();
    let result = json(&[&STUDY[..], &[out]].concat(), 0);
    assert_eq!(result["schema"], "provoke/study/1");
    // Three models in three forms: eight criteria, and the observable ones read once more.
    assert_eq!((&result["cases"], &result["done"]), (&108.into(), &108.into()));
    let numbers: Vec<&str> = result["tables"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["number"].as_str().unwrap())
        .collect();
    let expected = ["4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16"];
    assert_eq!(numbers, expected);
    snapshot("study-observability", &folder);
    let written: Vec<String> = tables(&folder).into_iter().map(|(name, _)| name).collect();
    assert_eq!(written.len(), 12 + 2, "{written:?}");
}

#[test]
fn the_number_of_jobs_does_not_change_the_tables() {
    let run = |jobs: &str| {
        let folder = scratch(&format!("study_jobs_{jobs}"));
        let out = folder.to_str().unwrap();
        let ran = provoke(&[&STUDY[..], &[out, "--jobs", jobs, "--forms", "given"]].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        (tables(&folder), page(&folder))
    };
    assert_eq!(run("1"), run("2"));
}

#[test]
fn a_study_goes_on_where_it_was() {
    let folder = scratch("study_resumed");
    let out = folder.to_str().unwrap();
    let arguments = [&STUDY[..], &[out, "--forms", "given"]].concat();
    let first = json(&[&arguments[..], &["--criteria", "mcdc,omcdc"]].concat(), 0);
    assert_eq!((&first["done"], &first["resumed"]), (&9.into(), &0.into()));
    let more = json(&arguments, 0);
    assert_eq!((&more["done"], &more["resumed"]), (&36.into(), &9.into()));
    let again = json(&arguments, 0);
    assert_eq!((&again["done"], &again["resumed"]), (&36.into(), &36.into()));
    assert_eq!(again["tables"], more["tables"]);
    let other = json(&[&arguments[..], &["--suites", "11"]].concat(), 0);
    assert_eq!(other["resumed"], 0, "other settings are other cases");
}

#[test]
fn a_killed_study_loses_nothing_that_was_done() {
    let folder = scratch("study_killed");
    let whole = scratch("study_not_killed");
    let arguments = |out: &Path| -> Vec<String> {
        let words = [&STUDY[..], &[out.to_str().unwrap(), "--forms", "given", "--jobs", "1"]];
        words.concat().into_iter().map(String::from).collect()
    };
    let of_folder = arguments(&folder);
    let of_folder: Vec<&str> = of_folder.iter().map(String::as_str).collect();
    let mut child =
        command(&of_folder).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.starts_with("[1/36, "), "{line}");
    let resumed = json(&of_folder, 0);
    assert!(resumed["resumed"].as_u64() >= Some(1), "{}", resumed["resumed"]);
    let of_whole = arguments(&whole);
    json(&of_whole.iter().map(String::as_str).collect::<Vec<_>>(), 0);
    assert_eq!(tables(&folder), tables(&whole));
}

#[test]
fn survivors_are_decided_if_that_is_asked() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("study_kill");
    let out = folder.to_str().unwrap();
    let words = ["study", "observability", "--models", "models/masking_split.lus", "--kill"];
    let more = ["--forms", "given", "--criteria", "mcdc,omcdc", "--quick", "-o", out];
    let result = json(&[&words[..], &more].concat(), 0);
    let tables = result["tables"].as_array().unwrap();
    let rows = |file: &str| {
        let table = tables.iter().find(|table| table["file"] == file);
        table.unwrap_or_else(|| panic!("no {file}"))["rows"].clone()
    };
    let survivors = rows("survivors.csv");
    assert_eq!(survivors[0].as_array().unwrap().last().unwrap(), "100.00", "{survivors}");
    for row in rows("table-07-efficacy.csv").as_array().unwrap() {
        assert_eq!(row.as_array().unwrap().last().unwrap(), "1", "{row}");
    }
}

#[test]
fn incremental_and_regular_generation_are_compared() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("study_incremental");
    let out = folder.to_str().unwrap();
    let words = ["study", "incremental", "--models", "models", "--quick", "-o", out];
    let result = json(&words, 0);
    // Three models, two methods, three runs.
    assert_eq!(result["done"], 18);
    snapshot("study-incremental", &folder);
    let again = json(&words, 0);
    assert_eq!((&again["resumed"], &again["tables"]), (&18.into(), &result["tables"]));
}

#[test]
fn what_cannot_be_studied_is_said() {
    let folder = scratch("study_strange");
    let out = folder.join("out");
    let out = out.to_str().unwrap();
    let said = |arguments: &[&str], code: i32, message: &str| {
        let ran = provoke(&[&["study"], arguments, &["-o", out]].concat());
        assert_eq!(ran.code, code, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{arguments:?}: {}", ran.stderr);
    };
    let model = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let empty = folder.join("empty");
    std::fs::create_dir_all(&empty).unwrap();
    said(&["observability", "--models", empty.to_str().unwrap()], 3, "holds no models");
    said(&["observability", "--models", "nowhere"], 3, "cannot read nowhere");
    said(&["observability", "--models", "models", "--criteria", "mc"], 2, "`mc` is none of");
    said(&["observability", "--models", "models", "--forms", "flat"], 2, "`flat` is none of");
    let twins = ["--models", "models/voter.lus", "--models", "models/voter.lus"];
    said(&[&["observability"], &twins[..]].concat(), 3, "two models are called voter");
    let broken = model("broken/b.lus", "node n(x: bool) returns (y: bool); let y = z; tel");
    said(&["observability", "--models", &broken], 3, "z");
    let enumeration = "type T = enum { A, B };\nnode n(x: bool) returns (y: T); let y = A; tel\n";
    let nothing = model("nothing/n.lus", enumeration);
    said(&["observability", "--models", &nothing], 0, "n is left out: it has nothing to mutate");
    let sums = model("sums/s.lus", "node n(x, z: int) returns (y: int); let y = x + z; tel\n");
    let quick = ["--quick", "--method", "random"];
    said(
        &[&["observability", "--models", &sums], &quick[..]].concat(),
        0,
        "mcdc, random 1: it asks for nothing",
    );
}
