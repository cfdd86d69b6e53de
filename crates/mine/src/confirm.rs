//! Tests once more where more is noticed: under sanitizers, and with memory that was never written
//! filled in two ways.

use crate::compile::{Build, MiningError, ProgramBuilder};
use crate::run::{ProgramRun, StepFailure};
use crate::search::{InputSequence, ProgramFinding};
use crate::server::{Server, TestEnding};
use crate::target::Limits;

/// What is wrong with the program although its tests came back.
pub fn confirm(
    builder: &ProgramBuilder,
    tests: &[InputSequence],
    outputs: usize,
    limits: &Limits,
) -> Result<Vec<ProgramFinding>, MiningError> {
    let server = |build| -> Result<Server, MiningError> {
        Ok(Server::new(&builder.build(build)?, outputs, limits, TestEnding::Quick))
    };
    let mut sanitized = server(Build::Sanitized)?;
    let (mut zeros, mut pattern) = (server(Build::Zeros)?, server(Build::Pattern)?);
    let mut findings: Vec<ProgramFinding> = Vec::new();
    let mut note = |stop: StepFailure, test: &[Vec<i64>]| {
        let known = |finding: &ProgramFinding| finding.stop == stop;
        if !findings.iter().any(known) {
            findings.push(ProgramFinding { stop, test: test.to_vec() });
        }
    };
    for test in tests {
        let run = sanitized.run(test)?;
        if matches!(run.stop, Some(StepFailure::Silent(_))) {
            let reason = "the program does not start when it is built with sanitizers";
            return Err(MiningError::new(
                reason,
                "use `--no-sanitize`, or look at the file `sanitized.stderr` beside the build",
            ));
        }
        if let Some(stop @ StepFailure::Sanitizer(_)) = run.stop {
            note(stop, &test[..test.len().min(run.outputs.len() + 1)]);
        }
        let (zero, filled) = (zeros.run(test)?, pattern.run(test)?);
        if let Some(step) = differs(&zero, &filled) {
            let text = "outputs depend on memory that was never written".to_string();
            note(StepFailure::Sanitizer(text), &test[..test.len().min(step + 1)]);
        }
    }
    Ok(findings)
}

/// The first step in which two runs differ.
fn differs(a: &ProgramRun, b: &ProgramRun) -> Option<usize> {
    let alike = a.outputs.iter().zip(&b.outputs).take_while(|(a, b)| a == b).count();
    let whole = alike == a.outputs.len() && alike == b.outputs.len() && a.stop == b.stop;
    (!whole).then_some(alike)
}
