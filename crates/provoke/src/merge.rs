//! What the shards of a run, or interrupted runs, have found, in one folder.

use std::path::{Path, PathBuf};

use provoke_base::{Control, Error, ErrorCode};
use provoke_results::{Merge, Schema, StoreResult};
use provoke_store::{MergeReport, MergedStore, Shard};

/// Joins stores into a folder. Damage is told as warnings.
pub fn merge(stores: &[PathBuf], folder: &Path, control: &Control) -> Result<Merge, Error> {
    let report = provoke_store::merge(stores, folder).map_err(|error| {
        let hint = error.hint().map(str::to_string);
        Error { hint, ..Error::new(ErrorCode::StoreUnusable, error.to_string()) }
    })?;
    report.damage.iter().for_each(|damage| control.warn(damage.to_string()));
    Ok(result(&report, &missing_shards(&report)))
}

fn result(report: &MergeReport, missing: &[String]) -> Merge {
    let store = |store: &MergedStore| StoreResult {
        folder: store.folder.display().to_string(),
        shard: store.shard.clone(),
        records: store.records,
        new: store.new,
    };
    Merge {
        schema: Schema::default(),
        records: report.records,
        stores: report.stores.iter().map(store).collect(),
        missing: missing.to_vec(),
        damaged: report.damage.len(),
    }
}

/// The shards that none of the stores is; a store without a shard is the whole run.
fn missing_shards(report: &MergeReport) -> Vec<String> {
    let shards: Option<Vec<Shard>> = report
        .stores
        .iter()
        .map(|store| store.shard.as_ref().and_then(|shard| shard.parse().ok()))
        .collect();
    let Some(shards) = shards else { return Vec::new() };
    let total = shards.iter().map(|shard| shard.n()).max().unwrap_or(0);
    let there = |k: u32| shards.iter().any(|shard| shard.n() == total && shard.k() == k);
    (1..=total).filter(|k| !there(*k)).map(|k| format!("{k}/{total}")).collect()
}
