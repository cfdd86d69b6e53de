//! What another build has found is found again.

use std::path::PathBuf;

use provoke::{Control, GenerateOptions, GenerationMethod, Model, SourceFile, WorkOptions};
use provoke_results::VerdictWord;
use provoke_store::{KeyBuilder, Store};
use serde_json::json;

const GATE: &str = "node gate(a, b: bool) returns (y: bool); let y = a and b; tel";

fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("provoke-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// How many obligations are called infeasible after a false proof was put into the store under
/// keys that begin like these.
fn infeasible_with(name: &str, key: fn(&str) -> KeyBuilder) -> usize {
    let folder = scratch(name);
    let model = Model::read(&SourceFile::new("gate.lus", GATE), None, &[]).expect("a model");
    let options = GenerateOptions {
        method: GenerationMethod::Regular,
        as_published: true,
        folder: Some(folder.clone()),
        work: WorkOptions { effort: Some(1), jobs: Some(1), ..WorkOptions::default() },
        ..GenerateOptions::default()
    };
    let control = Control::new();
    // Cancelled at once, it makes a store in which nothing is found yet.
    let ended = Control::new();
    ended.cancel();
    let before = provoke::generate(&model, None, &options, &ended).expect("a store").result;
    let mut store = Store::read(&folder).expect("a store").writing_to("old").expect("a segment");
    let proof = json!({"proof": {"engine": "pdr", "k": 1, "lemmas": 0}});
    for verdict in &before.verdicts {
        let key = key("provoke/attempt/3")
            .part("obligation", verdict.id.as_bytes())
            .json("effort", &json!({"depth": 20, "k": 2, "work": 100_000}))
            .finish();
        store.append(key, &proof).expect("appended");
    }
    drop(store);
    let result = provoke::generate(&model, None, &options, &control).expect("verdicts").result;
    std::fs::remove_dir_all(&folder).expect("removed");
    let infeasible =
        |verdict: &&provoke_results::VerdictResult| verdict.verdict == VerdictWord::Infeasible;
    result.verdicts.iter().filter(infeasible).count()
}

#[test]
fn a_false_proof_of_another_build_is_not_believed() {
    if provoke_solve::z3::find().map_err(|why| provoke_testkit::skip(&why.to_string())).is_err() {
        return;
    }
    let other_build = |schema: &str| KeyBuilder::new(schema).part("build", "another");
    assert_eq!(infeasible_with("other-build", other_build), 0);
    // Without a name of its build, as stores had it once.
    assert_eq!(infeasible_with("no-build", KeyBuilder::new), 0);
    // The keys are right: what this build has found it does believe.
    assert!(infeasible_with("this-build", KeyBuilder::of_this_build) > 0);
}
