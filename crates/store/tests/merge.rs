//! Stores of one run become one store; anything else is explained.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::*;
use provoke_store::{DamageKind, MergeError, Shard, Store, merge};
use serde_json::json;

/// The stores of the shards 1/n … n/n over the first hundred records.
fn shards(folder: &Path, n: u32) -> Vec<PathBuf> {
    let one = |k| {
        let shard = Shard::new(k, n).unwrap();
        let path = folder.join(format!("shard-{k}"));
        let mut store = Store::open(&path, &shard_identity(&shard.to_string())).unwrap();
        fill(&mut store, (0..100).filter(|&number| shard.takes(&key(number))));
        path
    };
    (1..=n).map(one).collect()
}

#[test]
fn four_shards_merged_are_the_undivided_store_byte_for_byte() {
    let folder = folder("shards");
    let (out, undivided) = (folder.join("out"), folder.join("undivided"));
    let report = merge(&shards(&folder, 4), &out).unwrap();
    let whole = filled(&folder.join("whole"), (0..100).rev());
    merge(&[whole], &undivided).unwrap();
    assert_eq!(bytes(&out), bytes(&undivided));
    assert_holds(&open(&out), 0..100);
    assert_eq!((report.records, report.damage), (100, vec![]));
    let named: Vec<_> = report.stores.iter().filter_map(|store| store.shard.as_deref()).collect();
    assert_eq!(named, ["1/4", "2/4", "3/4", "4/4"]);
    assert_eq!(report.stores.iter().map(|store| store.new).sum::<usize>(), 100);
}

/// A run that happens to finish its work in the order of the keys.
#[test]
fn a_merged_segment_is_written_as_any_other() {
    let folder = folder("sorted");
    let out = folder.join("out");
    merge(&shards(&folder, 4), &out).unwrap();
    let mut numbers: Vec<_> = (0..100).collect();
    numbers.sort_by_key(|&number| key(number));
    let sorted = filled(&folder.join("sorted"), numbers);
    let merged = fs::read(segment(&out, "merged.seg")).unwrap();
    assert_eq!(merged, fs::read(segment(&sorted, "run.seg")).unwrap());
    assert_eq!(
        fs::read(out.join("store.json")).unwrap(),
        fs::read(sorted.join("store.json")).unwrap()
    );
}

#[test]
fn merging_twice_or_in_another_order_or_with_overlaps_changes_nothing() {
    let folder = folder("twice");
    let mut stores = shards(&folder, 3);
    let (out, other) = (folder.join("out"), folder.join("other"));
    merge(&stores, &out).unwrap();
    let once = bytes(&out);
    let report = merge(&stores, &out).unwrap();
    assert_eq!(bytes(&out), once);
    assert!(report.stores.iter().all(|store| store.new == 0));
    stores.push(filled(&folder.join("overlap"), 40..60));
    stores.push(out.clone());
    stores.push(stores[0].clone());
    stores.reverse();
    merge(&stores, &other).unwrap();
    assert_eq!(bytes(&other), once);
}

#[test]
fn a_store_can_grow_by_merging_and_be_resumed_afterwards() {
    let folder = folder("grow");
    let stores = shards(&folder, 2);
    let out = folder.join("out");
    merge(&stores[..1], &out).unwrap();
    merge(&stores[1..], &out).unwrap();
    assert_holds(&open(&out), 0..100);
    fill(&mut open(&out), 100..110);
    merge(&stores, &out).unwrap();
    assert_holds(&open(&out), 0..110);
    assert_eq!(segments(&out), ["merged.seg", "run.seg"]);
}

#[test]
fn times_may_differ_and_the_first_store_that_is_named_wins() {
    let folder = folder("times");
    let store = |name: &str, seconds: f64| {
        let path = folder.join(name);
        open(&path).append(key(0), &json!({"verdict": "covered", "seconds": seconds})).unwrap();
        path
    };
    let (a, b, out) = (store("a", 1.5), store("b", 2.5), folder.join("out"));
    merge(&[b, a], &out).unwrap();
    assert_eq!(open(&out).get(&key(0)).unwrap()["seconds"], 2.5);
}

