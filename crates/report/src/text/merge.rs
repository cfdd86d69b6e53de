//! What stores hold together.

use provoke_base::table::aligned;
use provoke_results::{Merge, StoreResult};

/// What each store brought, and what is missing.
pub fn merge(result: &Merge, folder: &str) -> String {
    let mut rows = vec![["folder", "shard", "records", "new"].map(String::from).to_vec()];
    for StoreResult { folder, shard, records, new } in &result.stores {
        rows.push(vec![
            folder.clone(),
            shard.clone().unwrap_or_else(|| "all".to_string()),
            records.to_string(),
            new.to_string(),
        ]);
    }
    let mut text = aligned(&rows);
    text += &format!("{} records in {folder}\n", result.records);
    if !result.missing.is_empty() {
        text += &format!("missing shards: {}\n", result.missing.join(", "));
    }
    text +=
        "the same `provoke generate` command without --shard, with -o on this folder, finishes\n";
    text
}
