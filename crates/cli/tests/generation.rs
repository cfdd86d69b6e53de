//! What a user sees of test generation and proofs.

mod support;

use std::collections::BTreeSet;

use support::{json, provoke, scratch, solver_is_there};

#[test]
fn what_generate_claims_is_confirmed_by_measure() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("confirmed");
    for model in ["delay_chain", "masking_split", "masking_inlined", "traffic_light", "voter"] {
        let path = format!("models/{model}.lus");
        let out = folder.join(model);
        let out = out.to_str().unwrap();
        let generated = json(&["generate", &path, "-c", "mcdc,omcdc", "-o", out], 0);
        let totals = &generated["obligations"];
        assert_eq!(totals["unknown"], 0, "{model}");
        let suite = generated["suite"].as_str().unwrap();
        let measured = json(&["measure", &path, suite, "-c", "mcdc,omcdc"], 0);
        assert_eq!(measured["covered"], totals["covered"], "{model}");
        assert_eq!(measured["total"], totals["total"], "{model}");
        let replayed = provoke(&["simulate", &path, "-i", suite, "--expect", suite]);
        assert_eq!(replayed.code, 0, "{model}: {}", replayed.stdout);
    }
}

/// The strings of a list.
fn words(list: &serde_json::Value) -> BTreeSet<String> {
    list.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_string()).collect()
}

/// What `measure --exact` says is covered: what is by tags, but for the disagreements.
fn exactly_covered(measured: &serde_json::Value, all: &BTreeSet<String>) -> BTreeSet<String> {
    let not = &words(&measured["uncovered"]) | &words(&measured["exact"]["only_tagged"]);
    &(all - &not) | &words(&measured["exact"]["only_exact"])
}

#[test]
fn what_generate_claims_exactly_is_confirmed_by_exact_measure() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("exactly-confirmed");
    for (model, mode) in [("delay_chain", "step"), ("voter", "step"), ("voter", "stuck")] {
        let path = format!("models/{model}.lus");
        let out = folder.join(format!("{model}-{mode}"));
        let criterion = ["-c", "omcdc,ocondition", "--exact", mode];
        let arguments = ["generate", &path, "--effort", "1", "-o", out.to_str().unwrap()];
        let ran = provoke(&[&arguments[..], &criterion, &["--format", "json"]].concat());
        assert!([0, 5].contains(&ran.code), "{}", ran.stderr);
        let generated: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(generated["exact"], mode);
        let (mut all, mut covered) = (BTreeSet::new(), BTreeSet::new());
        for verdict in generated["verdicts"].as_array().unwrap() {
            let id = verdict["id"].as_str().unwrap().to_string();
            all.insert(id.clone());
            if verdict["verdict"] == "covered" {
                covered.insert(id);
            }
        }
        let suite = generated["suite"].as_str().unwrap();
        let measured = json(&[&["measure", &path, suite], &criterion[..]].concat(), 0);
        assert_eq!(exactly_covered(&measured, &all), covered, "{model}, {mode}");
        assert!(covered.len() > all.len() / 2, "{model}, {mode}");
        // The same folder does not serve another question.
        let other = provoke(&arguments);
        assert!(other.code == 3 && other.stderr.contains("another run"), "{}", other.stderr);
    }
}

#[test]
fn exactness_without_observability_is_refused() {
    let ran = provoke(&["generate", "models/voter.lus", "-c", "omcdc,branch", "--exact", "stuck"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("`branch` is not an observable criterion"), "{}", ran.stderr);
    assert!(ran.stderr.contains("help: use -c obranch"), "{}", ran.stderr);
}

#[test]
fn the_number_of_jobs_does_not_change_the_suite() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("jobs");
    let suite = |jobs: &str| {
        let out = folder.join(jobs);
        let out = out.to_str().unwrap();
        let model = "models/elevator.lus";
        let ran = provoke(&["generate", model, "--effort", "1", "--jobs", jobs, "-o", out]);
        assert!([0, 5].contains(&ran.code), "{}", ran.stderr);
        ["suite.json", "verdicts.json"]
            .map(|name| std::fs::read(folder.join(jobs).join(name)).unwrap())
    };
    assert_eq!(suite("1"), suite("2"));
}

