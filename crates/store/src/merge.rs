//! Joining the stores of shards, machines and interrupted runs.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::atomic::{Existing, write_whole};
use crate::damage::Damage;
use crate::error::{MergeError, StoreError};
use crate::frame;
use crate::identity::RunIdentity;
use crate::layout;
use crate::manifest;
use crate::records::Records;
use crate::store::Store;
use crate::writer::MERGED;

/// What a merge found.
#[derive(Clone, PartialEq, Debug)]
pub struct MergeReport {
    /// How many records the merged store has.
    pub records: usize,
    /// What each store contributed, in the order they were named.
    pub stores: Vec<MergedStore>,
    /// What could not be read, the target's own included, sorted by place.
    pub damage: Vec<Damage>,
}

/// What one store contributed.
#[derive(Clone, PartialEq, Debug)]
pub struct MergedStore {
    /// Its folder.
    pub folder: PathBuf,
    /// Which part of the plan it says it is.
    pub shard: Option<String>,
    /// How many records it has.
    pub records: usize,
    /// How many of them were in none of the stores before it.
    pub new: usize,
}

/// Joins the records of `stores`, which must be parts of one run, in the folder `into`: one
/// segment, sorted by key, whose bytes depend on nothing else.
///
/// If `into` is already a store of that run, its records are kept and come first, so merging
/// again changes nothing. Segments that others wrote there are left alone. Of two merges into
/// one folder at the same time the later one wins.
pub fn merge(stores: &[impl AsRef<Path>], into: &Path) -> Result<MergeReport, MergeError> {
    let sources = stores.iter().map(Store::read).collect::<Result<Vec<_>, _>>()?;
    let run = common_run(&sources)?;
    let (mut records, mut damage) = target(into, &run)?;
    let mut merged = Vec::new();
    for source in sources {
        let (folder, shard) = (source.folder().to_path_buf(), shard_text(source.identity()));
        let (found, lost) = source.into_contents();
        let count = found.len();
        let new = records.absorb(found).map_err(MergeError::Conflict)?;
        merged.push(MergedStore { folder, shard, records: count, new });
        damage.extend(lost);
    }
    write(into, &run, &records)?;
    // A store may be named twice.
    damage.sort();
    damage.dedup();
    Ok(MergeReport { records: records.len(), stores: merged, damage })
}

/// The run that all stores are parts of.
fn common_run(stores: &[Store]) -> Result<RunIdentity, MergeError> {
    let (first, others) = stores.split_first().ok_or(MergeError::Nothing)?;
    let run = first.identity().whole();
    for other in others {
        let differences = run.differences(&other.identity().whole());
        if !differences.is_empty() {
            let (first, second) = (first.folder().into(), other.folder().into());
            return Err(MergeError::OtherRun { first, second, differences });
        }
    }
    Ok(run)
}

/// What `into` has already.
fn target(into: &Path, run: &RunIdentity) -> Result<(Records, Vec<Damage>), StoreError> {
    match manifest::find(into)? {
        Some(_) => Store::open(into, run).map(Store::into_contents),
        None => Ok((Records::new(run.volatile_members()), Vec::new())),
    }
}

fn shard_text(identity: &RunIdentity) -> Option<String> {
    let shard = identity.shard()?;
    Some(shard.as_str().map_or_else(|| shard.to_string(), str::to_string))
}

/// Only now is anything written: a merge that fails leaves no trace.
fn write(into: &Path, run: &RunIdentity, records: &Records) -> Result<(), StoreError> {
    manifest::establish(into, run)?;
    let path = layout::segments_folder(into).join(format!("{MERGED}.seg"));
    write_whole(&path, Existing::Replaced, |file| write_frames(file, records))?;
    Ok(())
}

fn write_frames(file: &mut impl Write, records: &Records) -> io::Result<()> {
    for (key, payload) in records.payloads() {
        file.write_all(&frame::encode(&key, payload))?;
    }
    Ok(())
}
