//! Tests once more where more is noticed: under sanitizers, and with memory that was never written
//! filled in two ways.

use crate::compile::{Build, Trouble, Workshop};
use crate::run::{Run, Stop};
use crate::search::{Finding, Test};
use crate::server::{Ending, Server};
use crate::target::Limits;

/// What is wrong with the program although its tests came back.
pub fn confirm(
    workshop: &Workshop,
    tests: &[Test],
    outputs: usize,
    limits: &Limits,
) -> Result<Vec<Finding>, Trouble> {
    let server = |build| -> Result<Server, Trouble> {
        Ok(Server::new(&workshop.build(build)?, outputs, limits, Ending::Quick))
    };
    let mut sanitized = server(Build::Sanitized)?;
    let (mut zeros, mut pattern) = (server(Build::Zeros)?, server(Build::Pattern)?);
    let mut findings: Vec<Finding> = Vec::new();
    let mut note = |stop: Stop, test: &[Vec<i64>]| {
        let known = |finding: &Finding| finding.stop == stop;
        if !findings.iter().any(known) {
            findings.push(Finding { stop, test: test.to_vec() });
        }
    };
    for test in tests {
        let run = sanitized.run(test)?;
        if matches!(run.stop, Some(Stop::Silent(_))) {
            let reason = "the program does not start when it is built with sanitizers";
            return Err(Trouble::new(
                reason,
                "use `--no-sanitize`, or look at the file `sanitized.stderr` beside the build",
            ));
        }
        if let Some(stop @ Stop::Sanitizer(_)) = run.stop {
            note(stop, &test[..test.len().min(run.outputs.len() + 1)]);
        }
        let (zero, filled) = (zeros.run(test)?, pattern.run(test)?);
        if let Some(step) = differs(&zero, &filled) {
            let text = "outputs depend on memory that was never written".to_string();
            note(Stop::Sanitizer(text), &test[..test.len().min(step + 1)]);
        }
    }
    Ok(findings)
}

/// The first step in which two runs differ.
fn differs(a: &Run, b: &Run) -> Option<usize> {
    let alike = a.outputs.iter().zip(&b.outputs).take_while(|(a, b)| a == b).count();
    let whole = alike == a.outputs.len() && alike == b.outputs.len() && a.stop == b.stop;
    (!whole).then_some(alike)
}