/// Runs `generate` with one job, with two, and once more where everything is remembered; all
/// say the same. Returns where the tests came from.
fn sources_of_the_same_suite(method: &str) -> Vec<String> {
    let folder = scratch(method);
    let generate = |jobs: &str| {
        let out = folder.join(jobs);
        let words = ["generate", "models/cruise_control.lus", "-c", "omcdc", "--method", method];
        let more = ["--effort", "1", "--jobs", jobs, "-o", out.to_str().unwrap()];
        let mut result = json(&[&words[..], &more[..]].concat(), 5);
        result["seconds"] = 0.into();
        result["suite"] = "".into();
        let files = ["suite.json", "verdicts.json"].map(|name| out.join(name));
        (result, files.map(|file| std::fs::read(file).unwrap()))
    };
    let first = generate("1");
    assert_eq!(first, generate("2"));
    assert_eq!(first, generate("1"));
    let sources = first.0["sources"].as_array().unwrap();
    sources.iter().map(|source| source["source"].as_str().unwrap().to_string()).collect()
}

#[test]
fn incremental_generation_is_the_same_for_any_jobs_and_when_resumed() {
    if solver_is_there() {
        assert_eq!(sources_of_the_same_suite("incremental"), ["incremental", "search"]);
    }
}

#[test]
fn searches_from_states_are_the_same_for_any_jobs_and_when_resumed() {
    if solver_is_there() {
        assert_eq!(sources_of_the_same_suite("hybrid"), ["simulation", "archive", "search"]);
    }
}

#[test]
fn random_generation_needs_no_solver() {
    let ran = provoke(&["generate", "models/delay_chain.lus", "--method", "random"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("16 covered (16 shown, 0 lasting), 0 unknown"), "{}", ran.stdout);
}

#[test]
fn properties_hold_or_are_violated_by_a_test() {
    if !solver_is_there() {
        return;
    }
    let holding = json(&["prove", "models/traffic_light.lus"], 0);
    assert_eq!(holding["schema"], "provoke/prove/2");
    let all = serde_json::json!({"total": 3, "holds": 3, "violated": 0, "unknown": 0});
    assert_eq!(holding["properties"], all);
    let violated = json(&["prove", "models/microwave.lus"], 1);
    assert_eq!(violated["properties"]["violated"], 1);
    let verdicts = violated["verdicts"].as_array().unwrap();
    let clear_rests = verdicts.iter().find(|verdict| verdict["id"] == "clear_rests").unwrap();
    assert_eq!(clear_rests["verdict"], "violated");
    assert_eq!(clear_rests["undefined"], serde_json::Value::Null);
    let property = &clear_rests["property"];
    assert_eq!(property["formula"], "clear_rests");
    assert_eq!(property["definition"], "clear => mode <> Running");
    assert_eq!(property["line"], 105);
    let step = property["step"].as_u64().unwrap() as usize;
    let counterexample = &property["counterexample"];
    let formula = counterexample["formula"].as_array().unwrap();
    assert_eq!((formula.len(), &formula[step - 1]), (step, &"false".into()));
    assert!(formula[..step - 1].iter().all(|value| value == "true"), "{formula:?}");
    let shown = provoke(&["prove", "models/microwave.lus"]);
    let line = format!(
        "  clear_rests         clear => mode <> Running                            \
         models/microwave.lus:105  violated in step {step}\n    counterexample t1:\n    step "
    );
    assert!(shown.code == 1 && shown.stdout.contains(&line), "{}", shown.stdout);
    assert!(shown.stdout.contains("models/microwave.lus:91   holds (proven by k-induction"));
    let nothing = provoke(&["prove", "models/delay_chain.lus"]);
    assert!(
        nothing.code == 3 && nothing.stderr.contains("has no properties"),
        "{}",
        nothing.stderr
    );
}

#[test]
fn a_budget_ends_the_work_in_time_with_what_was_found() {
    if !solver_is_there() {
        return;
    }
    let start = std::time::Instant::now();
    let result = json(&["generate", "models/infusion_pump.lus", "--budget", "300ms"], 5);
    assert!(start.elapsed().as_secs() < 30, "took {:?}", start.elapsed());
    let totals = &result["obligations"];
    let sum: u64 = ["covered", "infeasible", "redundant", "tag_only", "unknown"]
        .iter()
        .map(|k| totals[k].as_u64().unwrap())
        .sum();
    assert_eq!(Some(sum), totals["total"].as_u64());
}

#[test]
fn a_finished_run_is_resumed_and_another_run_is_refused() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("resumed");
    let out = folder.to_str().unwrap();
    let generate = |criterion: &str| {
        // One engine alone takes the obligations one by one, so that there is much to keep.
        let arguments = ["generate", "models/voter.lus", "-c", criterion, "--effort", "2"];
        provoke(&[&arguments[..], &["--prover", "kind", "-o", out]].concat())
    };
    assert!([0, 5].contains(&generate("omcdc").code));
    let files =
        || ["suite.json", "verdicts.json"].map(|name| std::fs::read(folder.join(name)).unwrap());
    let first = files();
    // Half of what was kept is lost, as after a crash; only that half is done again.
    let segment =
        std::fs::read_dir(folder.join("segments")).unwrap().next().unwrap().unwrap().path();
    let bytes = std::fs::read(&segment).unwrap();
    std::fs::write(&segment, &bytes[..bytes.len() / 2]).unwrap();
    let again = generate("omcdc");
    assert!(again.stderr.contains("done again"), "{}", again.stderr);
    assert_eq!(files(), first);
    let other = generate("mcdc");
    assert_eq!(other.code, 3);
    assert!(other.stderr.contains("another run"), "{}", other.stderr);
}

