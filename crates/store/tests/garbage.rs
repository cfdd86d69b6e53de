//! No bytes make a reader panic, lose an intact record or invent one.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use common::*;
use proptest::prelude::*;
use proptest::sample::select;
use provoke_store::Store;

const RECORDS: usize = 6;

/// A byte of a damaged segment, with its place in the original if it has one.
type Traced = (u8, Option<usize>);

/// Some bytes are replaced by others: fewer, more or none.
#[derive(Clone, Debug)]
struct Edit {
    at: prop::sample::Index,
    removed: usize,
    inserted: Vec<u8>,
}

fn edit() -> impl Strategy<Value = Edit> {
    // Mostly bytes that mean something in a frame.
    let byte = prop_oneof![select(&b"\n\n\x1e\x1e 0a{}\""[..]), any::<u8>()];
    let inserted = prop::collection::vec(byte, 0..12);
    let removed = prop_oneof![4 => 0..3usize, 1 => 0..400usize];
    (any::<prop::sample::Index>(), removed, inserted).prop_map(|(at, removed, inserted)| Edit {
        at,
        removed,
        inserted,
    })
}

fn apply(bytes: &mut Vec<Traced>, edit: &Edit) {
    let start = edit.at.index(bytes.len() + 1);
    let end = (start + edit.removed).min(bytes.len());
    bytes.splice(start..end, edit.inserted.iter().map(|&byte| (byte, None)));
}

/// Whether all bytes of a frame are still there, one behind the other.
fn is_intact(bytes: &[Traced], frame: &std::ops::Range<usize>) -> bool {
    let place = bytes.iter().position(|&(_, origin)| origin == Some(frame.start));
    let Some(rest) = place.map(|place| &bytes[place..]) else { return false };
    rest.len() >= frame.len()
        && rest.iter().zip(frame.clone()).all(|(&(_, origin), expected)| origin == Some(expected))
}

fn frames(whole: &[u8]) -> Vec<std::ops::Range<usize>> {
    let ends: Vec<_> = (0..whole.len()).filter(|&at| whole[at] == b'\n').map(|at| at + 1).collect();
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends.iter().copied()).map(|(start, end)| start..end).collect()
}

fn read(folder: &Path, bytes: &[u8]) -> Store {
    overwrite(&segment(folder, "run.seg"), bytes);
    open(folder)
}

fn check_edits(folder: &Path, whole: &[u8], edits: &[Edit]) -> Result<(), TestCaseError> {
    let mut traced: Vec<Traced> = whole.iter().copied().zip((0..).map(Some)).collect();
    edits.iter().for_each(|edit| apply(&mut traced, edit));
    let bytes: Vec<u8> = traced.iter().map(|&(byte, _)| byte).collect();
    let store = read(folder, &bytes);
    for (number, frame) in frames(whole).iter().enumerate() {
        prop_assert!(!is_intact(&traced, frame) || store.contains(&key(number)), "lost {number}");
    }
    for (found, value) in store.iter() {
        let number = (0..RECORDS).find(|&number| key(number) == found);
        prop_assert_eq!(number.map(payload), Some(value), "invented {}", found);
    }
    // Every byte is part of a record or of reported damage.
    let lost: u64 = store.damage().iter().map(|damage| damage.bytes).sum();
    let kept = frames(whole).into_iter().enumerate().filter(|(n, _)| store.contains(&key(*n)));
    let kept: usize = kept.map(|(_, frame)| frame.len()).sum();
    prop_assert_eq!(lost as usize + kept, bytes.len());
    Ok(())
}

/// An empty store, made once.
fn empty_store() -> &'static Path {
    static STORE: OnceLock<PathBuf> = OnceLock::new();
    STORE.get_or_init(|| filled(&folder("garbage_bytes"), []))
}

/// A store with some records, made once, and the bytes of its segment.
fn intact_store() -> &'static (PathBuf, Vec<u8>) {
    static STORE: OnceLock<(PathBuf, Vec<u8>)> = OnceLock::new();
    STORE.get_or_init(|| {
        let folder = filled(&folder("garbage_edits"), 0..RECORDS);
        let whole = fs::read(segment(&folder, "run.seg")).unwrap();
        (folder, whole)
    })
}

fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop_oneof![select(&b"\n\x1e 09af"[..]), any::<u8>()], 0..300)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn a_damaged_segment_keeps_its_intact_records_and_gains_none(
        edits in prop::collection::vec(edit(), 1..5)
    ) {
        let (folder, whole) = intact_store();
        check_edits(folder, whole, &edits)?;
    }

    #[test]
    fn arbitrary_bytes_hold_no_record(bytes in any_bytes()) {
        let store = read(empty_store(), &bytes);
        prop_assert!(store.is_empty());
        prop_assert_eq!(store.damage().is_empty(), bytes.is_empty());
    }
}
