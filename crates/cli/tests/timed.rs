//! `provoke timed` as a user runs it.

mod support;

use support::{json, provoke, provoke_with_input};

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
    assert_eq!(result["answers"][6]["verdict"], "unknown");
}