#[test]
fn merged_shards_equal_the_undivided_run() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("shards");
    let place = |name: &str| folder.join(name).to_str().unwrap().to_string();
    let generate = |out: &str, shard: &[&str]| {
        let common = ["generate", "models/elevator.lus", "--effort", "1", "-o", out];
        let ran = provoke(&[&common[..], shard].concat());
        assert!([0, 5].contains(&ran.code), "{}", ran.stderr);
    };
    let whole = place("whole");
    generate(&whole, &[]);
    let shards: Vec<String> =
        ["1/3", "2/3", "3/3"].map(|k| place(&k.replace('/', "-of-"))).to_vec();
    for (k, out) in shards.iter().enumerate() {
        generate(out, &["--shard", &format!("{}/3", k + 1)]);
    }
    let merged = place("merged");
    let merge = |parts: &[String]| {
        let parts = parts.iter().map(String::as_str);
        let words = ["merge"].into_iter().chain(parts).chain(["-o", &merged, "--require-complete"]);
        provoke(&words.collect::<Vec<_>>())
    };
    let partial = merge(&shards[..2]);
    assert!(
        partial.code == 5 && partial.stdout.contains("missing shards: 3/3"),
        "{}",
        partial.stdout
    );
    assert_eq!(merge(&shards).code, 0);
    assert_eq!(merge(&shards).code, 0, "merging twice changes nothing");
    generate(&merged, &[]);
    for name in ["suite.json", "verdicts.json"] {
        let read = |out: &str| std::fs::read(std::path::Path::new(out).join(name)).unwrap();
        assert_eq!(read(&whole), read(&merged), "{name}");
    }
}

#[test]
fn an_extended_suite_keeps_its_tests_and_gains_what_is_missing() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("extended");
    let mine = folder.join("mine.csv");
    std::fs::write(&mine, "test,in1,in2,in3\nmine,true,true,true\nmine,true,true,false\n").unwrap();
    let out = folder.join("out");
    let arguments =
        ["generate", "models/delay_chain.lus", "--extend", mine.to_str().unwrap(), "-o"];
    let result = json(&[&arguments[..], &[out.to_str().unwrap()]].concat(), 0);
    assert_eq!(result["obligations"]["covered"], 16);
    let suite: serde_json::Value =
        serde_json::from_slice(&std::fs::read(out.join("suite.json")).unwrap()).unwrap();
    assert_eq!(suite["tests"][0]["name"], "mine");
    assert_eq!(suite["tests"][0]["steps"].as_array().unwrap().len(), 2);
}

#[test]
fn an_undecided_property_says_how_far_it_was_searched() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("undecided");
    std::fs::create_dir_all(&folder).unwrap();
    let model = folder.join("counter.lus");
    let text = "node counter(up: bool) returns (n: int);
let
  n = (0 -> pre n) + (if up then 1 else 0);
  --%PROPERTY \"never so far\" n < 1000000;
tel
";
    std::fs::write(&model, text).unwrap();
    let shown = provoke(&["prove", model.to_str().unwrap(), "--prover", "bmc", "--effort", "1"]);
    assert_eq!(shown.code, 5, "{}", shown.stdout);
    let expected = "  never so far  n < 1000000  ";
    assert!(shown.stdout.contains(expected), "{}", shown.stdout);
    assert!(shown.stdout.contains("unknown: no violation in the first "), "{}", shown.stdout);
}

#[test]
fn a_counterexample_names_the_undefined_values_that_it_needs() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("undefined");
    std::fs::create_dir_all(&folder).unwrap();
    let model = folder.join("model.lus");
    let text = "node sub(x: int) returns (y: int); let y = pre x; tel
