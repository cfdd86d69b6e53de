//! What proofs leave behind: in the store with the verdicts, and as a file beside them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use provoke_criteria::{Obligation, ObligationKind};
use provoke_model::Arithmetic;
use provoke_solve::Certificate;
use provoke_solve::certificate::Sheet;
use provoke_store::{Key, Store};
use provoke_work::shared_key;
use serde_json::{Value as Json, json};

/// The file in the folder of results.
pub const FILE: &str = "certificates.txt";

/// The text of the file: for which model, under which assumptions, and all claims.
pub fn file(
    model: &str,
    node: &str,
    numbers: Option<Arithmetic>,
    assumptions: &[String],
    sheet: &Sheet,
) -> String {
    let model = Key::of_bytes(model.as_bytes());
    let numbers = numbers.map_or("exact".to_string(), |numbers| {
        format!("int{}-{}", numbers.int.machine().bits, numbers.real.word())
    });
    let mut text = format!("provoke-cert 1\nmodel sha256:{model} node {node} numbers {numbers}\n");
    for assumption in assumptions {
        let words: Vec<&str> = assumption.split_whitespace().collect();
        text += &format!("assume {}\n", words.join(" "));
    }
    text + &sheet.text()
}

/// What the certificates of a folder claim; nothing where there are none.
pub fn claimed(folder: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(folder.join(FILE)).unwrap_or_default();
    text.lines().filter_map(|line| line.strip_prefix("claim ")).map(String::from).collect()
}

/// What is claimed when no test covers an obligation.
pub fn claim(obligation: &Obligation) -> String {
    let Obligation { kind, id, criterion, .. } = obligation;
    match kind {
        ObligationKind::Property => format!("holds {id}"),
        _ => format!("infeasible {criterion} {id}"),
    }
}

/// What is claimed when a condition can be replaced by a constant.
pub fn redundant_claim(obligation: &Obligation) -> String {
    let Obligation { id, criterion, .. } = obligation;
    format!("redundant {criterion} {id}")
}

/// What is claimed when it is never seen that a condition is wrong in one step.
pub fn once_claim(obligation: &Obligation) -> String {
    let Obligation { id, criterion, .. } = obligation;
    format!("once {criterion} {id}")
}

/// A certificate as part of a record; what many share is named there and kept once.
pub fn record(certificate: &Certificate) -> Json {
    let Certificate { lemmas, own } = certificate;
    let lemmas = lemmas.as_ref().map(|text| shared_key(text).to_string());
    json!({"own": own, "lemmas": lemmas})
}

/// Reads what [`record`] has written; `None` if there was none, or if what it shares is lost.
pub fn read(record: &Json, store: &Store) -> Option<Certificate> {
    let own = record.get("own")?.as_str()?.to_string();
    let lemmas = match &record["lemmas"] {
        Json::Null => None,
        key => {
            let shared = store.get(&key.as_str()?.parse().ok()?)?;
            Some(Arc::from(shared["lemmas"].as_str()?))
        }
    };
    Some(Certificate { lemmas, own })
}
