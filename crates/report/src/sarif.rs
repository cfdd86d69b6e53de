//! Diagnostics of `check` for tools that read SARIF 2.1.0.

use provoke_results::{Check, DiagnosticResult};
use serde_json::{Value, json};

/// One run with a result for each diagnostic.
pub fn sarif(check: &Check, version: &str) -> Value {
    let mut codes: Vec<&str> = check.diagnostics.iter().map(|found| found.code.as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules: Vec<Value> = codes.into_iter().map(|code| json!({"id": code})).collect();
    let result = |found: &DiagnosticResult| result(found, &check.model);
    let results: Vec<Value> = check.diagnostics.iter().map(result).collect();
    json!({
        "version": "2.1.0",
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [{
            "tool": {"driver": {"name": "provoke", "version": version, "rules": rules}},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn result(found: &DiagnosticResult, model: &str) -> Value {
    let mut text = found.message.clone();
    let label = Some(&found.label).filter(|label| !label.is_empty());
    for more in label.into_iter().chain(&found.help) {
        text += &format!("; {more}");
    }
    let place = found.place;
    json!({
        "ruleId": found.code,
        "level": found.severity,
        "message": {"text": text},
        "locations": [{
            "physicalLocation": {
                "artifactLocation": {"uri": model},
                "region": {
                    "startLine": place.line, "startColumn": place.column,
                    "endLine": place.end_line, "endColumn": place.end_column,
                },
            },
        }],
    })
}