node n(x: int) returns (ok: bool); let ok = sub(x) = sub(x); --%PROPERTY ok; tel
";
    std::fs::write(&model, text).unwrap();
    let (model, out) = (model.to_str().unwrap(), folder.join("out"));
    let out = out.to_str().unwrap();
    let result = json(&["prove", model, "-o", out], 1);
    let undefined = result["verdicts"][0]["undefined"].as_array().unwrap();
    let places: Vec<_> = undefined
        .iter()
        .map(|one| (&one["expression"], &one["line"], &one["column"], &one["variable"]))
        .collect();
    let place =
        |variable: &str| ("pre x".into(), 1.into(), 44.into(), serde_json::Value::from(variable));
    let (one, other) = (place("sub#1.y"), place("sub#2.y"));
    let expected = [(&one.0, &one.1, &one.2, &one.3), (&other.0, &other.1, &other.2, &other.3)];
    assert_eq!(places, expected, "{result}");
    assert_ne!(undefined[0]["value"], undefined[1]["value"]);
    let shown = provoke(&["prove", model]);
    assert!(shown.stdout.contains("ok is violated by t1 if in the first step"), "{}", shown.stdout);
    let explained = provoke(&["explain", "ok", out]);
    assert!(explained.stdout.contains("ok: violated"), "{}", explained.stdout);
    assert!(
        explained.stdout.contains("It needs these undefined values in the first step"),
        "{}",
        explained.stdout
    );
}

#[test]
fn assertions_are_analysed_and_what_matters_is_said_again() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("assertions");
    std::fs::create_dir_all(&folder).unwrap();
    let model = folder.join("model.lus");
    let text = "node n(x: int; b: bool) returns (p: bool);
let
  p = x > 0;
  assert true -> pre x < 10;
  assert pre b;
  assert b or not b;
  --%PROPERTY p;
tel
";
    std::fs::write(&model, text).unwrap();
    let model = model.to_str().unwrap();
    let result = json(&["check", model], 0);
    let found = result["diagnostics"].as_array().unwrap();
    let line = |code: &str| {
        let found = found.iter().find(|diagnostic| diagnostic["code"] == code);
        found.map(|diagnostic| diagnostic["line"].as_u64().unwrap())
    };
    assert_eq!(line("undefined-assertion"), Some(5), "{result}");
    assert_eq!(line("dead-end"), Some(4), "{result}");
    assert_eq!(line("idle-assertion"), Some(6), "{result}");
    assert_eq!(result["assumption_analysis"]["verdict"], "runs end");
    let proven = provoke(&["prove", model]);
    assert!(proven.stderr.contains("line 5: this assertion may be undefined"), "{}", proven.stderr);
    assert!(proven.stderr.contains("comes to a dead end"), "{}", proven.stderr);
}

/// The operand of the delay divides by what nobody knows; the property is false whatever that is.
const DOUBTFUL: &str = "
node doubtful(x: bool) returns (o: bool);
var v: int;
let
  o = false;
  v = pre (0 mod v);
  --%PROPERTY o;
tel
";

#[test]
fn a_property_is_violated_with_values_that_do_not_divide_by_zero() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("doubtful");
    let model = folder.join("doubtful.lus");
    std::fs::write(&model, DOUBTFUL).unwrap();
    let out = folder.join("out");
    let out = out.to_str().unwrap();
    let proved = json(&["prove", model.to_str().unwrap(), "--effort", "1", "-o", out], 1);
    let verdict = &proved["verdicts"][0];
    assert_eq!(verdict["verdict"], "violated");
    assert_ne!(verdict["undefined"][0]["value"], "0");
    let audit = json(&["audit", out], 0);
    assert_eq!(audit["confirmed"], 1);
    // Without the values it is not known that there is such a run.
    let path = folder.join("out/verdicts.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut verdicts: serde_json::Value = serde_json::from_str(&text).unwrap();
    verdicts["verdicts"][0].as_object_mut().unwrap().remove("undefined");
    std::fs::write(&path, verdicts.to_string()).unwrap();
    assert_eq!(json(&["audit", out], 1)["refuted"], 1);
}

#[test]
fn what_is_found_behind_a_doubtful_division_is_unknown() {
    let folder = scratch("behind-doubt");
    let model = folder.join("behind.lus");
    let text = "node behind(i: subrange [-1, 1] of int) returns (o: bool); var v: int;
                let o = if false then true else false; v = 0 mod (pre i); tel";
    std::fs::write(&model, text).unwrap();
    let path = model.to_str().unwrap();
    let arguments = ["generate", path, "-c", "branch", "--method", "random", "--effort", "1"];
    let result = json(&arguments, 5);
    assert_eq!(result["obligations"]["covered"], 0);
    assert_eq!(result["obligations"]["unknown"], 2);
}
