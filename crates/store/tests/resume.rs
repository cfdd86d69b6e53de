//! What was finished is there when the store is opened again, whatever happened to the rest.

mod common;

use std::fs;

use common::*;
use provoke_store::{AppendOutcome, Damage, DamageKind, Store};
use serde_json::json;

#[test]
fn records_are_read_back_as_they_were_appended_in_the_order_of_their_keys() {
    let folder = folder("round_trip");
    let mut store = open(&folder);
    assert!(store.is_empty());
    fill(&mut store, 0..20);
    assert_holds(&store, 0..20);
    let again = open(&folder);
    assert_holds(&again, 0..20);
    assert_eq!((again.len(), again.damage()), (20, &[][..]));
    assert_eq!(again.get(&key(7)), Some(payload(7)));
    assert_eq!(again.get(&key(20)), None);
    assert!(again.contains(&key(7)) && !again.contains(&key(20)));
    let keys: Vec<_> = again.keys().collect();
    assert!(keys.is_sorted());
}

#[test]
fn any_json_comes_back_to_the_last_digit() {
    let folder = folder("any_json");
    let payloads = [
        json!(null),
        json!([]),
        json!("\u{0}\u{1e}\n\u{7f}é😀\\\""),
        json!([0.1, 1.0 / 3.0, 1e-310, 123_456_789.123_456_79, f64::MAX, -0.0]),
        json!([u64::MAX, i64::MIN, 1, 1.0]),
        json!({"": {"z": 1, "a": [{"b": 1}]}}),
    ];
    let mut store = open(&folder);
    for (number, payload) in payloads.iter().enumerate() {
        store.append(key(number), payload).unwrap();
    }
    let again = open(&folder);
    for (number, payload) in payloads.iter().enumerate() {
        assert_eq!(again.get(&key(number)).unwrap().to_string(), sorted(payload));
    }
}

fn sorted(value: &serde_json::Value) -> String {
    String::from_utf8(provoke_store::canonical_json(value)).unwrap()
}

#[test]
fn a_resumed_run_writes_a_segment_of_its_own_and_only_when_it_has_something_to_say() {
    let folder = folder("segments");
    filled(&folder, 0..3);
    filled(&folder, 3..5);
    let mut third = open(&folder);
    assert_eq!(third.append(key(1), &payload(1)).unwrap(), AppendOutcome::Known);
    assert_eq!(segments(&folder), ["run-2.seg", "run.seg"]);
    let mut named = open(&folder).writing_to("shard-2-of-4").unwrap();
    fill(&mut named, 5..6);
    assert_eq!(segments(&folder), ["run-2.seg", "run.seg", "shard-2-of-4.seg"]);
    assert_holds(&open(&folder), 0..6);
}

#[test]
fn a_segment_cut_off_anywhere_loses_the_records_behind_the_cut_and_no_other() {
    let folder = folder("truncation");
    filled(&folder, 0..4);
    let path = segment(&folder, "run.seg");
    let whole = fs::read(&path).unwrap();
    let ends: Vec<usize> =
        (0..whole.len()).filter(|&at| whole[at] == b'\n').map(|at| at + 1).collect();
    for cut in 0..=whole.len() {
        overwrite(&path, &whole[..cut]);
        let mut store = open(&folder);
        let complete = ends.iter().filter(|&&end| end <= cut).count();
        assert_holds(&store, 0..complete);
        check_cut(&store, cut, *ends[..complete].last().unwrap_or(&0));
        fill(&mut store, complete..4);
        assert_holds(&open(&folder), 0..4);
        let _ = fs::remove_file(segment(&folder, "run-2.seg"));
    }
}

#[track_caller]
fn check_cut(store: &Store, cut: usize, start: usize) {
    let found: Vec<_> = store.damage().iter().map(|d| (d.offset, d.bytes, d.kind)).collect();
    let cut_off = (start as u64, (cut - start) as u64, DamageKind::Truncated);
    assert_eq!(found, if cut == start { vec![] } else { vec![cut_off] });
}

#[test]
fn a_changed_byte_anywhere_costs_the_record_it_is_in_and_no_other() {
    let folder = folder("flip");
    filled(&folder, 0..4);
    let path = segment(&folder, "run.seg");
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        let hit = whole[..at].iter().filter(|&&byte| byte == b'\n').count();
        for other in [whole[at] ^ 1, whole[at] ^ 0x20, b'\n', 0x1e, 0] {
            if other == whole[at] {
                continue;
            }
            let mut damaged = whole.clone();
            damaged[at] = other;
            overwrite(&path, &damaged);
            let store = open(&folder);
            assert_holds(&store, (0..4).filter(|&number| number != hit));
            let hit = |damage: &Damage| {
                (damage.offset..damage.offset + damage.bytes).contains(&(at as u64))
            };
            assert!(store.damage().iter().any(hit), "byte {at}: {:?}", store.damage());
        }
    }
}

#[test]
fn damage_is_done_again_in_a_new_segment() {
    let folder = folder("redo");
    filled(&folder, 0..4);
    let path = segment(&folder, "run.seg");
    let mut damaged = fs::read(&path).unwrap();
    damaged[200] ^= 1;
    overwrite(&path, &damaged);
    let mut store = open(&folder);
    let missing: Vec<_> = (0..4).filter(|&number| !store.contains(&key(number))).collect();
    assert_eq!(missing, [1]);
    let message = store.damage()[0].to_string();
    assert!(message.contains("run.seg is damaged at byte "), "{message}");
    assert!(message.ends_with("1 record lost)"), "{message}");
    fill(&mut store, missing);
    assert_holds(&open(&folder), 0..4);
}

/// A write that failed in the middle, on a full disk, leaves a part of a frame.
#[test]
fn records_behind_a_frame_that_was_not_finished_are_found() {
    let folder = folder("unfinished");
    filled(&folder, 0..2);
    let path = segment(&folder, "run.seg");
    let whole = fs::read(&path).unwrap();
    let part = &whole[..whole.len() - 20];
    overwrite(&path, &[part, &whole[..]].concat());
    let store = open(&folder);
    assert_holds(&store, 0..2);
    assert_eq!(store.damage()[0].kind, DamageKind::Corrupted);
}

#[test]
fn durability_can_be_asked_for() {
    let folder = folder("sync");
    let mut store = open(&folder).sync_every(std::time::Duration::ZERO);
    store.sync().unwrap();
    fill(&mut store, 0..3);
    store.sync().unwrap();
    assert_holds(&open(&folder), 0..3);
}
