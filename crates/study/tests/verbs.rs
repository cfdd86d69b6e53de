//! Studies as a program calls them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use provoke_base::{Control, ErrorCode, Event};
use provoke_files::ModelText;
use provoke_study::{
    CriteriaOptions, IncrementalOptions, MiningOptions, ModelForm, ObservabilityOptions, Placement,
    PlatformOptions, StochasticOptions, StudyRequest, SuiteText, mining, observability, stochastic,
};
use provoke_testgen::GenerationMethod;

const DOOR: &str = "node door(open, key: bool) returns (unlocked: bool);
let unlocked = open or (false -> pre unlocked and not key); tel";

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn of_a_door(folder: &Path) -> ObservabilityOptions {
    ObservabilityOptions {
        study: CriteriaOptions {
            models: vec![ModelText::new("door", DOOR)],
            quick: true,
            place: Placement { jobs: Some(1), ..Placement::in_folder(folder) },
            ..CriteriaOptions::default()
        },
        forms: vec![ModelForm::Given],
        method: GenerationMethod::Random,
        ..ObservabilityOptions::default()
    }
}

/// The tables of a folder, without those that tell the time.
fn tables(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for path in provoke_testkit::files(folder, "csv") {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if !["table-13-time", "times"].contains(&name.as_str()) {
            found.insert(name, std::fs::read_to_string(path).unwrap());
        }
    }
    found
}

#[test]
fn a_study_that_was_cancelled_goes_on_and_comes_to_the_same() {
    let (folder, whole) = (scratch("cancelled"), scratch("not-cancelled"));
    let cancelled = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cancelled);
    // The first finished case is told in a note.
    let control = Control::new().cancelled_by(cancelled).listening(move |event| {
        if matches!(event, Event::Note(_)) {
            flag.store(true, Ordering::SeqCst);
        }
    });
    let partial = observability(&of_a_door(&folder), &control).unwrap();
    assert_eq!((partial.interrupted, partial.done, partial.cases), (true, 1, 12));
    let rest = observability(&of_a_door(&folder), &Control::new()).unwrap();
    assert_eq!((rest.interrupted, rest.done, rest.resumed), (false, 12, 1));
    observability(&of_a_door(&whole), &Control::new()).unwrap();
    assert_eq!(tables(&folder), tables(&whole));
}

#[test]
fn a_study_without_a_partial_result_has_none_when_it_is_cancelled() {
    let control = Control::new();
    control.cancel();
    let model = provoke_testkit::repository().join("models/timed/temperature.xml");
    let options = StochasticOptions {
        models: vec![ModelText::new("temperature", std::fs::read_to_string(model).unwrap())],
        quick: true,
        place: Placement::in_folder(scratch("cancelled-oracles")),
        ..StochasticOptions::default()
    };
    assert_eq!(stochastic(&options, &control).unwrap(), None);
}

#[test]
fn what_cannot_be_studied_is_an_error() {
    let folder = scratch("wrong");
    let mut options = of_a_door(&folder);
    options.study.models[0].text = DOOR.replace("key: bool", "lock: bool");
    let error = observability(&options, &Control::new()).unwrap_err();
    assert_eq!(error.code, ErrorCode::WrongInput);
    assert_eq!(error.message, "door: unknown name `key`");
    options.study.models = vec![ModelText::new("door", DOOR), ModelText::new("door", DOOR)];
    let error = observability(&options, &Control::new()).unwrap_err();
    assert_eq!(error.message, "two models are called door");
    let error = mining(&MiningOptions::default(), &Control::new()).unwrap_err();
    assert_eq!(error.message, "there are no target files");
}

#[test]
fn requests_are_read_back_as_they_were_written() {
    let (model, place) = (ModelText::new("door", DOOR), Placement::in_folder("out"));
    let suite = SuiteText { name: "tests.json".to_string(), text: "{}".to_string() };
    let requests = [
        StudyRequest::Observability(of_a_door(Path::new("out"))),
        StudyRequest::Incremental(IncrementalOptions::default()),
        StudyRequest::Platform(PlatformOptions::new(model, suite, place)),
        StudyRequest::Stochastic(StochasticOptions::default()),
        StudyRequest::Mining(MiningOptions::default()),
    ];
    for request in requests {
        let written = serde_json::to_value(&request).unwrap();
        let read: StudyRequest = serde_json::from_value(written.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), written);
    }
}
