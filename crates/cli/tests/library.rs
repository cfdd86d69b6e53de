//! The verbs that write folders or need other programs, twice in one process and in two threads, of which
//! one is cancelled. The verbs without are tested beside the library itself.

mod support;

use std::path::{Path, PathBuf};
use std::time::Duration;

use provoke::{
    AuditOptions, CalibrateOptions, CodegenOptions, Control, GenerateOptions, GenerationMethod,
    MineOptions, Model, ModelText, ReportOptions, RunOptions, SourceFile, TestTarget, WorkOptions,
};
use provoke_exec::Mode;
use provoke_results::to_json;
use provoke_study::{CriteriaOptions, IncrementalOptions, Placement};
use support::scratch;

const LAMP: &str = "node lamp(press: bool) returns (on: bool);
let on = (false -> pre on) <> (press and not (false -> pre press)); tel
";

const TARGET: &str = "model = \"lamp.lus\"
step_ms = 100
[connection]
kind = \"simulated\"
[[input]]
model = \"press\"
delay_ms = 20
sd_ms = 1
[[output]]
model = \"on\"
delay_ms = 20
sd_ms = 1
";

const PROGRAM: &str = "#include <stdbool.h>\nbool up; int count; bool ring;\n\
    void step(void) { count = up ? (count < 5 ? count + 1 : 5) : 0; ring = count >= 3; }\n";

const MINED: &str = "[program]\nsources = [\"counter.c\"]\n[entry]\nfunction = \"step\"\n\
    [[input]]\nname = \"up\"\ntype = \"bool\"\n[[output]]\nname = \"ring\"\ntype = \"bool\"\n";

/// The JSON of a result, without what differs from run to run.
fn lasting(json: &str, folder: &Path) -> String {
    let json = json.replace(&folder.display().to_string(), "FOLDER");
    // Times are in the settings, and so in the sums over files of the folder.
    let differs = |line: &&str| {
        line.contains("\"seconds\"") || line.contains(".json\": \"") || line.ends_with(" s\"")
    };
    json.lines().filter(|line| !differs(line)).map(|line| format!("{line}\n")).collect()
}

fn assert_same(found: &[String], expected: &[String]) {
    found.iter().zip(expected).for_each(|(found, expected)| assert_eq!(found, expected));
    assert_eq!(found.len(), expected.len());
}

/// A folder with a model, a target and a program.
fn filled(name: &str) -> PathBuf {
    let folder = scratch(name);
    let files =
        [("lamp.lus", LAMP), ("lamp.toml", TARGET), ("counter.c", PROGRAM), ("mine.toml", MINED)];
    for (name, text) in files {
        std::fs::write(folder.join(name), text).expect("a file");
    }
    folder
}

/// What all verbs say, one after the other; nothing from those that a cancelled caller gets nothing of.
fn everything(folder: &Path, control: &Control) -> Vec<String> {
    let model = provoke::files::model(&folder.join("lamp.lus"), None, &[]).expect("a model");
    let work = WorkOptions { effort: Some(1), jobs: Some(1), ..WorkOptions::default() };
    let tests = GenerateOptions {
        method: GenerationMethod::Random,
        folder: Some(folder.join("tests")),
        work,
        ..GenerateOptions::default()
    };
    // A caller who cancels still has the tests of somebody else.
    let generated = provoke::generate(&model, None, &tests, &Control::new()).expect("tests");
    let suite = generated.suite;
    let simulated = provoke::simulate(&model, &suite, "all", Some(&suite)).expect("a trace");
    let code = CodegenOptions { folder: folder.join("code"), ..CodegenOptions::default() };
    let code = provoke::codegen(&model, Some(suite.clone()), &code, control).expect("code");
    let target = TestTarget::open(&folder.join("lamp.toml")).expect("a target");
    let options = RunOptions {
        mode: Mode::Scheduled,
        folder: Some(folder.join("run")),
        ..RunOptions::default()
    };
    let ran = provoke::run(&target, &suite, "suite.json", &options, control).expect("verdicts");
    let options = CalibrateOptions { samples: 20, settle: Duration::from_secs(1), seed: 0 };
    let delays = provoke::calibrate(&target, &options, control).expect("delays");
    let options = MineOptions {
        coverage: false,
        sanitize: false,
        folder: Some(folder.join("mined")),
        explorer: Some(env!("CARGO_BIN_EXE_provoke").into()),
        ..MineOptions::default()
    };
    let mined = provoke::mine(&folder.join("mine.toml"), &options, control).expect("a machine");
    let audited = provoke::audit(&folder.join("tests"), &AuditOptions::default(), control);
    let places = [folder.join("tests"), folder.join("run")];
    let report = provoke::report(&places, &ReportOptions::default(), control).expect("a report");
    vec![
        to_json(&simulated.result),
        to_json(&code),
        to_json(&ran.result),
        to_json(&delays.result),
        mined.as_ref().map_or_else(String::new, to_json),
        to_json(&audited.expect("an audit")),
        to_json(&report),
        studied(folder, control),
    ]
    .iter()
    .map(|json| lasting(json, folder))
    .collect()
}

fn studied(folder: &Path, control: &Control) -> String {
    let study = CriteriaOptions {
        models: vec![ModelText::new("lamp", LAMP)],
        quick: true,
        place: Placement { folder: folder.join("study"), jobs: Some(1), ..Placement::default() },
        ..CriteriaOptions::default()
    };
    let options = IncrementalOptions { study, ..IncrementalOptions::default() };
    let study = provoke_study::incremental(&options, control).expect("tables");
    // How long each case took is in the tables, and how many were kept in the folder before.
    format!("{} of {} cases, interrupted: {}", study.done, study.cases, study.interrupted)
}

#[test]
fn every_verb_says_the_same_twice_and_in_two_threads() {
    if let Err(missing) = provoke_solve::z3::find() {
        return provoke_testkit::skip(&missing.to_string());
    }
    let first = everything(&filled("library-1"), &Control::new());
    assert!(first.iter().all(|json| !json.is_empty()), "{first:#?}");
    assert_same(&everything(&filled("library-2"), &Control::new()), &first);
    let cancelled = Control::new();
    cancelled.cancel();
    std::thread::scope(|scope| {
        let whole = scope.spawn(|| everything(&filled("library-3"), &Control::new()));
        let ended = scope.spawn(|| everything(&filled("library-4"), &cancelled));
        let ended = ended.join().expect("no panic");
        // What was not run is an error, never a pass; what was not audited is not confirmed.
        assert!(
            ended[2].contains("\"passed\": 0") && ended[2].contains("interrupted"),
            "{ended:#?}"
        );
        assert!(ended[5].contains("\"confirmed\": 0"), "{}", ended[5]);
        assert!(
            ended[7].starts_with("0 of ") && ended[7].trim_end().ends_with("true"),
            "{}",
            ended[7]
        );
        assert_same(&whole.join().expect("no panic"), &first);
    });
}

#[test]
fn an_error_about_a_text_has_its_places() {
    let folder = filled("library-wrong");
    let wrong = folder.join("wrong.lus");
    std::fs::write(&wrong, LAMP.replace("press and", "press + ")).expect("a file");
    let error = provoke::files::model(&wrong, None, &[]).expect_err("a type error");
    let text = error.text.expect("places");
    assert_eq!(text.file.name, wrong.display().to_string());
    let place = text.file.line_column(text.diagnostics[0].primary.span.start);
    assert_eq!(place.line, 2);
    let file = SourceFile::new("lamp.lus", LAMP);
    assert!(Model::read(&file, Some("nothing"), &[]).is_err());
}
