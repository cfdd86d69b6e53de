//! The verbs about timed networks in one process: from two threads at a time, one of which is cancelled.

use std::fmt::Debug;

use provoke::timed::{
    NetworkModel, TimedCompleteOptions, TimedEstimateOptions, TimedGenerateOptions,
    TimedMutateOptions, TimedTests, TimedVerifyOptions, WorkerOptions, complete, estimate,
    generate, mutate, verify,
};
use provoke::{Control, SourceFile};
use provoke_oracle::mutants::TimedOperator;
use provoke_results::{AnswerWord, StopWord};
use provoke_testkit::repository;

fn text(name: &str) -> String {
    let path = repository().join("models/timed").join(name);
    std::fs::read_to_string(path).expect("a text")
}

fn model(name: &str) -> NetworkModel {
    NetworkModel::read(&SourceFile::new(name, text(name)), &[]).expect("a model without errors")
}

/// What a verb gives, done twice while another thread's call of it is cancelled; and what comes of a
/// cancelled call.
fn twice<T: PartialEq + Debug + Send>(verb: impl Fn(&Control) -> T + Sync) -> (T, T) {
    let once = || {
        std::thread::scope(|scope| {
            let cancelled = scope.spawn(|| {
                let control = Control::new();
                control.cancel();
                verb(&control)
            });
            let whole = scope.spawn(|| verb(&Control::new()));
            (whole.join().expect("no panic"), cancelled.join().expect("no panic"))
        })
    };
    let (first, second) = (once(), once());
    assert_eq!(first, second, "whole and cancelled calls repeat themselves");
    second
}

#[test]
fn answers_about_all_runs_repeat_themselves() {
    let (model, options) = (model("lamp.xml"), TimedVerifyOptions::default());
    let (whole, cancelled) = twice(|control| {
        let mut told = 0;
        let mut result =
            verify(&model, &options, control, &mut |_| told += 1).expect("questions to answer");
        assert_eq!(told, result.answers.len());
        result.answers.iter_mut().for_each(|answer| answer.seconds = 0.0);
        result.answers
    });
    assert!(whole.iter().all(|answer| answer.verdict != AnswerWord::Unknown));
    // What holds at the very beginning needs no search.
    assert!(cancelled.iter().any(|answer| answer.stopped_by == Some(StopWord::Cancelled)));
    assert_eq!(whole.len(), cancelled.len());
}

#[test]
fn estimates_repeat_themselves() {
    let (model, options) = (model("lamp.xml"), TimedEstimateOptions::default());
    let (whole, cancelled) = twice(|control| {
        let mut result =
            estimate(&model, &options, control, &mut |_| {}).expect("questions to answer");
        result.answers.iter_mut().for_each(|answer| answer.seconds = 0.0);
        result.answers
    });
    assert!(whole.iter().all(|answer| answer.runs > 0 && answer.stopped_by.is_none()));
    assert!(cancelled.iter().all(|answer| answer.stopped_by == Some(StopWord::Cancelled)));
}

#[test]
fn generated_tests_repeat_themselves() {
    let (model, options) = (model("temperature.xml"), TimedGenerateOptions::default());
    let (whole, cancelled) = twice(|control| {
        let generated = generate(&model, &options, control).expect("a model that takes events");
        generated.map(|generated| (generated.suite, generated.result))
    });
    let (suite, result) = whole.expect("nobody cancelled it");
    assert!(!suite.tests.is_empty());
    assert_eq!((suite.tests.len(), suite.model.as_str()), (result.tests, "temperature.xml"));
    assert!(cancelled.is_none());
}

#[test]
fn killed_mutants_repeat_themselves() {
    let model = model("temperature.xml");
    let tests = TimedTests::read("temperature.tests", &text("temperature.tests")).expect("tests");
    let work = WorkerOptions { jobs: Some(1), ..WorkerOptions::default() };
    let options = TimedCompleteOptions { runs: 500, work: work.clone(), ..Default::default() };
    let completed = complete(&model, &tests, &options, &Control::new()).expect("complete tests");
    let suite = completed.expect("nobody cancelled it").suite;
    let tests = TimedTests { name: "suite.json".to_string(), suite };
    let operators = vec![TimedOperator::Restrict, TimedOperator::Widen];
    let options = TimedMutateOptions { operators, work, ..Default::default() };
    let (whole, cancelled) =
        twice(|control| mutate(&model, Some(&tests), &options, control).expect("mutants"));
    let whole = whole.expect("nobody cancelled it");
    assert!(whole.killed.is_some_and(|killed| killed > 0), "{whole:?}");
    assert!(cancelled.is_none());
}
