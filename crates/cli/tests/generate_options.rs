//! What a user may ask of `generate`: assumptions, exclusions, properties, fewer tests, an end.

mod support;

use std::path::Path;

use serde_json::Value as Json;
use support::{check, command, json, provoke, scratch, solver_is_there};

fn read(path: impl AsRef<Path>) -> Json {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn strings(list: &Json) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|item| item.as_str().unwrap()).collect()
}

/// The verdict of an obligation.
fn verdict<'j>(result: &'j Json, id: &str) -> &'j Json {
    let verdicts = result["verdicts"].as_array().unwrap();
    verdicts.iter().find(|verdict| verdict["id"] == id).unwrap()
}

#[test]
fn tests_stay_inside_the_assumptions() {
    if !solver_is_there() {
        return;
    }
    let out = scratch("assumed");
    let folder = out.to_str().unwrap();
    let assumptions = ["power * power = 49", "not (start and clear)"];
    let arguments = ["generate", "models/microwave.lus", "-c", "mcdc", "--effort", "1"];
    let options = ["--assume", assumptions[0], "--assume", assumptions[1], "-o", folder];
    let ran = provoke(&[&arguments[..], &options].concat());
    assert!([0, 5].contains(&ran.code), "{}", ran.stderr);
    assert!(ran.stdout.contains("\n  assuming power * power = 49\n"), "{}", ran.stdout);
    assert_eq!(strings(&read(out.join("verdicts.json"))["assumptions"]), assumptions);
    let suite = read(out.join("suite.json"));
    for test in suite["tests"].as_array().unwrap() {
        for step in test["steps"].as_array().unwrap() {
            assert_eq!(step["in"]["power"], 7, "{test}");
            assert!(step["in"]["start"] == false || step["in"]["clear"] == false, "{test}");
        }
    }
    let other = provoke(&[&arguments[..], &["-o", folder]].concat());
    assert!(other.code == 3 && other.stderr.contains("another run"), "{}", other.stderr);
}

#[test]
fn an_assumption_can_make_a_property_true() {
    if !solver_is_there() {
        return;
    }
    let proven = json(&["prove", "models/microwave.lus", "--assume", "not clear"], 0);
    assert_eq!(proven["properties"]["holds"], 5);
}

#[test]
fn mistakes_in_assumptions_are_explained() {
    let generate = |assumption| ["generate", "models/microwave.lus", "--assume", assumption];
    check("assume-unknown", &generate("powr < 3 and xyzzy"), 3);
    check("assume-type", &generate("power + 1"), 3);
    check("assume-syntax", &generate("power <"), 3);
}

#[test]
fn a_model_that_always_divides_by_zero_has_no_run() {
    if !solver_is_there() {
        return;
    }
    let text = "node n(a: bool; x: int) returns (o: bool; q: int);\nlet\n  \
                q = 10 div (0 -> pre x);\n  o = a;\n  --%PROPERTY \"absurd\" false;\ntel\n";
    let path = scratch("always-divides").join("always.lus");
    std::fs::write(&path, text).expect("a model");
    let path = path.to_str().expect("a name");
    let suite = scratch("always-divides-suite").join("mine.csv");
    std::fs::write(&suite, "test,a,x\nmine,true,1\n").expect("a suite");
    let mutate = ["mutate", path, suite.to_str().expect("a name"), "--equivalence"];
    for command in [&["generate", path][..], &["prove", path], &mutate] {
        let ran = provoke(&[command, &["--assume", "true"]].concat());
        assert_eq!(ran.code, 3, "{}", ran.stdout);
        let message = "every first step divides by zero, so the model has no run; look at \
                       `10 div (0 -> pre x)` (line 3)";
        assert!(ran.stderr.contains(message), "{}", ran.stderr);
    }
    let ran = provoke(&["check", path]);
    assert!(
        ran.code == 0 && ran.stderr.contains("every first step divides by zero"),
        "{}",
        ran.stderr
    );
}

