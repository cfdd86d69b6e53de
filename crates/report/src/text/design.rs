//! Design errors with their places and verdicts.

use provoke_base::table::{aligned, one_line, shortened};
use provoke_results::{DesignErrorResult, DesignErrorsResult, DesignVerdictWord};

/// How many design errors are listed.
const MAX_LISTED: usize = 100;

/// How long an expression is where it shares a line with its verdict.
const MAX_EXPRESSION: usize = 44;

/// How many inputs of a step are shown, and how long each is.
const MAX_INPUTS: usize = 4;
const MAX_INPUT: usize = 32;

/// How many there are of each verdict, and what is known of each, the worst first.
pub(super) fn design_errors(model: &str, errors: &DesignErrorsResult) -> String {
    let DesignErrorsResult { int, real, total, reached, absent, unknown, .. } = errors;
    let mut text = format!(
        "\ndesign errors ({int}-bit integers, {real}): {reached} reached, {absent} absent, \
         {unknown} unknown\n"
    );
    let verdicts =
        [DesignVerdictWord::Reached, DesignVerdictWord::Unknown, DesignVerdictWord::Absent];
    let sorted = verdicts
        .iter()
        .flat_map(|word| errors.list.iter().filter(move |error| error.verdict == *word));
    let rows: Vec<Vec<String>> = sorted.take(MAX_LISTED).map(|error| row(model, error)).collect();
    text += &aligned(&rows);
    if *total > MAX_LISTED {
        text += &format!("  ... and {} more; `--format json` lists all\n", total - MAX_LISTED);
    }
    if !errors.unlimited_inputs.is_empty() {
        let names = shortened(&errors.unlimited_inputs.join(", "), 60);
        text += &format!(
            "  inputs without a range that they depend on: {names}; declare a subrange, or assert \
             their bounds\n"
        );
    }
    if !errors.suite.is_empty() && *reached > 0 {
        text += &format!("  runs that reach them are in {}\n", errors.suite);
    }
    text
}

fn row(model: &str, error: &DesignErrorResult) -> Vec<String> {
    let place = format!("{model}:{}:{}", error.line, error.column);
    let expression = shortened(&one_line(&error.expression), MAX_EXPRESSION);
    vec![format!("  {}", error.kind), expression, place, verdict_words(error)]
}

/// A verdict, and how one knows.
fn verdict_words(error: &DesignErrorResult) -> String {
    let reason = error.reason.as_deref().unwrap_or_default();
    match error.verdict {
        DesignVerdictWord::Reached => {
            let step = error.step.unwrap_or(0);
            format!("reached in step {step}{}", last_inputs(error))
        }
        DesignVerdictWord::Absent => {
            let engine = error.engine.as_deref().unwrap_or_default();
            match error.k.unwrap_or(0) {
                0 => format!("absent (proven by {engine})"),
                k => format!("absent (proven by {engine}, k = {k})"),
            }
        }
        DesignVerdictWord::Unknown => match (error.depth.unwrap_or(0), reason) {
            (0, "") => "unknown".to_string(),
            (0, reason) => format!("unknown: {reason}"),
            (1, _) => "unknown: not in the first step".to_string(),
            (depth, _) => format!("unknown: not in the first {depth} steps"),
        },
    }
}

/// What the inputs are in the step in which it goes wrong.
fn last_inputs(error: &DesignErrorResult) -> String {
    let shown: Vec<String> = error
        .inputs
        .iter()
        .take(MAX_INPUTS)
        .filter_map(|input| Some((input, input.values.last()?)))
        .map(|(input, value)| format!("{} = {}", input.name, shortened(value, MAX_INPUT)))
        .collect();
    let more = if error.inputs.len() > MAX_INPUTS { ", ..." } else { "" };
    if shown.is_empty() { String::new() } else { format!(": {}{more}", shown.join(", ")) }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use provoke_results::{DesignErrorInput, DesignErrorWord, MachineIntWord, MachineRealWord};

    use super::*;

    fn error(expression: &str, verdict: DesignVerdictWord) -> DesignErrorResult {
        DesignErrorResult {
            id: format!("overflow:{expression}"),
            kind: DesignErrorWord::Overflow,
            expression: expression.to_string(),
            line: 3,
            column: 7,
            instance: String::new(),
            verdict,
            test: None,
            step: None,
            inputs: Vec::new(),
            engine: None,
            k: None,
            lemmas: None,
            reason: None,
            depth: None,
        }
    }

    #[test]
    fn the_worst_is_listed_first_with_its_place_and_how_one_knows() {
        let engine = Some("k-induction".to_string());
        let absent =
            DesignErrorResult { engine, k: Some(1), ..error("n + 1", DesignVerdictWord::Absent) };
        let unknown =
            DesignErrorResult { depth: Some(20), ..error("m * m", DesignVerdictWord::Unknown) };
        let values = vec!["0".to_string(), "9".to_string()];
        let inputs = vec![DesignErrorInput { name: "a".to_string(), values }];
        let (step, test) = (Some(2), Some("e1".to_string()));
        let reached =
            DesignErrorResult { step, test, inputs, ..error("a + b", DesignVerdictWord::Reached) };
        let list = vec![absent, unknown, reached];
        let (int, real) = (MachineIntWord::Bits32, MachineRealWord::Double);
        let mut errors = DesignErrorsResult::new(int, real, list);
        errors.unlimited_inputs = vec!["a".to_string()];
        expect![[r#"

            design errors (32-bit integers, double): 1 reached, 1 absent, 1 unknown
              overflow  a + b  m.lus:3:7  reached in step 2: a = 9
              overflow  m * m  m.lus:3:7  unknown: not in the first 20 steps
              overflow  n + 1  m.lus:3:7  absent (proven by k-induction, k = 1)
              inputs without a range that they depend on: a; declare a subrange, or assert their bounds
        "#]]
        .assert_eq(&design_errors("m.lus", &errors));
    }
}
