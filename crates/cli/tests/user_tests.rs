//! Tests that users wrote: what they expect is compared and kept, and what they cover becomes evidence.

mod support;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use support::{json, provoke, scratch};

/// A lamp that a press switches; `last` is undefined at first, and no level is negative.
const LAMP: &str = "node lamp(press: bool; level: int) returns (on: bool; alarm: bool; last: int);
var was: bool;
let
  --@ REQ-1: a press switches the lamp
  was = false -> pre on;
  on = if press then not was else was;
  alarm = on and level > 5;
  last = pre level;
  assert level >= 0;
tel
";

/// In step 2 of `switch` the alarm is expected to be silent, and it is not. `last` has no value in step 1, cells
/// of step 3 are empty, and `outside` leaves the assumptions at once.
const TESTS: &str = "test,requirements,press,level,on,alarm,last
switch,REQ-1 REQ-7,true,3,true,false,99
switch,,false,9,true,false,3
switch,,true,9,,,
outside,REQ-8,true,-1,false,false,
outside,,true,1,false,false,
";

struct Files {
    folder: PathBuf,
    model: String,
    suite: String,
}

impl Files {
    fn new(name: &str) -> Files {
        let folder = scratch(name);
        let file = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).expect("a writable folder");
            path.to_str().expect("UTF-8").to_string()
        };
        let (model, suite) = (file("lamp.lus", LAMP), file("mine.csv", TESTS));
        Files { folder, model, suite }
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().expect("UTF-8").to_string()
    }

    /// The suite in another format.
    fn converted(&self, name: &str) -> String {
        let path = self.path(name);
        let ran = provoke(&["convert", &self.suite, "--model", &self.model, "-o", &path]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        path
    }

    /// The folder of a measurement that found the difference.
    fn measured(&self) -> String {
        let folder = self.path("measured");
        let ran = provoke(&["measure", &self.model, &self.suite, "-o", &folder]);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        folder
    }
}

fn read(path: impl AsRef<Path>) -> Value {
    let text = std::fs::read_to_string(path).expect("a file");
    serde_json::from_str(&text).expect("JSON")
}

fn difference() -> Value {
    json!([{"test": "switch", "step": 2, "variable": "alarm", "expected": "false", "computed": "true"}])
}

#[test]
fn a_wrong_expectation_is_told_by_every_command_in_every_format() {
    let files = Files::new("user_tests_formats");
    let suites = [files.suite.clone(), files.converted("m.xlsx"), files.converted("m.json")];
    for suite in &suites {
        let model = files.model.as_str();
        let commands: [&[&str]; 4] = [
            &["measure", model, suite],
            &["reduce", model, suite],
            &["mutate", model, suite],
            &["generate", model, "--extend", suite, "--method", "random"],
        ];
        for command in commands {
            let result = json(command, 1);
            assert_eq!(result["differences"], difference(), "{command:?}");
            let counted = json!({"compared": 5, "undefined": 1, "outside": 4});
            assert_eq!(result["expectations"], counted, "{command:?}");
            let ran = provoke(command);
            let row = "  switch  2     alarm     false     true\n";
            assert!(ran.code == 1 && ran.stdout.contains(row), "{command:?}: {}", ran.stdout);
        }
    }
}