#[test]
fn assumptions_that_exclude_everything_are_an_error() {
    if !solver_is_there() {
        return;
    }
    for command in ["generate", "prove"] {
        let ran = provoke(&[command, "models/microwave.lus", "--assume", "clear and not clear"]);
        assert_eq!(ran.code, 3, "{}", ran.stdout);
        assert!(ran.stderr.contains("the assumptions contradict each other"), "{}", ran.stderr);
        assert!(ran.stderr.contains("help: weaken or leave out"), "{}", ran.stderr);
    }
    let arguments = ["generate", "models/microwave.lus", "--assume", "clear and not clear"];
    let ran = provoke(&[&arguments[..], &["--method", "random", "--effort", "1"]].concat());
    assert!(ran.code == 5 && ran.stderr.contains("no test inside"), "{}", ran.stderr);
}

#[test]
fn a_given_test_outside_the_assumptions_is_kept_and_named() {
    let mine = scratch("outside").join("mine.csv");
    std::fs::write(&mine, "test,in1,in2,in3\nmine,true,true,true\n").unwrap();
    let arguments = ["generate", "models/delay_chain.lus", "--method", "random", "--extend"];
    let options = [mine.to_str().unwrap(), "--assume", "not in1"];
    let ran = provoke(&[&arguments[..], &options].concat());
    let message = "test `mine` leaves the assumptions in step 1; it is kept";
    assert!(ran.stderr.contains(message), "{}", ran.stderr);
}

const CHAIN: [&str; 4] = ["generate", "models/delay_chain.lus", "--method", "random"];

fn chain(options: &[&str]) -> support::Ran {
    provoke(&[&CHAIN[..], options].concat())
}

#[test]
fn excluded_obligations_keep_their_reason_and_are_counted_apart() {
    let options = ["--exclude", "out:*", "--because", "seen in the lab"];
    let more = ["--exclude", "v2:omcdc:1T", "--because", "a duplicate"];
    let result = json(&[&CHAIN[..], &options, &more].concat(), 0);
    let totals = &result["obligations"];
    assert_eq!((&totals["total"], &totals["excluded"]), (&Json::from(16), &Json::from(3)));
    assert_eq!(totals["covered"], 13);
    let out = verdict(&result, "out:omcdc:1F");
    assert_eq!((&out["verdict"], &out["reason"]), (&"excluded".into(), &"seen in the lab".into()));
    assert_eq!(verdict(&result, "v2:omcdc:1T")["reason"], "a duplicate");
    assert!(out["note"].as_str().unwrap().contains("covers it all the same"), "{out}");
    let ran = chain(&[&options[..], &more].concat());
    assert!(ran.stdout.contains("0 unknown, 3 excluded"), "{}", ran.stdout);
    assert!(ran.stdout.contains("seen in the lab"), "{}", ran.stdout);
}

#[test]
fn what_is_excluded_is_not_searched_for() {
    let result = json(&[&CHAIN[..], &["--exclude", "*", "--because", "no"]].concat(), 0);
    assert_eq!((&result["tests"], &result["obligations"]["excluded"]), (&0.into(), &16.into()));
}

#[test]
fn mistakes_in_exclusions_say_what_to_type() {
    let cases: [(&[&str], i32, &str); 5] = [
        (&["--exclude", "v2:omcdc:1T"], 2, "type --exclude 'v2:omcdc:1T' --because"),
        (&["--because", "lab"], 2, "type --exclude ID --because 'lab'"),
        (&["--exclude", "out:*", "--because", " "], 2, "say why"),
        (&["--exclude", "v2:omcdc:1X", "--because", "lab"], 3, "did you mean `v2:omcdc:1"),
        (&["--exclude", "zzz*", "--because", "lab"], 3, "provoke obligations MODEL"),
    ];
    for (options, code, message) in cases {
        let ran = chain(options);
        assert_eq!(ran.code, code, "{options:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{options:?}: {}", ran.stderr);
    }
}

