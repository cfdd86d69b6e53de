//! Results for continuous integration: one case for each test.

use std::fmt::Write;

use provoke_exec::{TestResult, Verdict};

/// JUnit XML. Inconclusive tests are skipped ones; they change the exit code all the same.
pub(crate) fn junit(suite: &str, results: &[TestResult]) -> String {
    let count = |verdict| results.iter().filter(|result| result.verdict() == verdict).count();
    let (failures, errors) = (count(Verdict::Fail), count(Verdict::Error));
    let skipped = count(Verdict::Inconclusive);
    let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_string();
    let _ = writeln!(
        xml,
        "<testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\">",
        escaped(suite),
        results.len()
    );
    for result in results {
        let verdict = result.verdict();
        let first = result.judged.iter().enumerate().find(|(_, judged)| judged.verdict == verdict);
        let reason = first.map_or_else(String::new, |(index, judged)| {
            escaped(&format!("interaction {}: {}", index + 1, judged.reason))
        });
        let _ = write!(
            xml,
            "  <testcase classname=\"{}\" name=\"{}\"",
            escaped(suite),
            escaped(&result.name)
        );
        let _ = match verdict {
            Verdict::Pass => writeln!(xml, "/>"),
            Verdict::Fail => writeln!(xml, ">\n    <failure message=\"{reason}\"/>\n  </testcase>"),
            Verdict::Error => writeln!(xml, ">\n    <error message=\"{reason}\"/>\n  </testcase>"),
            Verdict::Inconclusive => {
                writeln!(xml, ">\n    <skipped message=\"inconclusive: {reason}\"/>\n  </testcase>")
            }
        };
    }
    xml + "</testsuite>\n"
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c < ' ' => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
