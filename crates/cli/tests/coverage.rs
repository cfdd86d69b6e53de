//! What a user sees of coverage.

mod support;

use support::{check, provoke, scratch};

/// The thesis's four-step test for the chain of delays.
const CHAIN: &str = "in1,in2,in3\ntrue,,\n,true,\n,,false\n,,\n";

fn chain(name: &str) -> String {
    let path = scratch(name).join("chain.csv");
    std::fs::write(&path, CHAIN).unwrap();
    path.to_str().unwrap().to_string()
}

#[test]
fn obligations_are_listed_with_their_places() {
    check("obligations", &["obligations", "models/delay_chain.lus", "-c", "mcdc"], 0);
    let arguments =
        ["obligations", "models/masking_split.lus", "-c", "branch,odecision", "--format", "json"];
    check("obligations-json", &arguments, 0);
}

#[test]
fn the_way_to_the_output_can_be_followed() {
    let suite = chain("the_way");
    let ran = provoke(&["measure", "models/delay_chain.lus", &suite, "--all"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let line = ran.stdout.lines().find(|line| line.starts_with("  v2:omcdc:1T"));
    assert_eq!(line, Some("  v2:omcdc:1T   chain, step 2  v2@2 -> v3@3 -> v4@3 -> out@4"));
}

#[test]
fn measure_speaks_json_with_the_promised_fields() {
    let suite = chain("measure_json");
    let arguments = ["measure", "models/delay_chain.lus", &suite, "-c", "omcdc", "--exact", "step"];
    let ran = provoke(&[&arguments[..], &["--format", "json"]].concat());
    let result: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    for field in ["schema", "criterion", "total", "covered", "percent", "uncovered"] {
        assert!(!result[field].is_null(), "{field} is missing");
    }
    assert_eq!((&result["total"], &result["covered"]), (&16.into(), &7.into()));
    for field in ["covered", "only_tagged", "only_exact"] {
        assert!(!result["exact"][field].is_null(), "exact.{field} is missing");
    }
}

#[test]
fn coverage_below_the_requirement_exits_with_one() {
    let suite = chain("requirement");
    let measure = |required| {
        provoke(&["measure", "models/delay_chain.lus", &suite, "--require", required]).code
    };
    assert_eq!((measure("43%"), measure("44"), measure("400%")), (0, 1, 2));
}

#[test]
fn strange_suites_get_clear_answers() {
    let folder = scratch("strange_suites");
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let model = "models/delay_chain.lus";
    let cases = [
        (file("empty.csv", "in1,in2,in3\n"), 0, "the suite has no steps"),
        (file("other.csv", "speed,gear\n1,2\n"), 3, "no column names an input"),
        (file("missing.csv", "in1\ntrue\n"), 0, "the tests never set in2, in3"),
        (file("types.csv", "in1,in2,in3\n7,true,true\n"), 3, "row 2, column `in1`"),
    ];
    for (suite, code, message) in cases {
        let ran = provoke(&["measure", model, &suite]);
        assert_eq!(ran.code, code, "{suite}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{suite}: {}", ran.stderr);
    }
    let ran = provoke(&["measure", model, &chain("unknown_criterion"), "-c", "mc/dc"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("`mc/dc` is none of condition, decision"), "{}", ran.stderr);
    let ran = provoke(&["measure", model, &chain("unknown_oracle"), "--oracle", "v9"]);
    assert!(ran.code == 3 && ran.stderr.contains("did you mean `v"), "{}", ran.stderr);
}

#[test]
fn a_suggested_oracle_makes_its_obligations_visible() {
    let suite = scratch("suggested").join("t.json");
    let suite = suite.to_str().unwrap();
    let model = "models/microwave.lus";
    assert_eq!(provoke(&["simulate", model, "--steps", "100", "-o", suite]).code, 0);
    let arguments = ["measure", model, suite, "--suggest-oracle", "1", "--format", "json"];
    let before: serde_json::Value = serde_json::from_str(&provoke(&arguments).stdout).unwrap();
    let suggestion = &before["suggestions"][0];
    let outputs = "mode,time_left,magnetron,lamp,beep";
    let oracle = format!("{outputs},{}", suggestion["variable"].as_str().unwrap());
    let arguments = ["measure", model, suite, "--oracle", &oracle, "--format", "json"];
    let after: serde_json::Value = serde_json::from_str(&provoke(&arguments).stdout).unwrap();
    let covered = |result: &serde_json::Value| result["covered"].as_u64().unwrap();
    assert_eq!(covered(&before) + suggestion["gain"].as_u64().unwrap(), covered(&after));
}

#[test]
fn expected_outputs_are_computed_for_the_chosen_oracle() {
    let folder = scratch("expected");
    let suite = chain("expected_inputs");
    let path = folder.join("with_outputs.json");
    let path = path.to_str().unwrap();
    let model = "models/delay_chain.lus";
    let arguments = [
        "convert",
        &suite,
        "--model",
        model,
        "--expected",
        "maximum",
        "--fill",
        "random",
        "-o",
        path,
    ];
    assert_eq!(provoke(&arguments).code, 0);
    let ran = provoke(&["simulate", model, "-i", path, "--expect", path]);
    assert_eq!(ran.stdout, "4 steps, 20 values compared, 0 undefined, 0 differences\n");
}

/// Random inputs for the microwave, cut into tests of ten steps. The outputs of the long run are not theirs.
fn random_suite(name: &str) -> String {
    let folder = scratch(name);
    let long = folder.join("long.csv");
    let model = "models/microwave.lus";
    let ran = provoke(&["simulate", model, "--steps", "600", "-o", long.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = std::fs::read_to_string(long).unwrap();
    let mut lines = text.lines();
    let heading = lines.next().unwrap();
    let inputs = heading.split(',').position(|name| name == "mode").expect("the first output");
    let row = |line: &str| line.split(',').take(inputs).collect::<Vec<_>>().join(",");
    let mut cut = format!("{}\n", row(heading));
    for (step, line) in lines.enumerate() {
        let values = row(line).split_once(',').unwrap().1.to_string();
        cut += &format!("t{},{values}\n", step / 10);
    }
    let path = folder.join("suite.csv");
    std::fs::write(&path, cut).unwrap();
    path.to_str().unwrap().to_string()
}

#[test]
fn reduced_suites_cover_the_same_with_fewer_tests() {
    let suite = random_suite("reduced_suites");
    let model = "models/microwave.lus";
    let json = |arguments: &[&str]| -> serde_json::Value {
        let ran = provoke(&[arguments, &["--format", "json"]].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        serde_json::from_str(&ran.stdout).unwrap()
    };
    let covered = json(&["measure", model, &suite])["covered"].clone();
    let small = format!("{suite}.json");
    let mut tests = Vec::new();
    for method in ["random", "greedy", "hgs", "exact"] {
        let result = json(&["reduce", model, &suite, "--method", method, "--trim", "-o", &small]);
        assert_eq!(result["before"]["tests"], 60);
        tests.push(result["after"]["tests"].as_u64().unwrap());
        assert_eq!(json(&["measure", model, &small])["covered"], covered, "{method}");
    }
    assert!(tests[3] <= tests[2] && tests[3] <= tests[1] && tests[3] <= tests[0], "{tests:?}");
    let repeated = json(&["reduce", model, &suite, "--method", "random", "--repeat", "50"]);
    assert_eq!(repeated["sizes"].as_array().unwrap().len(), 50);
}
