//! What a user sees of running suites on targets.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use support::{json, provoke, scratch};

/// A folder with a suite for the infusion pump and a target file.
fn prepared(name: &str, connection: &str) -> (PathBuf, String, String) {
    let folder = scratch(name);
    let model = provoke_testkit::repository().join("models/infusion_pump.lus");
    let random = ["simulate", model.to_str().unwrap(), "--steps", "25", "--seed", "4", "-o"];
    let suite = folder.join("tests.csv").display().to_string();
    let made = provoke(&[&random[..], &[&suite]].concat());
    assert_eq!(made.code, 0, "{}", made.stderr);
    let target = folder.join("target.toml");
    let text = format!(
        "# the ward's pump\nstep_ms = 500\nmodel = \"{}\"\n\n{connection}\n[defaults]\ncopies = 16 # buttons\n\n\
         [[output]]\nmodel = \"rate\"\nplatform = \"MOTOR\" # a stepper\n",
        model.display()
    );
    std::fs::write(&target, text).unwrap();
    let target = target.display().to_string();
    (folder, suite, target)
}

const SLOW: &str = "[connection]\nkind = \"simulated\"\nseed = 3\nmax_mean_ms = 1000\nsd_ms = 40\n";

#[test]
fn calibration_finds_the_delays_and_the_suite_passes() {
    let (_, suite, target) = prepared("calibrated", SLOW);
    let before = json(&["run", &suite, "--on", &target], 1);
    assert!(before["failed"].as_u64().unwrap() > 5, "{before}");
    let dry = json(&["calibrate", "--on", &target, "--samples", "60", "--dry-run"], 0);
    assert_eq!(dry["signals"].as_array().unwrap().len(), 17);
    assert_eq!(json(&["run", &suite, "--on", &target], 1)["failed"], before["failed"]);
    let measured = json(&["calibrate", "--on", &target, "--samples", "60"], 0);
    assert_eq!(measured, dry, "the same seed");
    let means: Vec<f64> = measured["signals"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|s| s["mean_ms"].as_f64())
        .collect();
    assert!(means.iter().any(|mean| *mean > 500.0) && means.iter().all(|mean| *mean < 1100.0));
    let text = std::fs::read_to_string(&target).unwrap();
    assert!(
        text.contains("# the ward's pump") && text.contains("platform = \"MOTOR\" # a stepper")
    );
    for mode in ["scheduled", "adaptive"] {
        let after = json(&["run", &suite, "--on", &target, "--mode", mode], 0);
        assert_eq!((&after["passed"], &after["interactions"]), (&25.into(), &25.into()), "{mode}");
    }
}

#[test]
fn a_failure_is_shown_with_what_was_sent_due_and_seen() {
    let (folder, suite, target) = prepared("timeline", SLOW);
    let out = folder.join("run").display().to_string();
    let ran = provoke(&["run", &suite, "--on", &target, "--mode", "direct", "-o", &out]);
    assert_eq!(ran.code, 1);
    for part in ["first failure: test", "sent", "due", "came", "<-- here", "MOTOR = "] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    let read = |name: &str| std::fs::read_to_string(Path::new(&out).join(name)).unwrap();
    let junit = read("junit.xml");
    assert!(
        junit.contains("failures=\"1\"") && junit.contains("<failure message=\"interaction "),
        "{junit}"
    );
    assert_eq!(read("interactions.csv").lines().count(), 26);
    let events = read("events.csv");
    assert!(
        events.contains(",sent,power,")
            && events.contains(",due,MOTOR,")
            && events.contains(",came,")
    );
    let vcd = read("trace.vcd");
    assert!(vcd.contains("$scope module came $end") && vcd.contains("$var string 1"), "{vcd}");
    assert_eq!(
        json(&["run", &suite, "--on", &target, "--mode", "direct"], 1)["schema"],
        "provoke/run/1"
    );
}

#[test]
fn what_the_target_lacks_is_said() {
    let (folder, suite, target) =
        prepared("lacking", "[connection]\nkind = \"process\"\ncommand = [\"./nothing\"]\n");
    let ran = provoke(&["run", &suite, "--on", &target]);
    assert!(ran.code == 4 && ran.stderr.contains("cannot start"), "{} {}", ran.code, ran.stderr);
    let quiet =
        "[connection]\nkind = \"process\"\ncommand = [\"cat\"]\nlink = { timeout_ms = 100 }\n";
    let (_, suite, target) = prepared("quiet", quiet);
    let ran = provoke(&["run", &suite, "--on", &target]);
    assert_eq!(ran.code, 4, "{}", ran.stdout);
    assert!(ran.stdout.contains("error: no `ready` within 100 ms"), "{}", ran.stdout);
    let bare = folder.join("bare.toml");
    std::fs::write(&bare, "step_ms = 500\n[connection]\nkind = \"simulated\"\n").unwrap();
    let ran = provoke(&["run", &suite, "--on", bare.to_str().unwrap()]);
    assert!(ran.code == 3 && ran.stderr.contains("add `model = \"FILE.lus\"`"), "{}", ran.stderr);
}

#[test]
fn generated_code_runs_as_a_library_and_its_faults_are_found() {
    let connection = "[connection]\nkind = \"library\"\npath = \"pump.so\"\nlines = { max_mean_ms = 500, sd_ms = 30, seed = 5 }\n";
    let (folder, suite, target) = prepared("library", connection);
    let out = folder.to_str().unwrap();
    let written = ["codegen", "models/infusion_pump.lus", "--target", "library", "-o", out];
    assert_eq!(provoke(&written).code, 0);
    let build = || {
        let mut gcc = Command::new("gcc");
        gcc.current_dir(&folder)
            .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]);
        let done = gcc
            .args(["infusion_pump.c", "infusion_pump_library.c", "-o", "pump.so"])
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    build();
    assert_eq!(
        json(&["calibrate", "--on", &target, "--samples", "50"], 0)["schema"],
        "provoke/calibrate/1"
    );
    assert_eq!(json(&["run", &suite, "--on", &target], 0)["passed"], 25);
    let source = std::fs::read_to_string(folder.join("infusion_pump.c")).unwrap();
    let faulty = source
        .replace("level = infusion_pump_Level_Warning;", "level = infusion_pump_Level_Caution;");
    assert_ne!(source, faulty);
    std::fs::write(folder.join("infusion_pump.c"), faulty).unwrap();
    build();
    for mode in ["scheduled", "adaptive"] {
        let ran = json(&["run", &suite, "--on", &target, "--mode", mode], 1);
        assert!(ran["failed"].as_u64().unwrap() > 0 && ran["error"] == 0, "{mode}");
    }
}