#[test]
fn properties_are_counted_for_themselves() {
    if !solver_is_there() {
        return;
    }
    let out = scratch("properties");
    let folder = out.to_str().unwrap();
    let model = "models/microwave.lus";
    let result = json(&["generate", model, "-c", "properties", "-o", folder], 1);
    let violated = verdict(&result, "clear_rests");
    assert_eq!((&violated["verdict"], &violated["kind"]), (&"violated".into(), &"property".into()));
    assert_eq!(verdict(&result, "door_safe")["verdict"], "holds");
    let counted = serde_json::json!({"total": 5, "holds": 4, "violated": 1, "unknown": 0});
    assert_eq!(result["properties"], counted);
    assert_eq!(result["obligations"]["total"], 0, "{}", result["obligations"]);
    let suite = out.join("suite.json");
    let suite = suite.to_str().unwrap();
    let confirmed = ["-c", "properties", "--exact", "step", "--all", "--suggest-oracle", "1"];
    let measured = json(&[&["measure", model, suite][..], &confirmed].concat(), 1);
    assert_eq!((&measured["total"], &measured["covered"]), (&0.into(), &0.into()));
    assert_eq!(measured["properties"]["total"], 5);
    let step = &violated["property"]["step"];
    let expected = serde_json::json!([{"id": "clear_rests", "test": "t1", "step": step}]);
    assert_eq!(measured["properties"]["violated"], expected);
    let both = provoke(&["measure", model, suite, "-c", "branch,properties"]);
    assert_eq!(both.code, 1, "{}", both.stderr);
    assert!(
        both.stdout.contains("\nproperties: 1 of 5 violated\n  clear_rests  violated in step ")
    );
    assert!(!both.stdout.contains("\nproperties  microwave"), "{}", both.stdout);
    let both = provoke(&["generate", "models/voter.lus", "-c", "decision,properties"]);
    assert_eq!(both.code, 0, "{}", both.stderr);
    assert!(both.stdout.starts_with("models/voter.lus: 148 decision\n"), "{}", both.stdout);
    let summary = "\nproperties: 0 violated, 3 hold, 0 unknown\n  in_between ";
    assert!(both.stdout.contains(summary), "{}", both.stdout);
    let alone = json(&["generate", "models/voter.lus", "-c", "decision"], 0);
    assert!(alone.get("properties").is_none(), "{alone}");
    let none = provoke(&["generate", "models/delay_chain.lus", "-c", "omcdc,properties"]);
    assert!(none.code == 3 && none.stderr.contains("has no properties"), "{}", none.stderr);
}

/// Two properties, one of which no effort decides, and a branch that simulation does not reach.
const HARD: &str = "node hard(x: int) returns (sum: int; far: bool);
let
  sum = x -> pre sum * 3 + x * x;
  far = if sum = 123456789 and x = 17 then true else false;
  --%PROPERTY \"easy\" x < 5;
  --%PROPERTY \"hard\" sum * sum <> 999983 * x + 7;
tel
";

#[test]
fn a_violated_property_is_a_negative_answer_whatever_else_is_open() {
    let folder = scratch("violated-and-unknown");
    std::fs::create_dir_all(&folder).unwrap();
    let (both, open) = (folder.join("both.lus"), folder.join("open.lus"));
    std::fs::write(&both, HARD).unwrap();
    std::fs::write(&open, HARD.replace("--%PROPERTY \"easy\"", "-- ")).unwrap();
    let generate = |model: &std::path::Path, code: i32, more: &[&str]| {
        let model = model.to_str().unwrap();
        let asked = ["generate", model, "-c", "branch,properties", "--method", "random"];
        json(&[&asked[..], &["--effort", "1"], more].concat(), code)
    };
    let found = generate(&both, 1, &[]);
    let counted = serde_json::json!({"total": 2, "holds": 0, "violated": 1, "unknown": 1});
    assert_eq!(found["properties"], counted);
    assert_eq!(found["obligations"]["unknown"], 1, "{found}");
    assert_eq!(found["obligations"]["total"], 2, "{found}");
    // Coverage that is enough does not make up for a property that is violated or unknown.
    generate(&both, 1, &["--require", "50"]);
    generate(&open, 5, &[]);
    generate(&open, 5, &["--require", "50"]);
    generate(&open, 1, &["--require", "90"]);
    let left_out = ["--exclude", "hard", "--because", "not now", "--require", "50"];
    let excluded = generate(&open, 0, &left_out);
    assert_eq!(excluded["properties"]["excluded"], 1);
}

