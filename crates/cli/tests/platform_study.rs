//! The study of platforms, small.

mod support;

use support::{json, provoke, scratch};

#[test]
fn right_systems_pass_behind_delays_and_faults_are_found() {
    let folder = scratch("platform-study");
    let suite = folder.join("tests.csv").display().to_string();
    let model = "models/microwave.lus";
    assert_eq!(provoke(&["simulate", model, "--steps", "12", "--seed", "2", "-o", &suite]).code, 0);
    let arguments = ["study", "platform", model, &suite, "--runs", "1", "--changes", "2"];
    let with = |jobs: &str, out: &str| {
        let out = folder.join(out).display().to_string();
        json(&[&arguments[..], &["--mutants", "6", "--jobs", jobs, "-o", &out]].concat(), 0)
    };
    let result = with("1", "out");
    let rows = result["rows"].as_array().unwrap();
    let of = |table: &str| rows.iter().filter(|row| row["table"] == table).collect::<Vec<_>>();
    assert_eq!((of("modes").len(), of("changes").len(), of("faults").len()), (63, 16, 4));
    for row in of("modes") {
        let steady = row["sd_ms"].as_u64().unwrap() <= 50 && row["mode"] != "direct";
        assert!(!steady || row["pass"] == 12, "{row}");
    }
    for row in of("faults") {
        assert!(row["failing"].as_u64().unwrap() > 0 && row["false_negatives"] == 0, "{row}");
    }
    assert_eq!(with("2", "other"), result, "any number of jobs");
    assert_eq!(with("2", "out"), result, "what was done is not done again");
    let page = std::fs::read_to_string(folder.join("out/platform.md")).unwrap();
    assert!(page.contains("published direct"), "{page}");
    assert_eq!(
        std::fs::read_to_string(folder.join("out/platform.csv")).unwrap().lines().count(),
        84
    );
}
