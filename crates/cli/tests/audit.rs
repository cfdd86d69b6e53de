//! What a user sees of `provoke audit`, and that it notices what was tampered with.

#![allow(clippy::print_stdout, reason = "what was tampered with is worth seeing")]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use provoke_audit::solver::{Cvc5, QueryLimit, Solver, Z3};
use provoke_audit::{Folder, Options};
use provoke_criteria::{Counting, Criterion, Masking, Obligation, Oracle, matrix, obligations};
use provoke_model::{System, Value as Cell};
use provoke_suite::Typing;
use serde_json::{Value, json};
use support::{check, json as result_of, provoke, scratch, solver_is_there};

const CRITERIA: &str = "condition,decision,branch,mcdc,omcdc";

/// A run of `generate` and one of `mutate` on a model of the repository.
fn runs(model: &str) -> (PathBuf, PathBuf) {
    let folder = scratch(&format!("audit_{model}"));
    let (out, mutants) = (folder.join("out"), folder.join("mutants"));
    let path = format!("models/{model}.lus");
    let suite = out.join("suite.json");
    let texts = [&out, &suite, &mutants].map(|path| path.to_str().unwrap().to_string());
    let made = provoke(&[
        "generate",
        &path,
        "-c",
        CRITERIA,
        "-o",
        &texts[0],
        "--effort",
        "2",
        "--as-published",
    ]);
    assert!([0, 5].contains(&made.code), "{}", made.stderr);
    let made =
        provoke(&["mutate", &path, &texts[1], "--matrix", "--sample", "150", "-o", &texts[2]]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    (out, mutants)
}

fn read(folder: &Path) -> Folder {
    let file = |name: &str| std::fs::read(folder.join(name)).ok();
    Folder {
        model: file("model.lus"),
        suite: file("suite.json"),
        settings: file("settings.json"),
        verdicts: file("verdicts.json"),
        mutants: file("mutants.json"),
        certificates: file("certificates.txt"),
    }
}

/// Whether the audit finds something false in a folder, or refuses it.
fn is_refused(folder: &Folder) -> bool {
    let limit = QueryLimit { milliseconds: 1 };
    let options = Options { solvers: &[], limit, stop: &|| false, jobs: 1 };
    provoke_audit::audit(folder, &options).map_or(true, |audit| audit.is_refuted())
}

fn parsed(bytes: &Option<Vec<u8>>) -> Value {
    serde_json::from_slice(bytes.as_ref().expect("a file")).expect("JSON")
}

fn bytes(value: &Value) -> Option<Vec<u8>> {
    Some(serde_json::to_vec(value).expect("JSON"))
}

/// What the tool itself measures, to judge which tampered folders hold something false.
struct Judge {
    system: System,
    obligations: Vec<Obligation>,
}

impl Judge {
    fn new(folder: &Folder) -> Judge {
        let text = folder.model.clone().expect("a model");
        let file = provoke_base::SourceFile::from_bytes("model.lus", text);
        let system = provoke_lustre::load(&file, None).system.expect("a system");
        let all = CRITERIA.split(',').flat_map(|word| {
            let criterion = Criterion::named(word).expect("a criterion");
            obligations(&system, criterion, Counting::Published)
        });
        let obligations = all.collect();
        Judge { system, obligations }
    }

    /// Whether tests expect what the model does, and cover what they are said to cover and say so.
    fn is_true(&self, folder: &Folder) -> bool {
        let bytes = folder.suite.as_ref().expect("a suite");
        let typing = Typing::System(&self.system);
        let Ok(read) = provoke_suite::read("suite.json", bytes, None, typing) else { return false };
        let suite = read.suite;
        let inputs: Vec<Vec<Vec<Cell>>> = suite
            .tests
            .iter()
            .map(|test| test.steps.iter().map(|step| step.inputs.clone()).collect())
            .collect();
        for (test, steps) in suite.tests.iter().zip(&inputs) {
            let run = provoke_sim::run(&self.system, steps.iter().map(Vec::as_slice));
            if run.error.is_some() || !run.breaches.is_empty() {
                return false;
            }
            for (step, values) in test.steps.iter().zip(&run.trace.steps) {
                for (signal, expected) in suite.outputs.iter().zip(&step.outputs) {
                    let var = self.system.var_named(&signal.name).expect("a variable");
                    if expected.is_known() && values[var] != *expected {
                        return false;
                    }
                }
            }
        }
        let rows = inputs.iter().map(Vec::as_slice);
        let rows = matrix(&self.system, &self.obligations, Masking::Strict, &Oracle::Outputs, rows);
        let covers = |test: &str, id: &str| {
            let test = suite.tests.iter().position(|one| one.name == test);
            let id = self.obligations.iter().position(|one| one.id == id);
            matches!((test, id), (Some(test), Some(id)) if rows.tests[test].contains(id as u32))
        };
        let verdicts = parsed(&folder.verdicts);
        let claims = verdicts["verdicts"].as_array().expect("a list").iter();
        let mut claims = claims.filter(|verdict| verdict["verdict"] == "covered");
        let lists = |test: &str, id: &str| {
            let test = suite.tests.iter().find(|one| one.name == test);
            test.is_some_and(|test| test.covers.iter().any(|listed| listed == id))
        };
        let is_kind = |claim: &Value, id: &str| {
            let known = self.obligations.iter().find(|one| one.id == id);
            known.is_some_and(|one| claim["kind"] == one.kind.word())
        };
        claims.all(|claim| {
            let text = |key: &str| claim[key].as_str().unwrap_or("");
            let (test, id) = (text("test"), text("id"));
            covers(test, id) && lists(test, id) && is_kind(claim, id)
        }) && suite.tests.iter().all(|test| test.covers.iter().all(|id| covers(&test.name, id)))
    }
}

/// How many folders of each kind were tampered with, hold something false, and were noticed.
#[derive(Default)]
struct Table(BTreeMap<&'static str, [usize; 3]>);

impl Table {
    /// Counts a folder; whoever says that it is false must be right.
    fn add(&mut self, kind: &'static str, folder: &Folder, is_false: bool) {
        let noticed = is_refused(folder);
        assert_eq!(noticed, is_false, "{kind}: noticed {noticed}, false {is_false}");
        let row = self.0.entry(kind).or_default();
        row[0] += 1;
        row[1] += usize::from(is_false);
        row[2] += usize::from(noticed);
    }
}

/// Every n-th position of a list, so that there are about `count` of them.
fn spread(length: usize, count: usize) -> Vec<usize> {
    let step = length.div_ceil(count).max(1);
    (0..length).step_by(step).collect()
}

fn positions(list: &Value, key: &str, word: &str) -> Vec<usize> {
    let all = list.as_array().expect("a list").iter().enumerate();
    all.filter(|(_, one)| one[key] == word).map(|(at, _)| at).collect()
}

fn tamper_with_verdicts(folder: &Folder, judge: &Judge, table: &mut Table) {
    let verdicts = parsed(&folder.verdicts);
    let change = |edit: &dyn Fn(&mut Value)| {
        let mut changed = verdicts.clone();
        edit(&mut changed["verdicts"]);
        Folder { verdicts: bytes(&changed), ..folder.clone() }
    };
    let covered = positions(&verdicts["verdicts"], "verdict", "covered");
    for at in spread(covered.len(), 12) {
        let at = covered[at];
        let flipped = change(&|list| list[at]["verdict"] = "infeasible".into());
        table.add("covered told as infeasible", &flipped, true);
        let renamed = change(&|list| {
            let id = format!("{}x", list[at]["id"].as_str().unwrap());
            list[at]["id"] = id.into();
        });
        table.add("another id", &renamed, true);
        let other = covered[(at * 7 + 3) % covered.len()];
        let swapped = change(&|list| {
            let (one, two) = (list[at]["id"].clone(), list[other]["id"].clone());
            list[at]["id"] = two;
            list[other]["id"] = one;
        });
        table.add("ids of two verdicts swapped", &swapped, !judge.is_true(&swapped));
        let moved = change(&|list| list[at]["test"] = list[other]["test"].clone());
        table.add("another test named", &moved, !judge.is_true(&moved));
        let gone = change(&|list| drop(list.as_array_mut().unwrap().remove(at)));
        table.add("verdict left out", &gone, true);
        let twice = change(&|list| {
            let again = list[at].clone();
            list.as_array_mut().unwrap().push(again);
        });
        table.add("verdict told twice", &twice, true);
        for word in ["Covered", "done", "holds"] {
            let unheard = change(&|list| list[at]["verdict"] = word.into());
            table.add("a word that is no verdict", &unheard, true);
        }
    }
    for (key, value) in
        [("criterion", json!("mcdc")), ("assumptions", json!(["true"])), ("model", json!("main2"))]
    {
        let mut changed = verdicts.clone();
        changed[key] = value;
        let headed = Folder { verdicts: bytes(&changed), ..folder.clone() };
        table.add("verdicts said to be about another run", &headed, true);
    }
    let infeasible = positions(&verdicts["verdicts"], "verdict", "infeasible");
    for at in spread(infeasible.len(), 6) {
        let at = infeasible[at];
        let flipped = change(&|list| {
            list[at]["verdict"] = "covered".into();
            list[at]["test"] = "t1".into();
        });
        table.add("infeasible told as covered", &flipped, true);
    }
}

fn tamper_with_tests(folder: &Folder, judge: &Judge, table: &mut Table) {
    let suite = parsed(&folder.suite);
    let change = |edit: &dyn Fn(&mut Value)| {
        let mut changed = suite.clone();
        edit(&mut changed["tests"]);
        Folder { suite: bytes(&changed), ..folder.clone() }
    };
    let tests = suite["tests"].as_array().expect("tests");
    for (number, test) in tests.iter().enumerate() {
        let steps = test["steps"].as_array().expect("steps");
        for step in spread(steps.len(), 4) {
            for side in ["in", "out"] {
                let Some(cells) = steps[step][side].as_object() else { continue };
                let names: Vec<&String> = cells.keys().collect();
                let Some(name) = names.get(step % names.len().max(1)) else { continue };
                let tampered =
                    change(&|tests| other(&mut tests[number]["steps"][step][side][name.as_str()]));
                let is_false = side == "out" || !judge.is_true(&tampered);
                let kind = if side == "in" { "input changed" } else { "expected output changed" };
                table.add(kind, &tampered, is_false);
            }
        }
        let shorter = change(&|tests| {
            drop(tests[number]["steps"].as_array_mut().unwrap().pop());
        });
        table.add("last step left out", &shorter, !judge.is_true(&shorter));
        let gone = change(&|tests| drop(tests.as_array_mut().unwrap().remove(number)));
        table.add("test left out", &gone, !judge.is_true(&gone));
    }
    let whole = folder.suite.as_ref().expect("a suite");
    for part in 1..6 {
        let cut = Some(whole[..whole.len() * part / 6].to_vec());
        table.add("suite cut", &Folder { suite: cut, ..folder.clone() }, true);
    }
}

/// Another value of the same type.
fn other(cell: &mut Value) {
    *cell = match &*cell {
        Value::Bool(truth) => (!truth).into(),
        Value::Number(number) => (number.as_i64().expect("an integer") + 1).into(),
        Value::String(text) if text == "true" => "false".into(),
        Value::String(text) => match text.split_once('/') {
            Some((numerator, rest)) => {
                format!("{}/{rest}", numerator.parse::<i64>().unwrap_or(0) + 1).into()
            }
            None => format!("{text}0").into(),
        },
        other => other.clone(),
    };
}

fn tamper_with_files(folder: &Folder, table: &mut Table) {
    let text = String::from_utf8(folder.model.clone().expect("a model")).expect("UTF-8");
    let edits =
        [text.clone() + "\n", text.replacen(" and ", " or ", 1), text.replacen("->", "  ->", 1)];
    for edit in edits.into_iter().filter(|edit| *edit != text) {
        let model = Some(edit.into_bytes());
        table.add("model edited", &Folder { model, ..folder.clone() }, true);
    }
    let mut nameless = folder.clone();
    for file in [&mut nameless.settings, &mut nameless.mutants] {
        if file.is_some() {
            let mut record = parsed(file);
            record.as_object_mut().expect("a record").remove("model_sha256");
            *file = bytes(&record);
        }
    }
    table.add("nobody says which model it is", &nameless, true);
    let without: [fn(&mut Folder); 3] = [
        |folder| folder.model = None,
        |folder| folder.suite = None,
        |folder| folder.settings = None,
    ];
    for remove in without {
        let mut changed = folder.clone();
        let needed = changed.settings.is_some();
        remove(&mut changed);
        if changed.settings.is_some() == needed || folder.mutants.is_none() {
            table.add("file left out", &changed, true);
        }
    }
}

fn tamper_with_mutants(folder: &Folder, table: &mut Table) {
    let mutants = parsed(&folder.mutants);
    let change = |edit: &dyn Fn(&mut Value)| {
        let mut changed = mutants.clone();
        edit(&mut changed);
        Folder { mutants: bytes(&changed), ..folder.clone() }
    };
    let suite = parsed(&folder.suite);
    let names: Vec<&str> = suite["tests"]
        .as_array()
        .expect("tests")
        .iter()
        .map(|test| test["name"].as_str().unwrap())
        .collect();
    let killed = positions(&mutants["results"], "status", "killed");
    for at in spread(killed.len(), 12) {
        let at = killed[at];
        let mutant = &mutants["results"][at];
        let by: Vec<&str> = mutant["killed_by"]
            .as_array()
            .expect("a matrix")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        if let Some(innocent) = names.iter().find(|name| !by.contains(name)) {
            let moved = change(&|all| all["results"][at]["test"] = (*innocent).into());
            table.add("killed by another test", &moved, true);
        }
        let step = mutant["step"].as_u64().expect("a step");
        let later = change(&|all| all["results"][at]["step"] = (step + 1).into());
        table.add("killed in another step", &later, true);
        let column = mutant["column"].as_u64().expect("a column");
        let shifted = change(&|all| {
            all["results"][at]["end_column"] = all["results"][at]["column"].clone();
            all["results"][at]["end_line"] = all["results"][at]["line"].clone();
            all["results"][at]["column"] = column.into();
            all["results"][at]["replacement"] = "".into();
        });
        table.add("killed without a change", &shifted, true);
        let equivalent = change(&|all| {
            all["results"][at]["status"] = "equivalent".into();
            recount(all);
        });
        table.add("killed told as equivalent", &equivalent, true);
        let counted = change(&|all| drop(all["results"].as_array_mut().unwrap().remove(at)));
        table.add("mutant left out", &counted, true);
        let twice = change(&|all| {
            let again = all["results"][at].clone();
            all["results"].as_array_mut().unwrap().push(again);
            recount(all);
        });
        table.add("mutant listed twice", &twice, true);
        let spared = change(&|all| {
            drop(all["results"][at]["killed_by"].as_array_mut().unwrap().pop());
        });
        table.add("a test that kills it left out", &spared, true);
        if let Some(innocent) = names.iter().find(|name| !by.contains(name)) {
            let blamed = change(&|all| {
                all["results"][at]["killed_by"].as_array_mut().unwrap().push((*innocent).into());
            });
            table.add("a test said to kill it too", &blamed, true);
        }
        let excused = change(&|all| all["results"][at]["status"] = "Killed".into());
        table.add("a word that is no status", &excused, true);
    }
    for (key, value) in [
        ("percent", json!(100.0)),
        ("percent_nonequivalent", json!(99.99)),
        ("survived", json!(100_000)),
        ("invalid", json!(100_000)),
        ("tests", json!(100_000)),
        ("steps", json!(100_000)),
    ] {
        table.add("a number that does not follow", &change(&|all| all[key] = value.clone()), true);
    }
    let row = change(&|all| {
        let killed = all["operators"][0]["killed"].as_u64().unwrap();
        all["operators"][0]["killed"] = (killed + 1).into();
    });
    table.add("an operator's number changed", &row, true);
    let survived = positions(&mutants["results"], "status", "survived");
    for at in spread(survived.len(), 6) {
        let at = survived[at];
        let claimed = change(&|all| {
            all["results"][at]["status"] = "killed".into();
            all["results"][at]["test"] = names[0].into();
            all["results"][at]["step"] = json!(1);
            recount(all);
        });
        table.add("survived told as killed", &claimed, true);
        let unchanged = change(&|all| {
            let mutant = &mut all["results"][at];
            let written = text_at(folder, mutant);
            mutant["replacement"] = format!("({written})").into();
            mutant["status"] = "equivalent".into();
            recount(all);
        });
        table.add("equivalent without a change", &unchanged, true);
    }
}

/// All numbers made to fit the list of mutants, as a careful forger would.
fn recount(all: &mut Value) {
    let results = all["results"].as_array().expect("a list").clone();
    for row in all["operators"].as_array_mut().expect("rows") {
        let operator = row["operator"].clone();
        count(row, results.iter().filter(|mutant| mutant["operator"] == operator));
    }
    count(all, results.iter());
    let number = |key: &str| all[key].as_u64().expect("a number");
    let [mutants, invalid, killed, survived] =
        ["mutants", "invalid", "killed", "survived"].map(number);
    let percent =
        |of: u64| json!((killed * 10_000).checked_div(of).unwrap_or(10_000) as f64 / 100.0);
    all["percent"] = percent(mutants - invalid);
    all["percent_nonequivalent"] = percent(killed + survived);
}

fn count<'m>(row: &mut Value, mutants: impl Iterator<Item = &'m Value> + Clone) {
    row["mutants"] = mutants.clone().count().into();
    for status in ["invalid", "killed", "equivalent", "survived"] {
        row[status] = mutants.clone().filter(|mutant| mutant["status"] == status).count().into();
    }
}

/// What the model reads at the place of a mutant, in one line.
fn text_at(folder: &Folder, mutant: &Value) -> String {
    let text = String::from_utf8(folder.model.clone().expect("a model")).expect("UTF-8");
    let number = |key: &str| mutant[key].as_u64().expect("a number") as usize;
    assert_eq!(number("line"), number("end_line"), "the sample models write them in one line");
    let line = text.lines().nth(number("line") - 1).expect("a line");
    let (start, end) = (number("column") - 1, number("end_column") - 1);
    line.chars().skip(start).take(end - start).collect()
}

#[test]
fn what_was_tampered_with_is_noticed() {
    if !solver_is_there() {
        return;
    }
    let mut table = Table::default();
    for model in ["traffic_light", "wiper"] {
        let (out, mutants) = runs(model);
        let (out, mutants) = (read(&out), read(&mutants));
        assert!(!is_refused(&out) && !is_refused(&mutants), "{model} is refused untouched");
        let judge = Judge::new(&out);
        assert!(judge.is_true(&out), "{model} is false untouched");
        tamper_with_verdicts(&out, &judge, &mut table);
        tamper_with_tests(&out, &judge, &mut table);
        tamper_with_files(&out, &mut table);
        tamper_with_mutants(&mutants, &mut table);
    }
    let mut all = 0;
    for (kind, [tampered, is_false, noticed]) in &table.0 {
        println!("{kind}: {tampered} tampered, {is_false} false, {noticed} noticed");
        all += is_false;
    }
    assert!(all >= 100 && table.0.len() >= 15, "only {all} false folders");
}

#[test]
fn a_folder_that_is_true_is_confirmed_and_kept() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("audit_kept").join("out");
    let folder = folder.to_str().unwrap();
    let made =
        provoke(&["generate", "models/masking_split.lus", "-c", "condition,mcdc", "-o", folder]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let result = result_of(&["audit", folder], 0);
    assert_eq!(result["schema"], "provoke/audit/1");
    assert_eq!(result["claims"], result["confirmed"]);
    assert_eq!((&result["refuted"], &result["unconfirmed"]), (&json!(0), &json!(0)));
    let kept = std::fs::read(Path::new(folder).join("audit.json")).expect("audit.json");
    assert_eq!(serde_json::from_slice::<Value>(&kept).expect("JSON"), result);
    let report = Path::new(folder).join("report.html");
    assert_eq!(provoke(&["report", folder, "-o", report.to_str().unwrap()]).code, 0);
    let page = std::fs::read_to_string(&report).expect("a report");
    assert!(page.contains("Claims checked again"));
    let verdicts = Path::new(folder).join("verdicts.json");
    let text = std::fs::read_to_string(&verdicts).expect("verdicts");
    std::fs::write(&verdicts, text + "\n").unwrap();
    let stale = provoke(&["report", folder, "-o", report.to_str().unwrap()]);
    assert_eq!(stale.code, 3, "an audit of other verdicts is shown");
    assert!(stale.stderr.contains("audit again"), "{}", stale.stderr);
}

#[test]
fn a_property_is_violated_in_the_step_that_is_claimed() {
    if !solver_is_there() {
        return;
    }
    let out = scratch("audit_properties").join("out");
    let made = provoke(&["prove", "models/microwave.lus", "-o", out.to_str().unwrap()]);
    assert_eq!(made.code, 1, "{}", made.stderr);
    let folder = read(&out);
    assert!(!is_refused(&folder), "what is written is refused");
    let verdicts = parsed(&folder.verdicts);
    let violated = positions(&verdicts["verdicts"], "verdict", "violated");
    let step = verdicts["verdicts"][violated[0]]["property"]["step"].as_u64().expect("a step");
    for other in [step - 1, step + 1] {
        let mut changed = verdicts.clone();
        changed["verdicts"][violated[0]]["property"]["step"] = other.into();
        let changed = Folder { verdicts: bytes(&changed), ..folder.clone() };
        assert!(is_refused(&changed), "step {other} is not refused, it is step {step}");
    }
}

#[test]
fn what_cannot_be_audited_is_told_with_what_to_do() {
    check("audit-no-folder", &["audit", "models/nowhere"], 3);
    let folder = scratch("audit_damaged");
    std::fs::write(folder.join("verdicts.json"), "{\"verdicts\": [").unwrap();
    let ran = provoke(&["audit", folder.to_str().unwrap()]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("settings.json") && ran.stderr.contains("help"), "{}", ran.stderr);
}

/// What an edit makes false, and the edit.
type Edit = (&'static str, fn(&mut Value));

/// Edits of what a graded verdict says, each of which makes it false.
fn edits() -> Vec<Edit> {
    vec![
        ("another output", |one| one["step"]["output"] = "nothing".into()),
        ("values exchanged", |one| {
            let step = &mut one["step"];
            (step["value"], step["changed_value"]) =
                (step["changed_value"].clone(), step["value"].clone());
        }),
        ("a step that is not there", |one| one["step"]["seen_at"] = 100_000.into()),
        ("seen before it was changed", |one| {
            let seen_at = one["step"]["seen_at"].as_u64().expect("a step");
            one["step"]["changed_at"] = (seen_at + 1).into();
        }),
        ("another test", |one| one["step"]["test"] = "nobody".into()),
        ("held at the right value", |one| {
            let held = one["stuck"]["held"].as_bool().expect("a value");
            one["stuck"]["held"] = (!held).into();
        }),
        ("a grade that the facts do not give", |one| one["grade"] = "lasting".into()),
        ("no grade", |one| one["grade"] = Value::Null),
        ("shown told as unknown", |one| one["verdict"] = "unknown".into()),
        ("replaceable although a test notices it", |one| {
            let constant = one["stuck"]["held"].clone();
            one["redundant"] = json!({"constant": constant, "form": "free", "because": "never",
                "engine": "pdr", "k": 1, "lemmas": 0});
            (one["grade"], one["verdict"]) = ("redundant".into(), "redundant".into());
            (one["step"], one["stuck"]) = (Value::Null, Value::Null);
        }),
    ]
}

#[test]
fn graded_claims_that_were_tampered_with_are_noticed() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("audit_graded");
    let out = folder.join("out");
    let out = out.to_str().unwrap();
    let made = provoke(&["generate", "models/traffic_light.lus", "-c", "omcdc", "-o", out]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let folder = read(Path::new(out));
    assert!(!is_refused(&folder), "nothing was tampered with");
    let verdicts = parsed(&folder.verdicts);
    let is_shown = |one: &Value| one["grade"] == "shown" && one["stuck"]["verdict"] == "shown";
    let list = verdicts["verdicts"].as_array().expect("a list");
    let shown: Vec<usize> = (0..list.len()).filter(|at| is_shown(&list[*at])).collect();
    assert!(shown.len() > 30, "{}", shown.len());
    for at in spread(shown.len(), 5) {
        for (kind, edit) in edits() {
            let mut changed = verdicts.clone();
            edit(&mut changed["verdicts"][shown[at]]);
            let folder = Folder { verdicts: bytes(&changed), ..folder.clone() };
            assert!(is_refused(&folder), "{kind}: {}", changed["verdicts"][shown[at]]);
        }
    }
}

/// Conditions of several grades: shown, redundant, and one whose changed run divides by zero.
const GRADES: &str = "node main(x: subrange [0, 3] of int; a, b: bool)
returns (o: bool; k: int);
var d: int; h: bool;
let
  d = if x = 0 then 1 else x;
  h = a and b or (false -> pre h);
  o = (h and not a) or (10 div d > 20);
  k = if b or (b and a) then 1 else (0 -> pre k);
  assert a or x < 3;
tel
";

/// Conditions that never decide, where nothing is divided: one is never true.
const MASKED: &str = "node main(a: bool) returns (o: bool);
var x: bool;
let x = false -> pre x; o = a or (x and a); tel
";

/// Wrong values that break the assumption before they are seen.
const BREAKING: &str = "node main(a, b: bool) returns (o: bool);
var h: bool;
let h = a or b; o = false -> pre h; assert h = (a or b); tel
";

/// The folder that `generate` writes for a model.
fn generated(name: &str, text: &str, criterion: &str) -> Folder {
    let folder = scratch(name);
    let (model, out) = (folder.join("model.lus"), folder.join("out"));
    std::fs::write(&model, text).unwrap();
    let (model, out) = (model.to_str().unwrap(), out.to_str().unwrap());
    let made = provoke(&["generate", model, "-c", criterion, "--counting", "precise", "-o", out]);
    assert!([0, 5].contains(&made.code), "{}", made.stderr);
    let folder = read(Path::new(out));
    assert!(!is_noticed(&folder), "nothing was tampered with in {name}");
    folder
}

/// Whether the audit refutes something or leaves it unconfirmed, or refuses the folder.
fn is_noticed(folder: &Folder) -> bool {
    let mut solvers: Vec<Box<dyn Solver>> = Vec::new();
    solvers.extend(Cvc5::find().ok().map(|cvc5| Box::new(cvc5) as Box<dyn Solver>));
    solvers.extend(Z3::find().ok().map(|z3| Box::new(z3) as Box<dyn Solver>));
    let limit = QueryLimit { milliseconds: 10_000 };
    let options = Options { solvers: &solvers, limit, stop: &|| false, jobs: 1 };
    let found = provoke_audit::audit(folder, &options);
    found.map_or(true, |audit| audit.is_refuted() || audit.unconfirmed > 0)
}

/// Tampers with every verdict of a grade, one at a time.
fn tamper_with_grade(folder: &Folder, grade: &str, edits: &[Edit]) {
    let verdicts = parsed(&folder.verdicts);
    let places = positions(&verdicts["verdicts"], "grade", grade);
    assert!(!places.is_empty(), "nothing is {grade}");
    for at in places {
        for (kind, edit) in edits {
            let mut changed = verdicts.clone();
            edit(&mut changed["verdicts"][at]);
            assert_ne!(changed, verdicts, "{kind}: nothing was changed");
            let folder = Folder { verdicts: bytes(&changed), ..folder.clone() };
            assert!(is_noticed(&folder), "{kind}: {}", changed["verdicts"][at]);
        }
    }
}

fn flip(truth: &mut Value) {
    *truth = (!truth.as_bool().expect("a truth value")).into();
}

#[test]
fn the_facts_of_a_shown_condition_are_not_exchanged() {
    if !solver_is_there() {
        return;
    }
    let folder = generated("audit_shown", GRADES, "omcdc");
    tamper_with_grade(
        &folder,
        "shown",
        &[
            ("shown told as impossible", |one| one["stuck"]["verdict"] = "impossible".into()),
            ("impossible without a run", |one| {
                one["stuck"] = json!({"verdict": "impossible", "held": one["stuck"]["held"]});
            }),
            ("no test named", |one| drop(one.as_object_mut().unwrap().remove("test"))),
            ("an assumption that is not broken", |one| one["step"]["breaks"] = 1.into()),
            ("a tag in another step", |one| {
                let step = one["tag"]["step"].as_u64().expect("a step");
                one["tag"]["step"] = (step + 1).into();
            }),
            ("a tag in another test", |one| one["tag"]["test"] = "nobody".into()),
            ("another kind", |one| one["kind"] = "branch".into()),
            ("a word that is none", |one| one["stuck"]["verdict"] = "seen".into()),
        ],
    );
}

#[test]
fn a_changed_run_that_breaks_an_assumption_is_told_to() {
    if !solver_is_there() {
        return;
    }
    let folder = generated("audit_breaks", BREAKING, "omcdc");
    let verdicts = parsed(&folder.verdicts);
    let list = verdicts["verdicts"].as_array().expect("a list");
    let mut tampered = 0;
    for (at, fact) in (0..list.len()).flat_map(|at| [(at, "step"), (at, "stuck")]) {
        let Some(step) = list[at][fact]["breaks"].as_u64() else { continue };
        for other in [Value::Null, (step + 1).into()] {
            let mut changed = verdicts.clone();
            changed["verdicts"][at][fact]["breaks"] = other;
            let folder = Folder { verdicts: bytes(&changed), ..folder.clone() };
            assert!(is_noticed(&folder), "{}", changed["verdicts"][at]);
            tampered += 1;
        }
    }
    assert!(tampered >= 4, "only {tampered} changed runs break the assumption");
}

#[test]
fn the_facts_of_a_redundant_condition_are_not_exchanged() {
    if !solver_is_there() {
        return;
    }
    let folder = generated("audit_redundant", GRADES, "omcdc");
    tamper_with_grade(
        &folder,
        "redundant",
        &[
            ("another constant", |one| flip(&mut one["redundant"]["constant"])),
            ("held at the right value", |one| flip(&mut one["stuck"]["held"])),
            ("noticed and replaceable", |one| one["stuck"]["verdict"] = "unknown".into()),
            ("free, and one wrong step may be seen", |one| {
                one["step"]["verdict"] = "unknown".into();
            }),
            ("the other form", |one| one["redundant"]["form"] = "constant".into()),
            ("no form", |one| one["redundant"]["form"] = "loose".into()),
            ("masked told as the reason", |one| one["redundant"]["because"] = "masked".into()),
            ("no reason", |one| one["redundant"]["because"] = "boredom".into()),
        ],
    );
}

#[test]
fn a_condition_that_has_the_value_is_not_told_to_have_it_never() {
    if !solver_is_there() {
        return;
    }
    let folder = generated("audit_never", MASKED, "omcdc");
    let verdicts = parsed(&folder.verdicts);
    let because = |word: &str| {
        let list = verdicts["verdicts"].as_array().expect("a list").iter();
        list.filter(|one| one["redundant"]["because"] == word).count()
    };
    assert!(because("never") > 0 && because("masked") > 0, "{verdicts}");
    for (at, verdict) in verdicts["verdicts"].as_array().unwrap().iter().enumerate() {
        if verdict["redundant"]["because"] == "masked" {
            let mut changed = verdicts.clone();
            changed["verdicts"][at]["redundant"]["because"] = "never".into();
            let folder = Folder { verdicts: bytes(&changed), ..folder.clone() };
            assert!(is_noticed(&folder), "{verdict}");
        }
    }
}

#[test]
fn what_is_not_decided_is_not_told_as_impossible() {
    if !solver_is_there() {
        return;
    }
    let folder = generated("audit_tag_only", GRADES, "omcdc");
    tamper_with_grade(
        &folder,
        "tag-only",
        &[
            ("one wrong step", |one| one["step"] = json!({"verdict": "impossible"})),
            ("a constant", |one| {
                one["stuck"] = json!({"verdict": "impossible", "held": one["stuck"]["held"]});
            }),
            ("a tag that arrives earlier", |one| one["tag"]["step"] = 1.into()),
        ],
    );
}

#[test]
fn a_suite_that_says_less_than_its_verdicts_is_noticed() {
    if !solver_is_there() {
        return;
    }
    let folder = generated("audit_less", GRADES, "omcdc,mcdc");
    let edits: [Edit; 4] = [
        ("nothing covered", |suite| suite["tests"][0]["covers"] = json!([])),
        ("one less covered", |suite| {
            drop(suite["tests"][0]["covers"].as_array_mut().unwrap().pop());
        }),
        ("nothing expected in a step", |suite| suite["tests"][0]["steps"][0]["out"] = json!({})),
        ("no output", |suite| {
            suite["outputs"] = json!([]);
            for test in suite["tests"].as_array_mut().unwrap() {
                let steps = test["steps"].as_array_mut().unwrap();
                steps.iter_mut().for_each(|step| step["out"] = json!({}));
            }
        }),
    ];
    for (kind, edit) in edits {
        let mut suite = parsed(&folder.suite);
        edit(&mut suite);
        assert!(is_noticed(&Folder { suite: bytes(&suite), ..folder.clone() }), "{kind}");
    }
}

#[test]
fn settings_that_the_verdicts_deny_are_noticed() {
    if !solver_is_there() {
        return;
    }
    let folder = generated("audit_settings", MASKED, "omcdc");
    let edits: [Edit; 4] = [
        ("graded as published", |settings| settings["as_published"] = true.into()),
        ("interrupted, and all is decided", |settings| settings["interrupted"] = true.into()),
        ("measured, and something is proven", |settings| settings["method"] = "measured".into()),
        ("other masking", |settings| settings["masking"] = "original".into()),
    ];
    for (kind, edit) in edits {
        let mut settings = parsed(&folder.settings);
        edit(&mut settings);
        assert!(is_noticed(&Folder { settings: bytes(&settings), ..folder.clone() }), "{kind}");
    }
}

#[test]
fn a_value_that_is_expected_where_there_is_none_is_refuted() {
    let folder = scratch("audit_no_value");
    let (model, suite, out) =
        (folder.join("model.lus"), folder.join("suite.csv"), folder.join("out"));
    let text = "node main(x: int; a: bool) returns (o: bool; q: int);\n\
                let q = 10 div x; o = a; tel\n";
    std::fs::write(&model, text).unwrap();
    std::fs::write(&suite, "test,x,a,o,q\nt,1,true,true,10\nt,0,false,false,\n").unwrap();
    let texts = [&model, &suite, &out].map(|path| path.to_str().unwrap());
    let measured = provoke(&["measure", texts[0], texts[1], "-c", "omcdc", "-o", texts[2]]);
    assert_eq!(measured.code, 1, "{}", measured.stderr);
    let audit = result_of(&["audit", texts[2]], 1);
    let told =
        "test t: step 2: division by zero in line 2, and the test expects values from there on";
    assert_eq!(audit["findings"][0]["reason"], told);
}
