//! What a user sees of a project file.

mod support;

use std::path::Path;
use std::process::Command;

use support::scratch;

/// Runs `provoke` alone in a folder with a project file; exit code, output and messages.
fn provoke_in(folder: &Path, project: &str, arguments: &[&str]) -> (i32, String, String) {
    std::fs::write(folder.join("provoke.toml"), project).unwrap();
    let ran = Command::new(env!("CARGO_BIN_EXE_provoke"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (ran.status.code().unwrap(), text(ran.stdout), text(ran.stderr))
}

fn with_model(name: &str) -> std::path::PathBuf {
    let folder = scratch(name);
    let text = "node n(a, b : bool) returns (c : bool);\nlet\n  c = a and b;\ntel;\n";
    std::fs::write(folder.join("n.lus"), text).unwrap();
    folder
}

#[test]
fn one_word_does_all() {
    let folder = with_model("project");
    let project = "[[model]]\npath = \"n.lus\"\nmethod = \"random\"\nrequire = 100\n\
                   exclude = [{ id = \"c:omcdc:2F\", because = \"it's tested by hand\" }]\n\
                   mutate = { sample = 20 }\n";
    let (code, stdout, stderr) = provoke_in(&folder, project, &["--format", "json"]);
    assert_eq!(code, 0, "{stderr}");
    let result: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(result["schema"], "provoke/project/1");
    let steps = result["steps"].as_array().unwrap();
    let names: Vec<_> = steps.iter().map(|step| step["command"][0].as_str().unwrap()).collect();
    assert_eq!(names, ["generate", "mutate", "report"]);
    assert!(folder.join("out/n/report.html").is_file());
    assert!(stderr.contains(r"'--because=it'\''s tested by hand'"), "{stderr}");
}

#[test]
fn timed_models_and_programs_belong_to_it() {
    let folder = scratch("project-timed");
    let models = provoke_testkit::repository().join("models");
    let place = |name: &str| models.join(name).display().to_string();
    let project = format!(
        "[[timed]]\npath = {:?}\nquery = [\"E<> Lamp.Bright\"]\n\
         estimate = [\"Pr[<=60](<> Lamp.Dim)\"]\n\
         [[program]]\npath = {:?}\nname = \"wipers\"\neffort = 1\n",
        place("timed/lamp.xml"),
        place("c/wiper.toml"),
    );
    let (code, stdout, stderr) = provoke_in(&folder, &project, &["--format", "json"]);
    assert_eq!(code, 0, "{stderr}");
    let result: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let steps = result["steps"].as_array().unwrap();
    let names: Vec<_> = steps.iter().map(|step| step["command"][0].as_str().unwrap()).collect();
    assert_eq!(names, ["timed", "timed", "report", "mine", "report"]);
    for (report, shows) in [("lamp", "Pr["), ("wipers", "wiper")] {
        let page = std::fs::read_to_string(folder.join("out").join(report).join("report.html"));
        assert!(page.unwrap().contains(shows), "{report}");
    }
}

#[test]
fn too_little_coverage_fails_the_build() {
    let folder = with_model("project-strict");
    let never = "node n(a : int) returns (c : bool);\nlet\n  c = a > 0 and a < 0;\ntel;\n";
    std::fs::write(folder.join("n.lus"), never).unwrap();
    let project = "[[model]]\npath = \"n.lus\"\nmethod = \"random\"\nrequire = 100\n";
    let (code, _, stderr) = provoke_in(&folder, project, &[]);
    assert_eq!(code, 1, "{stderr}");
    assert!(folder.join("out/n/report.html").is_file(), "the evidence is written all the same");
    let lenient = project.replace("100", "20");
    assert_eq!(provoke_in(&folder, &lenient, &[]).0, 0);
}

#[test]
fn mistakes_in_the_file_are_told() {
    let folder = with_model("project-wrong");
    for (project, part) in [
        ("[[model]]\npath = \"n.lus\"\ncriterion = \"mcdc\"\n", "unknown field `criterion`"),
        (
            "[[model]]\npath = \"n.lus\"\ncriteria = [\"mcd\"]\n",
            "`mcd` is none of condition, decision",
        ),
        ("output = \"out\"\n", "names no model"),
        ("[[model]]\npath = \"m.lus\"\n", "cannot read m.lus"),
    ] {
        let (code, _, stderr) = provoke_in(&folder, project, &["project"]);
        assert_eq!(code, 3, "{project}: {stderr}");
        assert!(stderr.contains(part), "{project}: {stderr}");
    }
}
