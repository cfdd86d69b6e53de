//! `provoke timed` as a user runs it.

mod support;

use support::{json, provoke, provoke_with_input, scratch};

#[test]
fn check_shows_what_the_network_consists_of() {
    let ran = provoke(&["timed", "check", "models/timed/lamp.xml"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for part in ["Lamp, User", "4 locations, 5 edges, 2 clocks", "7 of 7 can be asked"] {
        assert!(ran.stdout.contains(part), "{}", ran.stdout);
    }
    let result = json(&["timed", "check", "models/timed/lamp.xml"], 0);
    assert_eq!(result["schema"], "provoke/timed-check/1");
    assert_eq!(result["processes"][1]["name"], "User");
}

#[test]
fn check_points_into_the_label() {
    let text = std::fs::read_to_string(provoke_testkit::repository().join("models/timed/lamp.xml"))
        .expect("the example");
    let wrong = text.replacen("y &lt; 5", "z &lt; 5", 1);
    let ran = provoke_with_input(&["timed", "check", "-"], wrong.as_bytes());
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("unknown name `z`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("<standard input>:29:24"), "{}", ran.stderr);
}

#[test]
fn verify_answers_and_draws_a_run() {
    let ran = provoke(&["timed", "verify", "models/timed/lamp.xml", "--trace"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    for part in [
        "satisfied      E<> Lamp.Bright",
        "4     Bright  Idle  User: press! -> Lamp",
        "not satisfied  A<> Lamp.Bright",
        "repeats",
    ] {
        assert!(ran.stdout.contains(part), "{}", ran.stdout);
    }
    let query = ["timed", "verify", "models/timed/lamp.xml", "-q"];
    assert_eq!(provoke(&[&query[..], &["A[] not deadlock"]].concat()).code, 0);
    assert_eq!(provoke(&[&query[..], &["Pr[<=9](<> Lamp.Dim)"]].concat()).code, 5);
    let wrong = provoke(&[&query[..], &["E<> Lamp.Brigth"]].concat());
    assert_eq!(wrong.code, 3);
    assert!(wrong.stderr.contains("did you mean `Bright`?"), "{}", wrong.stderr);
}

#[test]
fn verify_speaks_json_with_complete_traces() {
    let result = json(&["timed", "verify", "models/timed/lamp.xml"], 1);
    assert_eq!(result["schema"], "provoke/timed-verify/1");
    let first = &result["answers"][0];
    assert_eq!(first["verdict"], "satisfied");
    let event = &first["trace"]["events"][1];
    assert_eq!(event["time"], 4);
    assert_eq!(event["channel"], "press");
    assert_eq!(event["locations"]["Lamp"], "Bright");
    assert_eq!(event["clocks"]["User.x"], 0);
    assert_eq!(result["answers"][5]["values"][0]["value"], 20);
    let more = provoke(&["timed", "verify", "models/timed/lamp.xml"]).stderr;
    assert!(more.contains("1 more about single runs: `provoke timed estimate"), "{more}");
    assert_eq!(result["answers"].as_array().map(Vec::len), Some(6));
}

#[test]
fn estimate_gives_an_interval_and_repeats_itself() {
    let chance = "Pr[<=60](<> Lamp.Bright)";
    let query = ["timed", "estimate", "models/timed/lamp.xml", "--seed", "3", "-q", chance];
    let ran = provoke(&query);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("probability in ["), "{}", ran.stdout);
    assert!(ran.stdout.contains("at 95 % confidence"), "{}", ran.stdout);
    let with = |jobs: &'static str| {
        let mut result = json(&[&query[..], &["--jobs", jobs]].concat(), 0);
        result["answers"][0]["seconds"] = 0.into();
        result
    };
    let one = with("1");
    assert_eq!(one, with("3"));
    assert_eq!(one["schema"], "provoke/timed-estimate/1");
    let answer = &one["answers"][0];
    assert_eq!(answer["query"], chance);
    let number = |name: &str| answer[name].as_f64().expect("a number");
    let share = number("successes") / number("runs");
    assert!(number("low") <= share && share <= number("high"), "{answer}");
    assert!(number("high") - number("low") <= 0.1, "{answer}");
}

#[test]
fn estimate_decides_hypotheses_and_says_what_it_cannot() {
    let ask = |query: &str| provoke(&["timed", "estimate", "models/timed/lamp.xml", "-q", query]);
    assert_eq!(ask("Pr[<=60](<> Lamp.Bright) >= 0.01").code, 0);
    let refuted = ask("Pr[<=60](<> Lamp.Bright) <= 0.01");
    assert_eq!(refuted.code, 1, "{}", refuted.stdout);
    assert!(refuted.stdout.contains("not satisfied"), "{}", refuted.stdout);
    assert_eq!(ask("E<> Lamp.Bright").code, 5);
    let none = provoke(&["timed", "estimate", "models/timed/fischer4.xml"]);
    assert_eq!(none.code, 3);
    assert!(none.stderr.contains("ask with -q"), "{}", none.stderr);
}

#[test]
fn simulate_writes_points_in_every_format() {
    let show = ["timed", "simulate", "models/timed/lamp.xml", "--show", "Lamp.y, Lamp.Bright"];
    let ran = provoke(&[&show[..], &["--time", "20", "--runs", "2", "--seed", "5"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let mut lines = ran.stdout.lines();
    assert_eq!(lines.next(), Some("run,time,Lamp.y,Lamp.Bright"));
    assert_eq!(lines.next(), Some("0,0,0,0"));
    assert!(lines.clone().any(|line| line.starts_with("1,20,")), "{}", ran.stdout);
    let again = provoke(&[&show[..], &["--time", "20", "--runs", "2", "--seed", "5"]].concat());
    assert_eq!(again.stdout, ran.stdout);
    let result = json(&[&show[..], &["--time", "20"]].concat(), 0);
    assert_eq!(result["schema"], "provoke/timed-simulate/1");
    assert_eq!(result["runs"][0]["points"][0], serde_json::json!([0.0, [0.0, 0.0]]));
    let file = scratch("timed-simulate").join("run.vcd");
    let written = provoke(&[&show[..], &["-o", file.to_str().expect("text")]].concat());
    assert_eq!(written.code, 0, "{}", written.stderr);
    let text = std::fs::read_to_string(&file).expect("a file");
    assert!(text.contains("$var real 64 v0 Lamp.y $end"), "{text}");
    let wrong = provoke(&[&show[..], &["-o", "run.png"]].concat());
    assert_eq!(wrong.code, 3);
    assert!(wrong.stderr.contains("use .csv, .json or .vcd"), "{}", wrong.stderr);
}

#[test]
fn simulate_says_what_can_be_shown() {
    let show =
        |what: &str| provoke(&["timed", "simulate", "models/timed/lamp.xml", "--show", what]);
    let close = show("Lanp.y");
    assert_eq!(close.code, 3);
    assert!(close.stderr.contains("did you mean `Lamp`?"), "{}", close.stderr);
    let far = show("velocity");
    assert_eq!(far.code, 3);
    assert!(far.stderr.contains("unknown name `velocity`"), "{}", far.stderr);
    assert!(far.stderr.contains("use one of"), "{}", far.stderr);
}

#[test]
fn show_draws_the_automata() {
    let dot = provoke(&["timed", "show", "models/timed/lamp.xml", "-o", "-"]);
    assert_eq!(dot.code, 0, "{}", dot.stderr);
    for part in ["digraph network {", "Bright", "press?"] {
        assert!(dot.stdout.contains(part), "{}", dot.stdout);
    }
    let file = scratch("timed-show").join("lamp.svg");
    let ran =
        provoke(&["timed", "show", "models/timed/lamp.xml", "-o", file.to_str().expect("text")]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = std::fs::read_to_string(&file).expect("a file");
    assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"), "{text}");
    assert!(text.contains("Bright"), "{text}");
    let wrong = provoke(&["timed", "show", "models/timed/lamp.xml", "-o", "lamp.png"]);
    assert_eq!(wrong.code, 3);
    assert!(wrong.stderr.contains("use .svg or .dot"), "{}", wrong.stderr);
}

#[test]
fn a_budget_stops_a_search_with_a_reason() {
    let ran = provoke(&["timed", "verify", "models/timed/train_gate4.xml", "--budget", "1ms"]);
    assert_eq!(ran.code, 5, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("--budget allows more"), "{}", ran.stdout);
}
