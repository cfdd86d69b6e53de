//! Evidence for continuous integration: one case for each obligation, test, question or mutant run.
//!
//! What is left open is a skipped case; only a negative answer is a failure.

use std::fmt::Write;

use serde_json::Value;

use crate::generation::{Generation, Obligation, State};
use crate::report::{Evidence, Report};

/// How a case ended.
enum Ending {
    Passed,
    Failed(String),
    Skipped(String),
}

struct Case {
    class: String,
    name: String,
    ending: Ending,
}

/// JUnit XML with one suite for each run; mutants and estimates are no cases.
pub fn junit(report: &Report) -> String {
    let suites: Vec<String> = report.evidence.iter().filter_map(suite).collect();
    let title = escaped(&report.title);
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    format!("{head}<testsuites name=\"{title}\">\n{}</testsuites>\n", suites.concat())
}

fn suite(evidence: &Evidence) -> Option<String> {
    let (name, cases) = match evidence {
        Evidence::Generate(generation) => (&generation.from, obligations(generation)),
        Evidence::Run { from, result, .. } => (from, judged(&result["tests"], "name")),
        Evidence::Verify { from, result, .. } => (from, judged(&result["answers"], "query")),
        Evidence::Judge { from, result } => (from, judged(&result["verdicts"], "test")),
        Evidence::Mutate { .. }
        | Evidence::Mine { .. }
        | Evidence::Audit { .. }
        | Evidence::Estimate { .. } => return None,
    };
    let count = |kind: fn(&Ending) -> bool| cases.iter().filter(|case| kind(&case.ending)).count();
    let failures = count(|ending| matches!(ending, Ending::Failed(_)));
    let skipped = count(|ending| matches!(ending, Ending::Skipped(_)));
    let (name, tests) = (escaped(name), cases.len());
    let mut xml = format!(
        "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" skipped=\"{skipped}\">\n"
    );
    for Case { class, name, ending } in &cases {
        let (class, name) = (escaped(class), escaped(name));
        let _ = write!(xml, "    <testcase classname=\"{class}\" name=\"{name}\"");
        let _ = match ending {
            Ending::Passed => writeln!(xml, "/>"),
            Ending::Failed(why) => {
                writeln!(xml, "><failure message=\"{}\"/></testcase>", escaped(why))
            }
            Ending::Skipped(why) => {
                writeln!(xml, "><skipped message=\"{}\"/></testcase>", escaped(why))
            }
        };
    }
    Some(xml + "  </testsuite>\n")
}

fn obligations(generation: &Generation) -> Vec<Case> {
    let case = |obligation: &Obligation| Case {
        class: obligation.node.clone(),
        name: obligation.id.clone(),
        ending: ending(obligation),
    };
    generation.obligations.iter().map(case).collect()
}

fn ending(obligation: &Obligation) -> Ending {
    let says = || obligation.says.get(1..).unwrap_or_default().join(" ");
    let plain = !obligation.criterion.starts_with('o');
    match (obligation.kind, obligation.state) {
        ("property", State::Visible | State::Masked) => Ending::Failed(says()),
        (_, State::Visible | State::Infeasible) => Ending::Passed,
        (_, State::Masked) if plain => Ending::Passed,
        _ => Ending::Skipped(says()),
    }
}

/// Results that have a verdict each.
fn judged(list: &Value, name: &str) -> Vec<Case> {
    let case = |one: &Value| {
        let text = |key: &str| one[key].as_str().unwrap_or("").to_string();
        let verdict = text("verdict");
        let why = match text("reason") {
            reason if reason.is_empty() => verdict.clone(),
            reason => format!("{verdict}: {reason}"),
        };
        let ending = match verdict.as_str() {
            "pass" | "satisfied" => Ending::Passed,
            "unknown" | "inconclusive" => Ending::Skipped(why),
            _ => Ending::Failed(why),
        };
        Case { class: "provoke".to_string(), name: text(name), ending }
    };
    list.as_array().into_iter().flatten().map(case).collect()
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace(|c: char| c < ' ', " ")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_become_cases() {
        let answers = json!({"answers": [
            {"query": "E<> a", "verdict": "satisfied"},
            {"query": "A[] b", "verdict": "not satisfied"},
            {"query": "Pr[<=1](<> c)", "verdict": "unknown", "reason": "a \"probability\""},
        ]});
        let verify = Evidence::Verify {
            from: "lamp.json".into(),
            picture: String::new(),
            templates: Vec::new(),
            result: answers,
        };
        let report = Report {
            schema: Report::SCHEMA,
            provoke: "0".into(),
            title: "Lamp & User".into(),
            evidence: vec![verify],
            requirements: Vec::new(),
        };
        expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="Lamp &amp; User">
              <testsuite name="lamp.json" tests="3" failures="1" skipped="1">
                <testcase classname="provoke" name="E&lt;&gt; a"/>
                <testcase classname="provoke" name="A[] b"><failure message="not satisfied"/></testcase>
                <testcase classname="provoke" name="Pr[&lt;=1](&lt;&gt; c)"><skipped message="unknown: a &quot;probability&quot;"/></testcase>
              </testsuite>
            </testsuites>
        "#]]
        .assert_eq(&junit(&report));
    }
}
