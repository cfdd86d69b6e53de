//! What independent implementations found is found again: traces value by value, verdicts one by one.

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use provoke_testkit::{files, repository};
use support::{provoke, solver_is_there};

/// Simulates a model with the inputs of a trace and compares all of it.
fn reproduces(model: &Path, trace: &Path) {
    let (model, trace) = (model.to_str().unwrap(), trace.to_str().unwrap());
    let ran = provoke(&["simulate", model, "-i", trace, "--expect", trace]);
    assert_eq!(ran.code, 0, "{model}: {}{}", ran.stdout, ran.stderr);
}

fn model_of(trace: &Path, folders: &[PathBuf]) -> PathBuf {
    let name = trace.with_extension("lus");
    let name = name.file_name().expect("a file");
    let mut candidates = folders.iter().map(|folder| folder.join(name));
    candidates.find(|path| path.exists()).unwrap_or_else(|| panic!("no model for {name:?}"))
}

#[test]
fn reference_traces_are_reproduced() {
    let Some(golden) = provoke_testkit::shared("golden") else { return };
    let Some(models) = provoke_testkit::shared("models/lustre") else { return };
    let folders = ["single_node", "multi_node", "jkind"].map(|folder| models.join(folder));
    let traces = files(&golden, "csv");
    traces.iter().for_each(|trace| reproduces(&model_of(trace, &folders), trace));
    assert!(traces.len() >= 50, "only {} traces", traces.len());
}

#[test]
fn our_own_traces_are_reproduced() {
    let folders =
        ["models", "testdata/ok", "testdata/golden"].map(|folder| repository().join(folder));
    let traces = files(&repository().join("testdata/golden"), "csv");
    traces.iter().for_each(|trace| reproduces(&model_of(trace, &folders), trace));
    assert!(traces.len() >= 50, "only {} traces", traces.len());
}

/// The lines of a file of verdicts: by what it is about, what enumeration found.
fn verdicts(path: &Path) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(path).expect("verdicts");
    let line = |line: &str| {
        let (verdict, about) = line.split_once(' ').expect("two parts");
        (about.to_string(), verdict.to_string())
    };
    text.lines().map(line).collect()
}

/// What a command says about each thing that it decides.
fn said(arguments: &[&str]) -> Vec<(String, String)> {
    let ran = provoke(&[arguments, &["--format", "json"]].concat());
    assert!([0, 1, 5].contains(&ran.code), "{arguments:?}: {}", ran.stderr);
    let result: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let list = result["verdicts"].as_array().expect("verdicts").clone();
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_string();
    list.iter().map(|one| (text(&one["id"]), text(&one["verdict"]))).collect()
}

/// Whether the tool may say this where enumeration found that.
fn agree(said: &str, found: &str) -> bool {
    match found {
        "covered" | "infeasible" => said == found,
        "undefined" => said == "unknown",
        "not-covered" => said == "infeasible" || said == "unknown",
        // `prove` looks for tests that violate a property: what no test does holds.
        "holds" => said == "infeasible" || said == "holds",
        "violated" => said == "covered" || said == "violated",
        _ => panic!("{found} is no verdict"),
    }
}

#[test]
fn verdicts_are_those_of_enumeration() {
    if !solver_is_there() {
        return;
    }
    let (mut compared, mut wrong) = (0, Vec::new());
    for path in files(&repository().join("testdata/golden"), "verdicts") {
        let model = path.with_extension("lus").to_str().unwrap().to_string();
        let mut expected = verdicts(&path);
        let obligations = said(&["generate", &model, "-c", "condition,decision,branch,mcdc"]);
        for (about, said) in obligations.into_iter().chain(said(&["prove", &model])) {
            let found = expected.remove(&about).unwrap_or_else(|| panic!("{model}: {about}"));
            compared += 1;
            if !agree(&said, &found) {
                wrong.push(format!("{model}: {about} is {said}, enumeration says {found}"));
            }
        }
        assert!(expected.is_empty(), "{model}: {expected:?} got no verdict");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared >= 500, "only {compared} verdicts");
}
