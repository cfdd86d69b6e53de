//! What a simulation was compared with.

use provoke_results::{BreachResult, BreachWord, Simulate};

/// How many differences are listed.
const MAX_LISTED: usize = 20;

/// Where values differ from what is expected, and how many were compared.
pub fn simulate(result: &Simulate) -> String {
    let mut text = String::new();
    for d in result.differences.iter().take(MAX_LISTED) {
        text += &format!(
            "{}, step {}: {} is {}, expected {}\n",
            d.test, d.step, d.variable, d.found, d.expected
        );
    }
    if result.differences.len() > MAX_LISTED {
        text += &format!("... {} more\n", result.differences.len() - MAX_LISTED);
    }
    let Simulate { steps, compared, undefined, differences, .. } = result;
    let differences = differences.len();
    text + &format!(
        "{steps} steps, {compared} values compared, {undefined} undefined, {differences} differences\n"
    )
}

/// Where a test leaves what the model assumes.
pub fn breach(breach: &BreachResult) -> String {
    let BreachResult { step, what, line, kind } = breach;
    match kind {
        BreachWord::Assumption => {
            format!("step {step}: outside the model's assumption `{what}` (line {line})")
        }
        BreachWord::Range => {
            format!("step {step}: `{what}` is outside its subrange (line {line})")
        }
    }
}
