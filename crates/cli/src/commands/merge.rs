//! `provoke merge`: joins what the shards of a run, or interrupted runs, have found.

use provoke_results::{Merge, Schema, StoreResult, to_json};
use provoke_store::{MergeReport, MergedStore, Shard, merge};

use crate::args::MergeArgs;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::table::aligned;

pub(crate) fn run(args: &MergeArgs, output: &Output) -> Result<Outcome, Failure> {
    let report = merge(&args.stores, &args.output).map_err(|error| Failure::Input {
        message: error.to_string(),
        hint: error.hint().map(str::to_string),
    })?;
    let missing = missing_shards(&report);
    for damage in &report.damage {
        output.warning(&damage.to_string());
    }
    if output.is_json() {
        output.result(&to_json(&result(&report, &missing)));
    } else {
        output.result(&describe(args, &report, &missing));
    }
    let complete = missing.is_empty() && report.damage.is_empty();
    Ok(if complete || !args.require_complete { Outcome::Well } else { Outcome::Inconclusive })
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

fn describe(args: &MergeArgs, report: &MergeReport, missing: &[String]) -> String {
    let mut rows = vec![["folder", "shard", "records", "new"].map(String::from).to_vec()];
    for store in &report.stores {
        rows.push(vec![
            store.folder.display().to_string(),
            store.shard.clone().unwrap_or_else(|| "all".to_string()),
            store.records.to_string(),
            store.new.to_string(),
        ]);
    }
    let mut text = aligned(&rows);
    text += &format!("{} records in {}\n", report.records, args.output.display());
    if !missing.is_empty() {
        text += &format!("missing shards: {}\n", missing.join(", "));
    }
    text +=
        "the same `provoke generate` command without --shard, with -o on this folder, finishes\n";
    text
}
