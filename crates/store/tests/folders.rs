//! A folder that cannot be used is named, with the reason.

mod common;

use std::fs;
use std::path::Path;

use common::*;
use provoke_store::{Store, StoreError, merge};
use serde_json::json;

#[track_caller]
fn check(folder: &Path, beginning: &str, end: &str) {
    let message = Store::open(folder, &identity()).unwrap_err().to_string();
    assert!(message.starts_with(beginning) && message.contains(end), "{message}");
}

#[test]
fn missing_folders_are_made_also_with_blanks_in_their_names() {
    let folder = folder("missing").join("a folder/with blanks");
    filled(&folder, 0..2);
    assert_holds(&open(&folder), 0..2);
}

#[test]
fn a_file_in_the_place_of_a_folder_is_named() {
    let folder = folder("file");
    let file = folder.join("file");
    fs::write(&file, "text").unwrap();
    check(&file, "cannot read ", "file/segments: Not a directory");
    check(&file.join("below"), "cannot read ", "file/below/segments: Not a directory");
}

#[test]
fn a_segment_that_cannot_be_read_is_named() {
    let folder = folder("segment");
    filled(&folder, 0..1);
    fs::create_dir(segment(&folder, "odd.seg")).unwrap();
    check(&folder, "cannot read ", "odd.seg: Is a directory");
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_made_is_named() {
    check(Path::new("/proc/provoke"), "cannot create /proc/provoke/segments: ", "");
}

/// Nobody, root included, can write to a folder that is gone.
#[test]
fn a_store_that_loses_its_place_says_so_when_it_appends() {
    let folder = folder("gone");
    let place = folder.join("place");
    let mut store = open(&place);
    fs::remove_dir_all(&place).unwrap();
    fs::write(&place, "a file").unwrap();
    let message = store.append(key(0), &payload(0)).unwrap_err().to_string();
    assert!(
        message.starts_with("cannot create ") && message.contains("Not a directory"),
        "{message}"
    );
    assert!(store.is_empty());
}

#[cfg(unix)]
#[test]
fn a_folder_without_permission_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("permission");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    let may_write = fs::write(folder.join("probe"), "").is_ok();
    // Root may write anywhere.
    if !may_write {
        check(&folder.join("out"), "cannot create ", "out/segments: Permission denied");
    }
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn names_that_are_no_file_names_and_the_name_of_merges_are_refused() {
    let folder = folder("names");
    for name in ["", "../x", "a b", ".x", "merged"] {
        let error = open(&folder).writing_to(name).unwrap_err();
        assert!(matches!(&error, StoreError::SegmentName(found) if found == name), "{error}");
        assert!(error.hint().unwrap().contains("1 to 100 letters"));
    }
}

#[test]
fn a_payload_that_cannot_be_read_back_is_not_written() {
    let folder = folder("payload");
    let mut store = open(&folder);
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    let message = store.append(key(0), &deep).unwrap_err().to_string();
    assert!(message.ends_with("is nested deeper than 120 levels"), "{message}");
    assert_eq!(segments(&folder), [""; 0]);
}

#[test]
fn a_merge_into_a_file_is_refused() {
    let folder = folder("merge");
    let store = filled(&folder.join("a"), 0..1);
    let file = folder.join("file");
    fs::write(&file, "text").unwrap();
    let message = merge(&[store], &file).unwrap_err().to_string();
    assert!(message.contains("Not a directory"), "{message}");
}
