//! The contracts as they are checked in: their schemas, and results that commands wrote.

use std::collections::BTreeSet;
use std::path::PathBuf;

use provoke_results::{Contract, Listed, Prove, Verdicts, Word, contracts, schema_of};
use provoke_testkit::{check_snapshot, files, repository};

fn schemas() -> PathBuf {
    repository().join("schemas")
}

#[test]
fn schemas_are_those_of_the_types() {
    for contract in contracts() {
        let schema = provoke_results::to_json(&(contract.json_schema)());
        check_snapshot(&schemas().join(contract.file()), &schema);
    }
}

#[test]
fn every_contract_has_a_name_of_its_own_and_a_file() {
    let all = contracts();
    let names: BTreeSet<&str> = all.iter().map(|contract| contract.schema).collect();
    assert_eq!(names.len(), all.len(), "two contracts share a name");
    let expected: BTreeSet<String> = all.iter().map(Listed::file).collect();
    let name = |path: PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
    let found: BTreeSet<String> = files(&schemas(), "json").into_iter().map(name).collect();
    assert_eq!(found, expected);
}

#[test]
fn what_is_read_is_written_again_byte_by_byte() {
    let all = contracts();
    let mut seen = BTreeSet::new();
    for path in files(&repository().join("crates/cli/tests/contract"), "json") {
        let text = std::fs::read_to_string(&path).expect("a golden file");
        // Some commands say nothing, and some files are read by other crates alone.
        let schema = schema_of(&text).ok().flatten().unwrap_or_default();
        let Some(contract) = all.iter().find(|contract| contract.schema == schema) else {
            continue;
        };
        let again = (contract.rewrite)(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        match contract.schema {
            // One line for each step is a matter of the writer of suites.
            "provoke/suite/1" => assert_eq!(json(&again), json(&text), "{}", path.display()),
            _ => assert_eq!(again, text, "{}", path.display()),
        }
        seen.insert(contract.schema);
    }
    assert!(seen.len() >= 30, "only {seen:?}");
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn results_of_another_contract_are_refused() {
    let text = std::fs::read_to_string(repository().join("crates/cli/tests/contract/prove.json"));
    let text = text.expect("a golden file");
    assert!(serde_json::from_str::<Prove>(&text).is_ok());
    let error = serde_json::from_str::<Verdicts>(&text).expect_err("another contract").to_string();
    assert!(error.contains("the schema is `provoke/prove/2`"), "{error}");
    let wrong = text.replace("\"verdict\": \"holds\"", "\"verdict\": \"proven\"");
    let error = serde_json::from_str::<Prove>(&wrong).expect_err("no such word").to_string();
    assert!(error.contains("unknown variant `proven`"), "{error}");
    assert_eq!(Prove::SCHEMA, "provoke/prove/2");
}

#[test]
fn words_name_themselves() {
    for word in provoke_results::VerdictWord::ALL {
        assert_eq!(provoke_results::VerdictWord::named(word.word()), Some(*word));
        assert_eq!(serde_json::to_value(word).expect("a word"), word.word());
    }
    assert_eq!(provoke_results::VerdictWord::named("perhaps"), None);
}
