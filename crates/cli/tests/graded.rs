//! Graded claims from outside: the model's text is edited, read again and run.

#![allow(clippy::print_stdout, reason = "how much was checked is worth seeing")]

mod support;

use std::path::Path;

use provoke_base::SourceFile;
use provoke_criteria::{Counting, Criterion, Obligation, obligations};
use provoke_model::{System, Value};
use provoke_sim::Simulator;
use provoke_testkit::repository;
use serde_json::Value as Json;
use support::{json, provoke, scratch};

const FLIP: &str = "inverted_here";

/// A model as one node, as `transform` writes it, and its text.
struct Flat {
    path: String,
    file: SourceFile,
    system: System,
}

impl Flat {
    fn new(model: &Path, folder: &Path) -> Flat {
        let path = folder.join(model.file_name().unwrap()).display().to_string();
        let from = model.display().to_string();
        let ran = provoke(&["transform", &from, "--inline", "full", "-o", &path]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let file = SourceFile::new(&path, std::fs::read_to_string(&path).unwrap());
        let system = load(&file);
        Flat { path, file, system }
    }

    /// The model with one more input, which inverts the condition of an obligation.
    fn inverted(&self, obligation: &Obligation) -> System {
        let (start, end) = (obligation.span.start as usize, obligation.span.end as usize);
        let text = &self.file.text;
        let changed =
            format!("{}(({}) xor {FLIP}){}", &text[..start], &text[start..end], &text[end..]);
        let header = format!("node {}", self.system.name);
        let at = changed.find(&header).expect("a node") + header.len();
        let open = at + changed[at..].find('(').expect("inputs") + 1;
        let changed = format!("{}{FLIP}: bool; {}", &changed[..open], &changed[open..]);
        load(&SourceFile::new("changed.lus", changed))
    }
}

fn load(file: &SourceFile) -> System {
    let loaded = provoke_lustre::load(file, None);
    loaded.system.unwrap_or_else(|| panic!("{}: {:?}", file.name, loaded.diagnostics.first()))
}

/// The values of a variable in each step.
fn values(system: &System, rows: &[Vec<Value>], name: &str) -> Vec<Value> {
    let var = system.var_named(name).expect("a variable");
    let mut simulator = Simulator::new(system);
    let mut step = |row: &Vec<Value>| {
        simulator.step(row).expect("a run");
        simulator.values()[var].clone()
    };
    rows.iter().map(&mut step).collect()
}

/// Checks what a verdict says about one wrong step.
fn check(flat: &Flat, obligation: &Obligation, step: &Json, rows: &[Vec<Value>]) {
    let number = |key: &str| step[key].as_u64().expect("a step") as usize;
    let (changed_at, seen_at) = (number("changed_at"), number("seen_at"));
    let (rows, name) = (&rows[..seen_at], step["output"].as_str().expect("an output"));
    let flipped = |(at, row): (usize, &Vec<Value>)| {
        let mut row = row.clone();
        row.insert(0, Value::Bool(at + 1 == changed_at));
        row
    };
    let flipped: Vec<Vec<Value>> = rows.iter().enumerate().map(flipped).collect();
    let plain = values(&flat.system, rows, name);
    let changed = values(&flat.inverted(obligation), &flipped, name);
    let var = &flat.system.vars[flat.system.var_named(name).expect("a variable")];
    let show = |value: &Value| Json::from(value.show(var.ty, &flat.system.enums));
    let (value, other) = (&plain[seen_at - 1], &changed[seen_at - 1]);
    assert_ne!(value, other, "{}: {step}", obligation.id);
    assert_eq!((show(value), show(other)), (step["value"].clone(), step["changed_value"].clone()));
}

/// The inputs of each step of a test of a suite.
fn rows(system: &System, suite: &Path, name: &str) -> Vec<Vec<Value>> {
    let bytes = std::fs::read(suite).unwrap();
    let typing = provoke_suite::Typing::System(system);
    let suite = provoke_suite::read("suite.json", &bytes, None, typing).expect("a suite").suite;
    let test = suite.tests.iter().find(|test| test.name == name).expect("the test");
    test.steps.iter().map(|step| step.inputs.clone()).collect()
}

#[test]
fn every_shown_witness_holds_in_a_model_whose_text_is_edited() {
    let folder = scratch("graded_from_outside");
    let mut models: Vec<_> = std::fs::read_dir(repository().join("models"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "lus"))
        .collect();
    models.sort();
    assert!(models.len() > 8, "{models:?}");
    let (mut checked, mut all) = (0, 0);
    for model in &models {
        let flat = Flat::new(model, &folder);
        let out = folder.join("out").join(model.file_stem().unwrap());
        let arguments =
            ["generate", &flat.path, "-c", "omcdc", "--method", "random", "--effort", "1", "-o"];
        let arguments = [&arguments[..], &[out.to_str().unwrap(), "--format", "json"]].concat();
        let ran = provoke(&arguments);
        assert!([0, 5].contains(&ran.code), "{}", ran.stderr);
        let found: Json = serde_json::from_str(&ran.stdout).unwrap();
        let criterion = Criterion::named("omcdc").unwrap();
        let asked = obligations(&flat.system, criterion, Counting::Published);
        for (obligation, verdict) in asked.iter().zip(found["verdicts"].as_array().unwrap()) {
            assert_eq!(verdict["id"], obligation.id.as_str());
            let step = &verdict["step"];
            if step["verdict"] != "shown" {
                continue;
            }
            all += 1;
            let text = flat.file.slice(obligation.span);
            // A scalar of something larger stands for a part of the text only.
            if !is_condition(text) {
                continue;
            }
            let test = step["test"].as_str().expect("a test");
            check(&flat, obligation, step, &rows(&flat.system, &out.join("suite.json"), test));
            checked += 1;
        }
    }
    println!("{checked} of {all} shown witnesses of {} models were checked", models.len());
    assert!(checked > 700 && checked * 100 >= all * 90, "{checked} of {all}");
}

/// Whether a text is a Boolean variable or a relation of its own.
fn is_condition(text: &str) -> bool {
    let closed = text.matches('(').count() == text.matches(')').count();
    closed && !text.contains("if ") && !text.is_empty()
}

#[test]
fn what_is_lasting_or_redundant_is_told_with_its_facts() {
    if !support::solver_is_there() {
        return;
    }
    let folder = scratch("graded_cruise");
    let model = folder.join("reset.lus");
    // Wrong in one step, the reset is made up for; always wrong, the old speed comes back.
    let text = "node reset(off, q: bool) returns (o: bool); var v: bool;\n\
                let v = q; o = true -> (v or pre v); tel\n";
    std::fs::write(&model, text).unwrap();
    let result = json(&["generate", model.to_str().unwrap(), "-c", "omcdc"], 0);
    let totals = &result["obligations"];
    let sum = |names: &[&str]| names.iter().map(|name| totals[name].as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum(&["shown", "lasting"]), sum(&["covered"]));
    assert_eq!(sum(&["covered", "redundant", "tag_only", "unknown"]), sum(&["total"]));
    assert_eq!(sum(&["infeasible"]), 0);
    for verdict in result["verdicts"].as_array().unwrap() {
        assert!(verdict["step"].is_object() && verdict["stuck"].is_object(), "{verdict}");
    }
    let published =
        json(&["generate", model.to_str().unwrap(), "-c", "omcdc", "--as-published"], 0);
    assert_eq!(published["schema"], "provoke/generate/1");
    assert!(published["verdicts"][0]["grade"].is_null(), "{published}");
    let totals: Vec<&String> = published["obligations"].as_object().unwrap().keys().collect();
    assert_eq!(totals, ["total", "covered", "infeasible", "unknown", "excluded"]);
}

#[test]
fn mutants_are_a_target_of_their_own() {
    if !support::solver_is_there() {
        return;
    }
    let folder = scratch("graded_mutants");
    let out = folder.join("out");
    let out = out.to_str().unwrap();
    let model = "models/delay_chain.lus";
    let result = json(&["generate", model, "-c", "omcdc,mutants", "-o", out], 0);
    let found = &result["mutants"];
    let count = |name: &str| found[name].as_u64().unwrap();
    assert_eq!(count("mutants"), count("killed") + count("equivalent") + count("invalid"));
    let all = json(&["mutate", model, &format!("{out}/suite.json")], 0);
    let stuck = ["mutate", model, &format!("{out}/suite.json"), "--operators", "stuck"];
    let stuck = json(&stuck, 0);
    assert_eq!(all["mutants"].as_u64().unwrap() + stuck["mutants"].as_u64().unwrap(), count("all"));
    assert_eq!(stuck["survived"], 0, "every condition that is stuck is noticed");
    let audit = json(&["audit", out], 0);
    assert_eq!((&audit["refuted"], &audit["unconfirmed"]), (&0.into(), &0.into()));
    let told = provoke(&["generate", model, "-c", "mutants", "--sample", "10"]);
    assert!(told.stdout.contains("10 of 70 mutants"), "{}", told.stdout);
    assert!(told.stdout.contains("every single fault of the eight kinds of the sample"));
}

/// A guard far away from zero: a mutant of it divides by zero where nobody looks.
const GUARD: &str = "node main(x: subrange [0, 100000] of int; a: bool) returns (o: bool);
var d, u: int;
let
  d = if x = 77777 then 1 else x - 77777;
  u = 10 div d;
  o = a;
tel
";

#[test]
fn the_guarantee_names_what_divides_by_zero() {
    if !support::solver_is_there() {
        return;
    }
    let model = scratch("graded_guard").join("guard.lus");
    std::fs::write(&model, GUARD).unwrap();
    let model = model.to_str().unwrap();
    let result = json(&["generate", model, "-c", "mutants"], 0);
    let invalid = result["mutants"]["invalid"].as_u64().unwrap();
    assert!(invalid > 0, "{result}");
    let named = result["mutants"]["not_promised"].as_array().unwrap();
    assert_eq!(named.len() as u64, invalid);
    let told = provoke(&["generate", model, "-c", "mutants"]).stdout;
    assert!(
        told.contains(&format!("except the {invalid} that divide by zero in some run")),
        "{told}"
    );
    assert!(
        told.contains(&format!("guard.lus: {} mutants", result["mutants"]["mutants"])),
        "{told}"
    );
    assert!(!told.contains("covered"), "there is no obligation: {told}");
    // What is not caught is not made up for by leaving it out.
    assert_eq!(provoke(&["generate", model, "-c", "mutants", "--require", "100%"]).code, 1);
    assert_eq!(provoke(&["generate", model, "-c", "mutants", "--require", "1%"]).code, 0);
}

#[test]
fn options_about_mutants_need_mutants() {
    let model = "models/delay_chain.lus";
    let sampled = provoke(&["generate", model, "-c", "omcdc", "--sample", "3"]);
    assert_eq!(sampled.code, 2, "{}", sampled.stderr);
    assert!(sampled.stderr.contains("`--sample` takes mutants"), "{}", sampled.stderr);
    let measured = provoke(&["measure", model, "suite.json", "-c", "mutants"]);
    assert_eq!(measured.code, 2, "{}", measured.stderr);
    assert!(measured.stderr.contains("provoke mutate"), "{}", measured.stderr);
}
