//! What a user sees of mutation.

mod support;

use serde_json::Value;
use support::{check, json, provoke, scratch, solver_is_there};

fn file(folder: &str, name: &str, text: &str) -> String {
    let path = scratch(folder).join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_string()
}

const CHAIN: &str =
    "in1,in2,in3\ntrue,true,true\nfalse,true,true\ntrue,false,false\ntrue,true,true\n";

#[test]
fn mutants_are_listed_with_their_places() {
    check("mutate-list", &["mutate", "models/masking_split.lus", "--list"], 0);
    let result = json(&["mutate", "models/elevator.lus", "--list"], 0);
    let (listed, invalid) = (result["mutants"].as_u64(), result["invalid"].as_u64());
    assert_eq!(result["results"].as_array().map(|all| all.len() as u64), listed);
    assert!(invalid > Some(0) && invalid < listed, "{invalid:?} of {listed:?}");
}

#[test]
fn a_suite_is_scored_with_the_promised_fields() {
    let suite = file("mutate_fields", "chain.csv", CHAIN);
    let arguments = ["mutate", "models/delay_chain.lus", &suite, "--matrix"];
    let result = json(&arguments, 0);
    let number = |field: &str| result[field].as_u64().unwrap_or_else(|| panic!("{field}"));
    let parts = ["invalid", "killed", "equivalent", "survived"].map(number).iter().sum::<u64>();
    assert_eq!(number("mutants"), parts);
    assert_eq!(
        (&result["schema"], &result["oracle"]),
        (&"provoke/mutate/1".into(), &"output".into())
    );
    assert!(result["percent"].is_number() && result["percent_nonequivalent"].is_number());
    let status = |mutant: &&Value| mutant["status"] == "killed";
    let killed = result["results"].as_array().unwrap().iter().find(status).expect("one is killed");
    assert_eq!(killed["killed_by"], serde_json::json!(["chain"]));
    let maximum = json(&[&arguments[..], &["--oracle", "maximum"]].concat(), 0);
    assert!(maximum["killed"].as_u64().unwrap() > number("killed"));
}

#[test]
fn the_score_is_the_same_for_any_number_of_jobs() {
    let suite = scratch("mutate_jobs").join("t.json");
    let suite = suite.to_str().unwrap();
    let model = "models/wiper.lus";
    assert_eq!(provoke(&["simulate", model, "--steps", "40", "-o", suite]).code, 0);
    let run = |jobs: &str| {
        let mut result = json(&["mutate", model, suite, "--sample", "300", "--jobs", jobs], 0);
        result["seconds"] = 0.into();
        result
    };
    let one = run("1");
    assert_eq!(one["mutants"], 300);
    assert_eq!(one, run("3"));
}

#[test]
fn survivors_are_killed_or_proven_equivalent() {
    if !solver_is_there() {
        return;
    }
    let suite = file("mutate_kill", "chain.csv", CHAIN);
    let folder = scratch("mutate_kill_out");
    let out = folder.to_str().unwrap();
    let model = "models/delay_chain.lus";
    let before = json(&["mutate", model, &suite], 0);
    let after = json(&["mutate", model, &suite, "--kill", "-o", out], 0);
    assert!(before["survived"].as_u64() > Some(0));
    assert_eq!((&after["survived"], &after["percent_nonequivalent"]), (&0.into(), &100.0.into()));
    assert!(after["added"].as_u64() > Some(0));
    let written = folder.join("suite.json");
    let again = json(&["mutate", model, written.to_str().unwrap()], 0);
    assert_eq!(again["killed"], after["killed"]);
    assert_eq!(again["tests"], after["tests"]);
}

#[test]
fn every_mutant_is_killed_proven_equivalent_invalid_or_listed_as_unknown() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("mutate_decided");
    let path = |name: String| folder.join(name).to_str().unwrap().to_string();
    let mut seen = std::collections::BTreeMap::new();
    for model in provoke_testkit::files(&provoke_testkit::repository().join("models"), "lus") {
        let name = model.file_stem().unwrap().to_string_lossy().into_owned();
        let (model, suite) = (model.to_str().unwrap(), path(format!("{name}.json")));
        assert_eq!(provoke(&["simulate", model, "--steps", "30", "-o", &suite]).code, 0);
        let words = ["mutate", model, &suite, "--kill", "--sample", "25", "--budget", "500ms"];
        let result = json(&[&words[..], &["-o", &path(name.clone())]].concat(), 0);
        for mutant in result["results"].as_array().unwrap() {
            let (status, reason) = (mutant["status"].as_str().unwrap(), &mutant["reason"]);
            let reason = reason.as_str().unwrap_or_default();
            let told = match status {
                "killed" => mutant["test"].is_string() && mutant["step"].as_u64() > Some(0),
                "equivalent" => reason.starts_with("proven by "),
                "survived" => reason.starts_with("unknown: "),
                "invalid" => !reason.is_empty(),
                _ => false,
            };
            assert!(told, "{name}: {mutant}");
            *seen.entry(status.to_string()).or_insert(0) += 1;
        }
    }
    // How many are proven equivalent in so short a time is the machine's affair.
    assert!(seen["killed"] > 120, "{seen:?}");
}

