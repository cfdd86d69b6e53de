//! The numbers that verdicts hold for.

use provoke_results::{NumbersResult, NumbersWord, VerdictResult};

/// Says which numbers were computed with, where they are a machine's, and what proofs leave open there.
pub(super) fn numbers(numbers: Option<&NumbersResult>, verdicts: &[VerdictResult]) -> String {
    let Some(NumbersResult { int, real }) = numbers else { return String::new() };
    let mut text = format!("  in the numbers of C: integers of {int} bits, {real}\n");
    let finite = |verdict: &&VerdictResult| verdict.numbers == Some(NumbersWord::MachineFinite);
    let finite: Vec<&VerdictResult> = verdicts.iter().filter(finite).collect();
    if let Some(reason) = finite.first().and_then(|verdict| verdict.numbers_reason.as_ref()) {
        let count = finite.len();
        let (noun, verb) = if count == 1 { ("proof", "holds") } else { ("proofs", "hold") };
        text += &format!("  {count} {noun} {verb} for finite runs only: {reason}\n");
    }
    text
}
