//! What is left of a suite.

use super::expectations::expectations;
use provoke_results::{Reduce, SizeResult};

/// How large a suite was and is. `unit` says what is counted, `written` where the new one is.
pub fn reduce(result: &Reduce, unit: &str, written: Option<&str>) -> String {
    let SizeResult { tests, steps } = result.before;
    let mut text = format!(
        "{}: {tests} tests, {steps} steps -> {} tests, {} steps ({})\n  {} obligations ({}) stay covered\n",
        result.model,
        result.after.tests,
        result.after.steps,
        result.method,
        result.covered,
        result.criterion
    );
    if let (Some(optimal), Some(bound)) = (result.optimal, result.lower_bound) {
        text += &match optimal {
            true => format!("  optimal: no choice of these tests has fewer than {bound} {unit}\n"),
            false => {
                format!("  no choice has fewer than {bound} {unit}; --effort may close the gap\n")
            }
        };
    }
    if let (Some(least), Some(most)) = (result.sizes.first(), result.sizes.last()) {
        let mean = result.sizes.iter().sum::<usize>() as f64 / result.sizes.len() as f64;
        let runs = result.sizes.len();
        text += &format!("  {runs} runs: {least} to {most} tests, {mean:.2} on average\n");
    }
    if let Some(path) = written {
        text += &format!("  written to {path}\n");
    }
    text + &expectations(&result.expectations, &result.differences)
}
