//! One key has one answer, and one folder has one run.

mod common;

use std::fs;

use common::*;
use provoke_store::{AppendOutcome, RunIdentity, Store, StoreError};
use serde_json::json;

fn refusal(result: Result<Store, StoreError>) -> StoreError {
    result.expect_err("a refusal")
}

#[test]
fn a_different_answer_under_a_known_key_is_refused_and_not_written() {
    let folder = folder("append_conflict");
    let mut store = open(&folder);
    fill(&mut store, 0..2);
    let before = bytes(&folder);
    let error = store.append(key(1), &json!({"verdict": "covered"})).unwrap_err();
    let StoreError::Conflict(conflict) = &error else { panic!("{error}") };
    assert_eq!(conflict.key, key(1));
    assert!(error.hint().is_some());
    assert_eq!(bytes(&folder), before);
    assert_holds(&store, 0..2);
}

#[test]
fn segments_that_disagree_are_both_named_with_the_field() {
    let folder = folder("segment_conflict");
    let mut here = open(&folder);
    let mut there = open(&folder).writing_to("other").unwrap();
    here.append(key(0), &json!({"verdict": "covered", "k": 1})).unwrap();
    there.append(key(0), &json!({"verdict": "infeasible", "k": 1})).unwrap();
    let error = refusal(Store::open(&folder, &identity()));
    let StoreError::Conflict(conflict) = &error else { panic!("{error}") };
    assert_eq!(conflict.first, segment(&folder, "run.seg"));
    assert_eq!(conflict.second, segment(&folder, "other.seg"));
    let text = error.to_string();
    let expected = "`verdict` is \"covered\" in the first and \"infeasible\" in the second";
    assert!(text.contains(expected) && text.contains("other.seg"), "{text}");
}

#[test]
fn equal_records_of_two_segments_are_one() {
    let folder = folder("equal");
    let mut here = open(&folder);
    let mut there = open(&folder);
    fill(&mut here, 0..3);
    fill(&mut there, 1..5);
    assert_holds(&open(&folder), 0..5);
}

#[test]
fn volatile_members_may_differ_and_the_earlier_record_stays() {
    let folder = folder("volatile");
    let timed = |seconds: f64| json!({"verdict": "covered", "seconds": seconds});
    let mut here = open(&folder);
    let mut there = open(&folder);
    assert_eq!(here.append(key(0), &timed(1.5)).unwrap(), AppendOutcome::New);
    assert_eq!(here.append(key(0), &timed(2.5)).unwrap(), AppendOutcome::Known);
    assert_eq!(there.append(key(0), &timed(3.5)).unwrap(), AppendOutcome::New);
    assert_eq!(there.append(key(0), &json!({"verdict": "covered"})).unwrap(), AppendOutcome::Known);
    assert_eq!(open(&folder).get(&key(0)), Some(timed(1.5)));
}

/// Names further down are the user's: here a signal is called `seconds`.
#[test]
fn only_members_of_the_payload_itself_are_volatile() {
    let folder = folder("volatile_depth");
    let test = |value: i32| json!({"steps": [{"in": {"seconds": value}}]});
    let mut store = open(&folder);
    store.append(key(0), &test(1)).unwrap();
    let message = store.append(key(0), &test(2)).unwrap_err().to_string();
    assert!(message.contains("`steps[0].in.seconds` is 1 in the first and 2"), "{message}");
}

#[test]
fn a_store_of_another_run_is_refused_field_by_field() {
    let folder = folder("other_run");
    filled(&folder, 0..1);
    let before = bytes(&folder);
    let run = json!({"schema": "example/1", "model": "cd34", "options": {"effort": 200}});
    let error = refusal(Store::open(&folder, &RunIdentity::new(run).volatile(&["seconds"])));
    let expected = format!(
        "{} holds the results of another run: `model` is \"ab12\" in the store and \"cd34\" in this \
         run; `options.effort` is 100 in the store and 200 in this run",
        folder.display()
    );
    assert_eq!(error.to_string(), expected);
    assert!(error.hint().unwrap().starts_with("use another folder"));
    let other = RunIdentity::new(identity().run().clone());
    let message = refusal(Store::open(&folder, &other)).to_string();
    assert!(
        message.contains("`volatile` is [\"seconds\"] in the store and [] in this run"),
        "{message}"
    );
    assert_eq!(bytes(&folder), before);
}

#[test]
fn a_store_can_be_read_without_knowing_its_run() {
    let folder = folder("read");
    filled(&folder, 0..3);
    let store = Store::read(&folder).unwrap();
    assert_holds(&store, 0..3);
    assert_eq!((store.identity(), store.folder()), (&identity(), &*folder));
}

#[test]
fn segments_without_a_description_of_their_run_are_refused() {
    let folder = folder("lost");
    filled(&folder, 0..1);
    fs::remove_file(folder.join("store.json")).unwrap();
    let message = refusal(Store::open(&folder, &identity())).to_string();
    assert!(message.ends_with("is not a results store: it has lost its store.json"), "{message}");
}

#[test]
fn a_damaged_description_is_refused_with_the_reason() {
    let folder = folder("description");
    filled(&folder, 0..1);
    let path = folder.join("store.json");
    let whole = fs::read(&path).unwrap();
    for cut in 0..whole.len() - 1 {
        fs::write(&path, &whole[..cut]).unwrap();
        let error = refusal(Store::open(&folder, &identity()));
        assert!(matches!(error, StoreError::NotAStore { .. }), "{cut}: {error}");
    }
    fs::write(&path, vec![b' '; (16 << 20) + 1]).unwrap();
    let message = refusal(Store::read(&folder)).to_string();
    assert!(message.ends_with("store.json is too large"), "{message}");
}