#[test]
fn expectations_that_hold_are_counted_and_change_no_exit_code() {
    let files = Files::new("user_tests_right");
    std::fs::write(&files.suite, TESTS.replace("9,true,false,3", "9,true,true,3")).unwrap();
    let ran = provoke(&["measure", &files.model, &files.suite]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(ran.stdout.contains("expected values: 5 compared, 1 undefined"), "{}", ran.stdout);
    assert!(ran.stdout.contains("; none differs\n"), "{}", ran.stdout);
    assert_eq!(json(&["reduce", &files.model, &files.suite], 0)["differences"], json!([]));
}

#[test]
fn extended_suites_keep_names_expectations_and_requirements() {
    let files = Files::new("user_tests_extend");
    let out = files.path("out");
    let generate = ["generate", &files.model, "--extend", &files.suite, "-o", &out];
    let ran = provoke(&[&generate[..], &["--method", "random"]].concat());
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let suite = read(Path::new(&out).join("suite.json"));
    let [switch, outside, new] = [0, 1, 2].map(|at| &suite["tests"][at]);
    assert_eq!((&switch["name"], &outside["name"]), (&json!("switch"), &json!("outside")));
    assert_eq!(switch["requirements"], json!(["REQ-1", "REQ-7"]));
    assert_eq!(outside["requirements"], json!(["REQ-8"]));
    assert!(new["name"].is_string() && new.get("requirements").is_none(), "{new}");
    assert_eq!(switch["steps"][0]["out"], json!({"on": true, "alarm": false, "last": 99}));
    assert_eq!(switch["steps"][1]["out"], json!({"on": true, "alarm": false, "last": 3}));
    // Nothing was expected of the third step: that is computed.
    assert_eq!(switch["steps"][2]["out"], json!({"on": false, "alarm": false, "last": 9}));
}

#[test]
fn new_tests_for_mutants_leave_what_was_expected() {
    let files = Files::new("user_tests_kill");
    if !support::solver_is_there() {
        return;
    }
    let out = files.path("mutants");
    let ran = provoke(&["mutate", &files.model, &files.suite, "--kill", "-o", &out]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let suite = read(Path::new(&out).join("suite.json"));
    assert_eq!(suite["tests"][0]["steps"][1]["out"]["alarm"], false);
    assert_eq!(suite["tests"][0]["requirements"], json!(["REQ-1", "REQ-7"]));
    assert_eq!(suite["tests"][2]["name"], "kill-1");
    assert!(suite["tests"][2]["steps"][0]["out"]["on"].is_boolean());
}

#[test]
fn a_requirement_keeps_its_test_in_a_smaller_suite() {
    let files = Files::new("user_tests_reduce");
    let small = files.path("small.csv");
    for trim in [&[][..], &["--trim"]] {
        let reduce = ["reduce", &files.model, &files.suite, "-o", &small];
        assert_eq!(provoke(&[&reduce[..], trim].concat()).code, 1);
        // `outside` covers nothing, and it alone is for REQ-8.
        assert_eq!(std::fs::read_to_string(&small).unwrap(), TESTS, "{trim:?}");
    }
    std::fs::write(&files.suite, TESTS.replace("REQ-8", "")).unwrap();
    assert_eq!(json(&["reduce", &files.model, &files.suite], 1)["after"]["tests"], 1);
}

#[test]
fn a_measurement_is_evidence_that_is_explained_and_audited() {
    let files = Files::new("user_tests_measured");
    let folder = files.measured();
    let ran = provoke(&["explain", "*", &folder]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let words = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = [
        "No test of the suite covers it. Nothing else was tried.",
        "This test contradicts the model: in step 2 it expects `alarm` to be false, and the model computes true.",
    ];
    for sentence in expected {
        assert!(words.contains(sentence), "{sentence}\n{words}");
    }
    assert!(!words.contains("search") && !words.contains("proof"), "{words}");
    let audit = json(&["audit", &folder], 1);
    let covered = json(&["measure", &files.model, &files.suite], 1)["covered"].clone();
    // Of each, it is seen when it is wrong in one step, and when it always is.
    let claims = json!(2 * covered.as_u64().unwrap());
    assert_eq!((&audit["claims"], &audit["confirmed"]), (&claims, &claims));
    let told = "test switch: step 2: `alarm` is true, the test expects false";
    assert_eq!((&audit["refuted"], &audit["findings"][0]["reason"]), (&json!(1), &json!(told)));
}

#[test]
fn a_report_shows_the_measurement_its_differences_and_the_requirements_of_tests() {
    let files = Files::new("user_tests_report");
    let (folder, page) = (files.measured(), files.path("report.json"));
    assert_eq!(provoke(&["report", &folder, "-o", &page]).code, 0);
    let report = read(&page);
    let run = &report["evidence"][0];
    assert_eq!((&run["kind"], &run["measured"]), (&json!("generate"), &json!(true)));
    assert_eq!(run["tests"][0]["differences"], difference());
    let settings: Vec<&str> =
        run["settings"].as_array().unwrap().iter().filter_map(|row| row[0].as_str()).collect();
    assert!(settings.contains(&"method") && !settings.contains(&"solver"), "{settings:?}");
    let ids: Vec<&Value> =
        report["requirements"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
    assert_eq!(ids, ["REQ-1", "REQ-7", "REQ-8"]);
    let first = &report["requirements"][0];
    assert_eq!(first["about"], json!(["line 5", "test switch"]));
    assert_eq!(
        first["tests"][0],
        json!({"test": 0, "covers": 2, "linked": true, "failed_step": 2})
    );
    let alone = &report["requirements"][2];
    assert_eq!(alone["tests"], json!([{"test": 1, "covers": 0, "linked": true}]));
    let junit = files.path("report.xml");
    assert_eq!(provoke(&["report", &folder, "-o", &junit]).code, 0);
    let text = std::fs::read_to_string(&junit).unwrap();
    assert!(text.contains("step 2: `alarm` is true, the test expects false"), "{text}");
}

#[test]
fn an_expectation_that_is_edited_in_a_folder_is_noticed() {
    let files = Files::new("user_tests_edited");
    std::fs::write(&files.suite, TESTS.replace("9,true,false,3", "9,true,true,3")).unwrap();
    let folder = files.path("measured");
    assert_eq!(provoke(&["measure", &files.model, &files.suite, "-o", &folder]).code, 0);
    assert_eq!(json(&["audit", &folder], 0)["refuted"], 0);
    let path = Path::new(&folder).join("suite.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let edited = text.replacen("\"on\": true", "\"on\": false", 1);
    assert_ne!(text, edited);
    std::fs::write(&path, edited).unwrap();
    let audit = json(&["audit", &folder], 1);
    let told = "test switch: step 1: `on` is true, the test expects false";
    assert_eq!(audit["findings"][0]["reason"], told);
    // What is undefined, and what is left open, contradicts nothing.
    let free = text.replace("\"last\": 99", "\"last\": 5").replace("\"on\": true", "\"on\": null");
    std::fs::write(&path, free).unwrap();
    assert_eq!(json(&["audit", &folder], 0)["refuted"], 0);
}

#[test]
fn changed_values_decide_in_a_folder_where_they_were_asked_for() {
    let files = Files::new("user_tests_exact");
    let folder = files.path("measured");
    let measure = ["measure", &files.model, &files.suite, "-o", &folder, "--exact", "step"];
    let result = json(&measure, 1);
    let verdicts = read(Path::new(&folder).join("verdicts.json"));
    let covered = |one: &&Value| one["verdict"] == "covered";
    let count = verdicts["verdicts"].as_array().unwrap().iter().filter(covered).count();
    assert_eq!((&result["exact"]["covered"], &verdicts["exact"]), (&json!(count), &json!("step")));
    assert_eq!(json(&["audit", &folder], 1)["confirmed"], count);
    let ran = provoke(&[&measure[..], &["-c", "mcdc"]].concat());
    assert!(ran.code == 3 && ran.stderr.contains("use -c omcdc"), "{}", ran.stderr);
}

#[test]
fn a_measurement_replaces_only_a_measurement() {
    let files = Files::new("user_tests_replaced");
    let generated = files.path("generated");
    let generate = ["generate", &files.model, "--method", "random", "-o", &generated];
    assert!([0, 5].contains(&provoke(&generate).code));
    let verdicts = Path::new(&generated).join("verdicts.json");
    let before = std::fs::read(&verdicts).unwrap();
    let ran = provoke(&["measure", &files.model, &files.suite, "-o", &generated]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("holds settings.json of another command"), "{}", ran.stderr);
    assert!(ran.stderr.contains("name another folder"), "{}", ran.stderr);
    assert_eq!(std::fs::read(&verdicts).unwrap(), before);
    let measured = files.measured();
    assert_eq!(files.measured(), measured, "a second measurement is written over the first");
}

#[test]
fn a_test_that_divides_by_zero_is_told_with_its_step() {
    let folder = scratch("user_tests_division");
    let (model, suite) = (folder.join("d.lus"), folder.join("mine.csv"));
    let text = "node main(x: int; a: bool) returns (o: bool; q: int); let q = 10 div x; o = a; tel";
    std::fs::write(&model, text).unwrap();
    std::fs::write(&suite, "x,a\n1,true\n0,false\n5,true\n").unwrap();
    let (model, suite) = (model.to_str().unwrap(), suite.to_str().unwrap());
    for command in ["measure", "mutate", "reduce"] {
        let ran = provoke(&[command, model, suite]);
        assert_eq!(ran.code, 0, "{command}: {}", ran.stderr);
        let told = "`mine` by a division by zero in step 2";
        assert!(ran.stderr.contains(told), "{command}: {}", ran.stderr);
    }
}
