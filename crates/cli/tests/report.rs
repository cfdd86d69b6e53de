//! What a user sees of reports and explanations.

mod support;

use std::path::{Path, PathBuf};

use provoke_testkit::repository;
use serde_json::Value;
use support::{json, provoke, scratch};

/// Tests by simulation alone, so that no solver is needed.
fn generated(name: &str, model: &str, criterion: &str) -> PathBuf {
    let out = scratch(name).join("run");
    let path = out.to_str().unwrap();
    let ran = provoke(&["generate", model, "-c", criterion, "--method", "random", "-o", path]);
    assert!([0, 5].contains(&ran.code), "{}", ran.stderr);
    out
}

/// What the page shows, as JSON.
fn shown(results: &[&Path], more: &[&str]) -> Value {
    let file = results[0].parent().unwrap().join("shown.json");
    let mut arguments = vec!["report"];
    arguments.extend(results.iter().map(|path| path.to_str().unwrap()));
    arguments.extend(["-o", file.to_str().unwrap()]);
    arguments.extend(more);
    let ran = provoke(&arguments);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

fn of_state<'a>(generation: &'a Value, state: &str) -> Vec<&'a Value> {
    let obligations = generation["obligations"].as_array().unwrap();
    obligations.iter().filter(|obligation| obligation["state"] == state).collect()
}

#[test]
fn a_report_shows_what_measure_measures() {
    let out = generated("report-measured", "models/microwave.lus", "omcdc");
    let report = shown(&[&out], &[]);
    let generation = &report["evidence"][0];
    let suite = out.join("suite.json");
    let suite = suite.to_str().unwrap();
    let measured = json(&["measure", "models/microwave.lus", suite, "-c", "omcdc"], 0);
    let shown = [of_state(generation, "shown"), of_state(generation, "lasting")].concat();
    assert_eq!(shown.len() as u64, measured["covered"].as_u64().unwrap());
    for witness in measured["witnesses"].as_array().unwrap() {
        let of = |obligation: &&&Value| obligation["id"] == witness["id"];
        let ours = shown.iter().find(of).expect("the same obligations");
        let test = ours["witness"]["test"].as_u64().unwrap() as usize;
        assert_eq!(generation["tests"][test]["name"], witness["test"]);
        assert_eq!(ours["witness"]["exercised"], witness["exercised"]);
        let steps = ours["witness"]["path"].as_array().unwrap().iter().map(|visit| &visit[1]);
        let expected = witness["path"].as_array().unwrap().iter().map(|visit| &visit["step"]);
        assert!(steps.eq(expected), "{}", ours["id"]);
    }
}

#[test]
fn places_are_where_the_expressions_are() {
    let out = generated("report-places", "models/infusion_pump.lus", "obranch");
    let report = shown(&[&out], &[]);
    let generation = &report["evidence"][0];
    let source: Vec<u16> = generation["source"].as_str().unwrap().encode_utf16().collect();
    let mut seen = 0;
    for obligation in generation["obligations"].as_array().unwrap() {
        let place = |name: &str| obligation[name].as_u64().unwrap() as usize;
        let text = String::from_utf16(&source[place("start")..place("end")]).unwrap();
        if obligation["expression"] == "mode = KeepOpen" && obligation["node"] == "infusion_pump" {
            assert_eq!(text, "mode = KeepOpen");
            seen += 1;
        }
    }
    assert_eq!(seen, 4);
}

#[test]
fn waves_say_what_simulate_says() {
    let out = generated("report-waves", "models/traffic_light.lus", "omcdc");
    let report = shown(&[&out], &[]);
    let generation = &report["evidence"][0];
    let suite: Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("suite.json")).unwrap()).unwrap();
    for (test, case) in
        generation["tests"].as_array().unwrap().iter().zip(suite["tests"].as_array().unwrap())
    {
        assert_eq!(test["name"], case["name"]);
        for wave in test["waves"].as_array().unwrap() {
            let signal = &generation["signals"][wave[0].as_u64().unwrap() as usize];
            let column = match signal["role"].as_str().unwrap() {
                "in" => "in",
                "out" => "out",
                _ => continue,
            };
            let runs = wave[1].as_array().unwrap();
            let values = runs
                .chunks(2)
                .flat_map(|run| vec![run[0].clone(); run[1].as_u64().unwrap() as usize]);
            for (value, step) in values.zip(case["steps"].as_array().unwrap()) {
                let mut expected = step[column][signal["name"].as_str().unwrap()].clone();
                if let Some(truth) = expected.as_bool() {
                    expected = u8::from(truth).into();
                }
                assert_eq!(value, expected, "{} {}", test["name"], signal["name"]);
            }
        }
    }
}

