//! What a user sees of `provoke audit`, and that it notices what was tampered with.

#![allow(clippy::print_stdout, reason = "what was tampered with is worth seeing")]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use provoke_audit::solver::QueryLimit;
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

    /// Whether tests expect what the model does, and cover what they are said to cover.
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
        claims.all(|claim| {
            covers(claim["test"].as_str().unwrap_or(""), claim["id"].as_str().unwrap_or(""))
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