#[test]
fn a_reduced_suite_claims_what_is_true() {
    let out = scratch("reduced");
    let model = "models/voter.lus";
    let generate = |method: &str| {
        let folder = out.join(method);
        let options = ["--method", "random", "--reduce", method, "-o", folder.to_str().unwrap()];
        let result = json(&[&["generate", model][..], &options].concat(), 5);
        (result, folder)
    };
    let (whole, _) = generate("none");
    assert_eq!(whole["tests"], whole["tests_before_reduction"]);
    for method in ["random", "greedy", "hgs", "exact"] {
        let (result, folder) = generate(method);
        assert_eq!(result["obligations"], whole["obligations"], "{method}");
        assert_eq!(result["tests_before_reduction"], whole["tests"]);
        assert!(result["tests"].as_u64() < whole["tests"].as_u64(), "{method}");
        let suite = folder.join("suite.json");
        let measured = json(&["measure", model, suite.to_str().unwrap()], 0);
        assert_eq!(measured["covered"], result["obligations"]["covered"], "{method}");
    }
    each_test_covers_what_it_says(model, &out.join("hgs"));
}

/// Measures each test alone, and looks up each verdict's test.
fn each_test_covers_what_it_says(model: &str, folder: &Path) {
    let suite = read(folder.join("suite.json"));
    let verdicts = read(folder.join("verdicts.json"));
    for test in suite["tests"].as_array().unwrap() {
        let alone = folder.join("alone.json");
        let mut single = suite.clone();
        single["tests"] = Json::Array(vec![test.clone()]);
        std::fs::write(&alone, single.to_string()).unwrap();
        let measured = json(&["measure", model, alone.to_str().unwrap()], 0);
        let uncovered = strings(&measured["uncovered"]);
        for id in strings(&test["covers"]) {
            assert!(!uncovered.contains(&id), "{} does not cover {id}", test["name"]);
            assert_eq!(verdict(&verdicts, id)["test"], test["name"], "{id}");
        }
    }
}

#[test]
fn given_tests_survive_the_reduction() {
    let mine = scratch("given_survive").join("mine.csv");
    // The second does what the first does.
    let rows = "a,true,true,true\nb,true,true,true\n";
    std::fs::write(&mine, format!("test,in1,in2,in3\n{rows}")).unwrap();
    let out = scratch("given_survive_out");
    let options = ["--extend", mine.to_str().unwrap(), "--reduce", "exact", "-o"];
    let result = json(&[&CHAIN[..], &options, &[out.to_str().unwrap()]].concat(), 0);
    assert_eq!(result["obligations"]["covered"], 16);
    let suite = read(out.join("suite.json"));
    assert_eq!(
        (&suite["tests"][0]["name"], &suite["tests"][1]["name"]),
        (&"a".into(), &"b".into())
    );
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_it_has_and_goes_on() {
    if !solver_is_there() {
        return;
    }
    let folder = scratch("interrupted");
    let place = |name: &str| folder.join(name).to_str().unwrap().to_string();
    let generate = |out: &str| {
        // One engine alone takes the obligations one by one, so that there is time.
        let arguments = ["generate", "models/microwave.lus", "--effort", "4", "--prover", "kind"];
        command(&[&arguments[..], &["-o", out]].concat())
            .stderr(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap()
    };
    let files = |name: &str| {
        ["suite.json", "verdicts.json"]
            .map(|file| std::fs::read(folder.join(name).join(file)).unwrap())
    };
    let whole = generate(&place("whole")).wait_with_output().unwrap();
    let child = generate(&place("cut"));
    wait_for_records(&folder.join("cut/segments"));
    let signal =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(signal.unwrap().success());
    let ended = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("the same command goes on from there"), "{stderr}");
    assert!(files("cut")[0].starts_with(b"{"), "a suite is written");
    let resumed = generate(&place("cut")).wait_with_output().unwrap();
    assert_eq!(resumed.status.code(), whole.status.code());
    assert_eq!(files("cut"), files("whole"));
}

/// Waits until something was kept.
#[cfg(unix)]
fn wait_for_records(segments: &Path) {
    for _ in 0..6000 {
        let entries = std::fs::read_dir(segments).into_iter().flatten().flatten();
        if entries.map(|entry| entry.metadata().map_or(0, |found| found.len())).sum::<u64>() > 1000
        {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("nothing was kept in {}", segments.display());
}
