//! Finished work, kept in a folder: an interrupted run resumes, several processes or machines
//! work on one run, and their stores are joined.
//!
//! A *record* is a key, the hash of everything that determines an answer, and the answer as
//! JSON. Records are appended to segments and never changed. What to do next is "the plan
//! minus the stored keys", whatever was killed, lost or done twice before.
//!
//! ```text
//! out/store.json          what the run is; written once, whole or not at all
//! out/segments/run.seg    one writer's records; run-2.seg is the next writer's
//! out/segments/merged.seg what `merge` wrote, sorted by key
//! ```
//!
//! A segment is a sequence of frames, one line each: the byte RS (0x1E), the key in 64 hex
//! digits, a checksum in 16, the payload's length in 8, each followed by a blank, then the
//! payload as canonical JSON, and a line feed. Neither RS nor line feed occurs in canonical
//! JSON, so a reader finds the next frame behind any damage, and damage to one frame leaves
//! its neighbours alone.
//!
//! This is the one crate on the engines' side that reads and writes files; it prints nothing.
//! Files are not trusted: sizes are limited, and no bytes make a reader panic. The clock is
//! read only to decide when to ask the disk for durability, never for what is stored.

mod atomic;
mod canonical;
mod conflict;
mod damage;
mod difference;
mod error;
mod frame;
mod identity;
mod key;
mod layout;
mod manifest;
mod merge;
mod record;
mod records;
mod segment;
mod shard;
mod store;
mod syntax;
mod writer;

pub use atomic::replace_files;
pub use canonical::canonical_json;
pub use conflict::RecordConflict;
pub use damage::{Damage, DamageKind};
pub use difference::FieldDifference;
pub use error::{FileError, MergeError, StoreError};
pub use frame::MAX_FRAME_BYTES;
pub use identity::{RunIdentity, SCHEMA};
pub use key::{BUILD, Key, KeyBuilder, KeyError, sha256};
pub use merge::{MergeReport, MergedStore, merge};
pub use record::{MAX_DEPTH, RecordError};
pub use shard::{Shard, ShardError};
pub use store::{AppendOutcome, Store};
