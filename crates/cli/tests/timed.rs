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
    let result = json(&["timed", "check", "models/timed/lamp.xml", "--format", "json"], 0);
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
    assert!(ran.stderr.contains("<standard input>:29:25"), "{}", ran.stderr);
}