#[test]
fn different_answers_are_an_error_that_names_both_segments_and_leaves_no_trace() {
    let folder = folder("conflict");
    let (a, b, out) = (folder.join("a"), folder.join("b"), folder.join("out"));
    open(&a).append(key(0), &json!({"verdict": "covered"})).unwrap();
    open(&b).append(key(0), &json!({"verdict": "infeasible"})).unwrap();
    let error = merge(&[&a, &b], &out).unwrap_err();
    let MergeError::Conflict(conflict) = &error else { panic!("{error}") };
    assert_eq!(conflict.first, segment(&a, "run.seg"));
    assert_eq!(conflict.second, segment(&b, "run.seg"));
    assert!(error.hint().is_some() && !out.exists());
}

#[test]
fn stores_of_different_runs_are_explained() {
    let folder = folder("runs");
    let (a, b, out) = (folder.join("a"), folder.join("b"), folder.join("out"));
    filled(&a, 0..1);
    let mut run = identity().run().clone();
    run["model"] = json!("cd34");
    Store::open(&b, &provoke_store::RunIdentity::new(run).volatile(&["seconds"])).unwrap();
    let message = merge(&[&a, &b], &out).unwrap_err().to_string();
    let expected = "hold the results of different runs: \
                    `model` is \"ab12\" in the first and \"cd34\" in the second";
    assert!(message.ends_with(expected), "{message}");
    let message = merge(&[&a], &b).unwrap_err().to_string();
    assert!(message.contains("/b holds the results of another run: `model` is"), "{message}");
    assert!(!out.exists());
}

#[test]
fn a_shard_is_no_place_for_the_whole() {
    let folder = folder("shard_target");
    let stores = shards(&folder, 2);
    let before = bytes(&stores[0]);
    let message = merge(&stores, &stores[0]).unwrap_err().to_string();
    let expected = "`shard` is \"1/2\" in the store and absent in this run";
    assert!(message.ends_with(expected), "{message}");
    assert_eq!(bytes(&stores[0]), before);
}

#[test]
fn damage_is_reported_once_and_the_other_records_are_merged() {
    let folder = folder("damage");
    let stores = shards(&folder, 2);
    let path = segment(&stores[1], "run.seg");
    let mut damaged = fs::read(&path).unwrap();
    damaged[100] ^= 1;
    damaged.truncate(damaged.len() - 1);
    fs::write(&path, damaged).unwrap();
    let out = folder.join("out");
    let report = merge(&[&stores[0], &stores[1], &stores[1]], &out).unwrap();
    let found: Vec<_> =
        report.damage.iter().map(|d| (&d.segment, d.records_lost, d.kind)).collect();
    let expected = [(&path, 1, DamageKind::Corrupted), (&path, 1, DamageKind::Truncated)];
    assert_eq!((report.records, &found[..]), (98, &expected[..]));
    assert_eq!(open(&out).len(), 98);
}

#[test]
fn what_is_no_store_cannot_be_merged() {
    let folder = folder("nothing");
    let out = folder.join("out");
    let message = |stores: &[PathBuf]| merge(stores, &out).unwrap_err().to_string();
    assert_eq!(message(&[]), "there is nothing to merge");
    let missing = folder.join("missing");
    let text = message(std::slice::from_ref(&missing));
    assert!(text.ends_with("missing is not a results store: there is no such folder"), "{text}");
    fs::create_dir(&missing).unwrap();
    let text = message(&[missing]);
    assert!(text.ends_with("missing is not a results store: it has no store.json"), "{text}");
    assert!(!out.exists());
}

/// A killed merge leaves a draft beside its target.
#[test]
fn a_draft_left_behind_is_in_nobodys_way() {
    let folder = folder("draft");
    let stores = shards(&folder, 2);
    let out = folder.join("out");
    merge(&stores[..1], &out).unwrap();
    fs::write(segment(&out, "merged.tmp"), b"half a mer").unwrap();
    merge(&stores, &out).unwrap();
    let store = open(&out);
    assert_holds(&store, 0..100);
    assert_eq!(store.damage(), []);
}