#[test]
fn mutants_that_never_show_are_proven_equivalent() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("mutate_equivalent");
    let suite = folder.join("few.json").to_str().unwrap().to_string();
    let model = "models/voter.lus";
    assert_eq!(provoke(&["simulate", model, "--steps", "5", "-o", &suite]).code, 0);
    let out = folder.to_str().unwrap();
    let result = json(&["mutate", model, &suite, "--kill", "--sample", "12", "-o", out], 0);
    assert!(result["equivalent"].as_u64() > Some(0));
    assert_eq!(result["survived"], 0);
}

#[test]
fn the_viewer_gets_its_schema() {
    let suite = file("mutate_stryker", "chain.csv", CHAIN);
    let report = scratch("mutate_stryker_out").join("report.json");
    let path = report.to_str().unwrap();
    let model = "models/delay_chain.lus";
    assert_eq!(provoke(&["mutate", model, &suite, "--stryker", path]).code, 0);
    let report: Value = serde_json::from_str(&std::fs::read_to_string(&report).unwrap()).unwrap();
    assert_eq!(report["schemaVersion"], "2");
    let source = report["files"][model]["source"].as_str().unwrap();
    let lines: Vec<&str> = source.lines().collect();
    let mutants = report["files"][model]["mutants"].as_array().unwrap();
    let known = ["Killed", "Survived", "Ignored", "RuntimeError", "CompileError"];
    for mutant in mutants {
        assert!(known.contains(&mutant["status"].as_str().unwrap()), "{mutant}");
        for field in ["id", "mutatorName", "replacement", "description"] {
            assert!(mutant[field].is_string(), "{field}: {mutant}");
        }
        let at = |end: &str, field: &str| {
            mutant["location"][end][field].as_u64().expect("a place") as usize
        };
        assert!(at("start", "line") >= 1 && at("start", "column") >= 1);
        if mutant["mutatorName"] == "delay" {
            let line = lines[at("start", "line") - 1];
            let name = &line[at("start", "column") - 1..at("end", "column") - 1];
            assert!(mutant["replacement"].as_str().unwrap().contains(name), "{mutant}");
        }
    }
    assert!(mutants.iter().any(|mutant| mutant["killedBy"] == serde_json::json!(["chain"])));
}

#[test]
fn strange_cases_get_clear_answers() {
    let chain = file("mutate_strange", "chain.csv", CHAIN);
    let said = |arguments: &[&str], code: i32, message: &str| {
        let ran = provoke(arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {}", ran.stderr);
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(all.contains(message), "{arguments:?}: {all}");
    };
    let nothing = file(
        "mutate_nothing",
        "nothing.lus",
        "type T = enum { A, B };\nnode n(x: bool) returns (y: T); let y = A; tel\n",
    );
    said(&["mutate", &nothing, "--list"], 0, "nothing to mutate");
    let step = file("mutate_nothing_suite", "t.csv", "x\ntrue\n");
    said(&["mutate", &nothing, &step], 0, "nothing to mutate");
    said(
        &["mutate", "models/delay_chain.lus", "--list", "--operators", "arithmetic"],
        0,
        "no place for",
    );
    said(
        &["mutate", "models/delay_chain.lus", "--list", "--operators", "magic"],
        2,
        "the operators are",
    );
    said(&["mutate", "models/microwave.lus", &chain], 3, "no column names an input");
    said(&["mutate", "models/delay_chain.lus"], 2, "no SUITE is given to run the mutants on");
    let next = "provoke generate models/delay_chain.lus -c omcdc -o out";
    said(&["mutate", "models/delay_chain.lus"], 2, next);
    said(&["mutate", "models/delay_chain.lus", "--kill", "-o", "out"], 2, next);
    said(&["mutate", "models/delay_chain.lus", &chain, "--kill"], 2, "--output");
    said(&["mutate", "models/delay_chain.lus", &chain, "--require", "99%"], 1, "survivors");
    let outside = scratch("mutate_outside").join("random.json");
    let (model, outside) = ("models/cruise_control.lus", outside.to_str().unwrap());
    assert_eq!(provoke(&["simulate", model, "--steps", "3", "-o", outside]).code, 0);
    said(&["mutate", model, outside, "--sample", "20"], 0, "1 of the tests leave the assumptions");
    let numbers = file(
        "mutate_numbers",
        "numbers.lus",
        "node n(x, z: int) returns (y: int); let y = x + z; tel\n",
    );
    let zeros = file("mutate_zeros", "zeros.csv", "x,z\n0,0\n");
    said(&["mutate", &numbers, &zeros], 0, "arithmetic");
    let result = json(&["mutate", &numbers, &zeros, "--operators", "arithmetic"], 0);
    let reasons: Vec<&Value> =
        result["results"].as_array().unwrap().iter().map(|mutant| &mutant["reason"]).collect();
    assert!(reasons.contains(&&"no value in test zeros, step 1".into()), "{reasons:?}");
    assert_eq!(result["invalid"], 2, "div and mod");
}