#[test]
fn what_is_covered_but_masked_is_told_apart() {
    let out = scratch("report-masked").join("run");
    let path = out.to_str().unwrap();
    let inputs = out.parent().unwrap().join("tests.csv");
    // `v1` is exercised both ways, but in3 never lets it reach the output.
    let header = provoke(&["check", "models/masking_split.lus", "--format", "json"]);
    let checked: Value = serde_json::from_str(&header.stdout).unwrap();
    let names: Vec<&str> =
        checked["inputs"].as_array().unwrap().iter().map(|i| i["name"].as_str().unwrap()).collect();
    let mut rows = names.join(",");
    for bits in 0..1 << names.len() {
        let row: Vec<&str> =
            (0..names.len()).map(|at| if bits >> at & 1 == 1 { "true" } else { "false" }).collect();
        rows += &format!("\n{}", row.join(","));
    }
    std::fs::write(&inputs, rows).unwrap();
    let inputs = inputs.to_str().unwrap();
    let model = "models/masking_split.lus";
    let plain = ["generate", model, "-c", "mcdc", "--method", "random", "--extend", inputs];
    let ran = provoke(&[&plain[..], &["-o", path]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let generation = &shown(&[&out], &[])["evidence"][0];
    let suite = out.join("suite.json");
    let measured = json(&["measure", model, suite.to_str().unwrap(), "-c", "omcdc"], 0);
    let hidden = measured["uncovered"].as_array().unwrap();
    assert_eq!(of_state(generation, "masked").len(), hidden.len());
    assert_eq!(of_state(generation, "unknown").len(), 0);
}

#[test]
fn an_obligation_is_explained_in_sentences() {
    let out = generated("explained", "models/delay_chain.lus", "omcdc");
    let folder = out.to_str().unwrap();
    let ran = provoke(&["explain", "*", folder]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("its effect must be observed"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("is true and decides alone. Had it been false then"),
        "{}",
        ran.stdout
    );
    let unknown = provoke(&["explain", "nothing", folder]);
    assert_eq!(unknown.code, 3);
    assert!(unknown.stderr.contains("no obligation is called `nothing`"), "{}", unknown.stderr);
    let told = json(&["explain", "*", folder], 0);
    assert_eq!(told["schema"], "provoke/explain/1");
    assert!(!told["obligations"].as_array().unwrap().is_empty());
}

#[test]
fn requirements_come_from_comments_and_tables() {
    let folder = scratch("requirements");
    let model = folder.join("tank.lus");
    std::fs::write(
        &model,
        "node tank(full, empty : bool) returns (pump, alarm : bool);\nlet\n  \
         --@ REQ-1: the pump runs while the tank is not full\n  pump = not full;\n  \
         alarm = full and empty;  --@ REQ-2, REQ-3\ntel;\n",
    )
    .unwrap();
    let table = folder.join("requirements.csv");
    std::fs::write(
        &table,
        "requirement,about,text\nREQ-4,alarm,\"an alarm, seen\"\nREQ-5,,later\n",
    )
    .unwrap();
    let out = generated("requirements-run", model.to_str().unwrap(), "omcdc");
    let report = shown(&[&out], &["--requirements", table.to_str().unwrap()]);
    let of = |id: &str| {
        let all = report["requirements"].as_array().unwrap();
        all.iter().find(|requirement| requirement["id"] == id).expect("it was given").clone()
    };
    let obligations = report["evidence"][0]["obligations"].as_array().unwrap();
    let variables = |id: &str| -> Vec<String> {
        let positions = of(id)["obligations"].as_array().unwrap().clone();
        let name = |at: &Value| obligations[at.as_u64().unwrap() as usize]["variable"].as_str();
        positions.iter().map(|at| name(at).unwrap().to_string()).collect()
    };
    assert_eq!(of("REQ-1")["text"], "the pump runs while the tank is not full");
    assert_eq!(variables("REQ-1"), ["pump", "pump"]);
    for id in ["REQ-2", "REQ-3", "REQ-4"] {
        assert_eq!(variables(id), ["alarm"; 4], "{id}");
    }
    assert_eq!(of("REQ-4")["text"], "an alarm, seen");
    assert!(variables("REQ-5").is_empty());
    let wrong = folder.join("wrong.csv");
    std::fs::write(&wrong, "requirement,about\nREQ-9,alrm\n").unwrap();
    let wrong = wrong.to_str().unwrap();
    let ran = provoke(&["report", out.to_str().unwrap(), "--requirements", wrong]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("wrong.csv:2: nothing is called `alrm`"), "{}", ran.stderr);
}

/// A pump with a property that simulation violates, one that it does not, and a branch for each.
const PUMP: &str = "node pump(full, start: bool) returns (run, alarm: bool);
let
  --@ REQ-1: the pump stands while the tank is full
  run = if full then false else start;
  --@ REQ-1
  --%PROPERTY \"stands\" full => not run;
  alarm = if full and start then true else false;  --@ REQ-2
  --@ REQ-2
  --%PROPERTY \"quiet\" not alarm;
  --@ REQ-3
  --%PROPERTY \"started\" true -> pre run or not run;
tel;
";

/// Its branches, and its properties, each in a folder of its own.
fn pump(name: &str) -> (PathBuf, PathBuf) {
    let folder = scratch(name);
    std::fs::create_dir_all(&folder).unwrap();
    let model = folder.join("pump.lus");
    std::fs::write(&model, PUMP).unwrap();
    let model = model.to_str().unwrap();
    let run = |criterion: &str, codes: &[i32]| {
        let out = folder.join(criterion);
        let arguments = ["generate", model, "-c", criterion, "--method", "random", "-o"];
        let ran = provoke(&[&arguments[..], &[out.to_str().unwrap()]].concat());
        assert!(codes.contains(&ran.code), "{}", ran.stderr);
        out
    };
    (run("obranch", &[0]), run("properties", &[1]))
}

fn written(results: &Path, name: &str) -> String {
    let file = results.join(name);
    let ran = provoke(&["report", results.to_str().unwrap(), "-o", file.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    std::fs::read_to_string(file).unwrap()
}

#[test]
fn properties_are_verdicts_in_every_format() {
    let (_, out) = pump("report-properties");
    let generation = &shown(&[&out], &[])["evidence"][0];
    let states: Vec<(&str, &str)> = generation["obligations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["id"].as_str().unwrap(), one["state"].as_str().unwrap()))
        .collect();
    assert_eq!(states, [("stands", "unknown"), ("quiet", "violated"), ("started", "violated")]);
    let quiet = &generation["obligations"][1];
    assert_eq!((&quiet["expression"], &quiet["line"]), (&"not alarm".into(), &9.into()));
    let counterexample = &quiet["property"]["counterexample"];
    let last = |values: &Value| values.as_array().unwrap().last().unwrap().clone();
    assert_eq!(last(&counterexample["formula"]), "false");
    let names: Vec<&str> = counterexample["signals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|signal| signal["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["full", "start", "run", "alarm"]);
    assert_eq!(last(&counterexample["signals"][3]["values"]), "true");
    let junit = written(&out, "junit.xml");
    assert!(junit.contains("tests=\"3\" failures=\"2\" errors=\"0\""), "{junit}");
    let failed = "<failure message=\"Property `not alarm` (line 9) must hold in every step. Test `";
    assert!(junit.contains(failed), "{junit}");
    assert!(junit.contains("<skipped message=\"Not decided"), "{junit}");
    let lcov = written(&out, "coverage.info");
    assert!(lcov.contains("LF:0\nLH:0\n") && !lcov.contains("infeasible"), "{lcov}");
    let explained = provoke(&["explain", "quiet", out.to_str().unwrap()]);
    assert!(explained.stdout.starts_with("quiet: violated\n"), "{}", explained.stdout);
    assert!(explained.stdout.contains("    property  quiet "), "{}", explained.stdout);
}

#[test]
fn a_requirement_shows_its_properties_and_its_tests() {
    let (tests, properties) = pump("requirement-columns");
    // Tests come first, whichever folder is named first.
    let report = shown(&[&properties, &tests], &[]);
    let of = |report: &Value, id: &str| {
        let all = report["requirements"].as_array().unwrap();
        all.iter().find(|requirement| requirement["id"] == id).expect("it was given").clone()
    };
    let states = |id: &str| -> Vec<String> {
        let found = of(&report, id)["properties"].as_array().cloned().unwrap_or_default();
        found.iter().map(|one| format!("{} {}", one["id"], one["state"])).collect()
    };
    assert_eq!(states("REQ-1"), ["\"stands\" \"unknown\""]);
    assert_eq!(states("REQ-2"), ["\"quiet\" \"violated\""]);
    assert_eq!(of(&report, "REQ-2")["properties"][0]["evidence"], 1);
    let judged = of(&report, "REQ-1")["tests"].as_array().unwrap().clone();
    assert!(!judged.is_empty() && judged.iter().all(|test| test["failed_step"].is_null()));
    // A counterexample is no test of what is required.
    assert_eq!(of(&report, "REQ-3")["tests"], Value::Array(Vec::new()));

    // A test that expects something else fails, at its step.
    let suite = tests.join("suite.json");
    let mut changed: Value =
        serde_json::from_str(&std::fs::read_to_string(&suite).unwrap()).unwrap();
    let test = judged[0]["test"].as_u64().unwrap() as usize;
    let run = &mut changed["tests"][test]["steps"][0]["out"]["run"];
    *run = (!run.as_bool().unwrap()).into();
    std::fs::write(&suite, changed.to_string()).unwrap();
    let report = shown(&[&properties, &tests], &[]);
    assert_eq!(of(&report, "REQ-1")["tests"][0]["failed_step"], 1);
}

#[test]
fn a_folder_without_results_says_how_to_make_them() {
    let folder = scratch("report-empty");
    std::fs::create_dir_all(&folder).unwrap();
    let ran = provoke(&["report", folder.to_str().unwrap()]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("provoke generate MODEL -o"), "{}", ran.stderr);
    let ran = provoke(&["report", "models/voter.lus", "-o", "x.html"]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("is no JSON"), "{}", ran.stderr);
}

#[test]
fn files_that_do_not_belong_together_are_refused() {
    let out = generated("report-mixed", "models/voter.lus", "branch");
    let other = generated("report-mixed-other", "models/wiper.lus", "branch");
    std::fs::copy(other.join("model.lus"), out.join("model.lus")).unwrap();
    let ran = provoke(&["report", out.to_str().unwrap()]);
    assert_eq!(ran.code, 3);
    let settings = out.join("settings.json");
    let text = std::fs::read_to_string(&settings).unwrap();
    std::fs::write(&settings, text.replace("\"masking\": \"strict\"", "\"masking\": \"loose\""))
        .unwrap();
    let ran = provoke(&["report", out.to_str().unwrap()]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
}

#[test]
fn coverage_is_written_for_lcov() {
    let out = generated("report-lcov", "models/voter.lus", "obranch,omcdc");
    let file = out.join("coverage.info");
    let ran = provoke(&["report", out.to_str().unwrap(), "-o", file.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = std::fs::read_to_string(file).unwrap();
    let count = |record: &str| text.lines().filter(|line| line.starts_with(record)).count();
    let told = |record: &str| -> usize {
        let line = text.lines().find_map(|line| line.strip_prefix(record)).expect("a total");
        line.parse().unwrap()
    };
    assert_eq!(told("MCF:"), count("MCDC:"));
    assert_eq!(told("BRF:"), count("BRDA:"));
    assert_eq!(told("LF:"), count("DA:"));
    assert!(text.ends_with("end_of_record\n"));
}

#[test]
fn diagnostics_are_written_as_sarif() {
    let folder = scratch("sarif");
    std::fs::create_dir_all(&folder).unwrap();
    let model = folder.join("wrong.lus");
    std::fs::write(&model, "node n(a : bool) returns (b : bool);\nlet\n  b = a and 1;\ntel;\n")
        .unwrap();
    let file = folder.join("found.sarif");
    let ran = provoke(&["check", model.to_str().unwrap(), "--sarif", file.to_str().unwrap()]);
    assert_eq!(ran.code, 3);
    let found: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let result = &found["runs"][0]["results"][0];
    assert_eq!(result["level"], "error");
    let region = &result["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 3);
}

#[test]
fn results_are_found_by_their_schema() {
    let folder = scratch("report-schemas");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    let golden = |name: &str| {
        let file = repository().join("crates/cli/tests/contract").join(name);
        std::fs::read_to_string(file).unwrap()
    };
    write("mine.json", &golden("mine.json"));
    write("machine.svg", "<svg/>");
    write("judged.json", &golden("timed-run.json"));
    write("other.json", r#"{"schema": "someone/else/1"}"#);
    let report = shown(&[&folder.join("mine.json"), &folder.join("judged.json")], &[]);
    let kinds: Vec<&Value> =
        report["evidence"].as_array().unwrap().iter().map(|one| &one["kind"]).collect();
    assert_eq!(kinds, ["mine", "judge"]);
    assert_eq!(report["evidence"][0]["machines"], serde_json::json!([["machine", "<svg/>"]]));
    let page = folder.join("all.html");
    let ran = provoke(&["report", folder.to_str().unwrap(), "-o", page.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "what is no result is passed over: {}", ran.stderr);
    write("broken.json", "{");
    let ran = provoke(&["report", folder.to_str().unwrap()]);
    assert_eq!(ran.code, 3, "what may have been a result is not left out");
    assert!(ran.stderr.contains("broken.json is no JSON"), "{}", ran.stderr);
    std::fs::remove_file(folder.join("broken.json")).unwrap();
    write("mine.json", r#"{"schema": "provoke/mine/1"}"#);
    let ran = provoke(&["report", folder.to_str().unwrap()]);
    assert_eq!(ran.code, 3);
    assert!(
        ran.stderr.contains("is not as `provoke/mine/1` promises: missing field `target`"),
        "{}",
        ran.stderr
    );
}
