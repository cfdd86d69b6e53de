//! What tests expect, against what the model computes.

use provoke_base::table::{aligned, shortened};
use provoke_results::{ExpectationDifference, ExpectationsResult};

/// How many differences are listed.
const MAX_LISTED: usize = 20;

/// How long a value may be there.
const MAX_CHARACTERS: usize = 30;

/// How many expected values were compared, and where they differ; nothing if there are none.
pub(super) fn expectations(
    totals: &ExpectationsResult,
    differences: &[ExpectationDifference],
) -> String {
    let ExpectationsResult { compared, undefined, outside } = *totals;
    if totals.is_empty() && differences.is_empty() {
        return String::new();
    }
    let mut text = format!("\nexpected values: {compared} compared");
    if undefined > 0 {
        text += &format!(", {undefined} undefined in the model");
    }
    if outside > 0 {
        text += &format!(", {outside} outside the assumptions");
    }
    match differences.len() {
        0 => text + "; none differs\n",
        count => {
            let differ = if count == 1 { "differs" } else { "differ" };
            text + &format!("; {count} {differ} from the model:\n{}", listed(differences))
        }
    }
}

fn listed(differences: &[ExpectationDifference]) -> String {
    let heading = ["  test", "step", "variable", "expected", "computed"].map(String::from);
    let row = |one: &ExpectationDifference| {
        let value = |text: &str| shortened(text, MAX_CHARACTERS);
        vec![
            format!("  {}", one.test),
            one.step.to_string(),
            one.variable.clone(),
            value(&one.expected),
            value(&one.computed),
        ]
    };
    let rows = differences.iter().take(MAX_LISTED).map(row);
    let rows: Vec<Vec<String>> = std::iter::once(heading.to_vec()).chain(rows).collect();
    let rest = match differences.len().saturating_sub(MAX_LISTED) {
        0 => String::new(),
        more => format!("  ... and {more} more; `--format json` lists all\n"),
    };
    let advice = "  the tests stay as they are: correct the expected value, or the model\n";
    format!("{}{rest}{advice}", aligned(&rows))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn differing(step: usize) -> ExpectationDifference {
        ExpectationDifference {
            test: "brake late".into(),
            step,
            variable: "alarm".into(),
            expected: "true".into(),
            computed: "false".into(),
        }
    }

    #[test]
    fn nothing_is_said_where_nothing_is_expected() {
        assert_eq!(expectations(&ExpectationsResult::default(), &[]), "");
    }

    #[test]
    fn a_difference_names_test_step_variable_and_both_values() {
        let totals = ExpectationsResult { compared: 9, undefined: 1, outside: 2 };
        expect![[r#"

            expected values: 9 compared, 1 undefined in the model, 2 outside the assumptions; 1 differs from the model:
              test        step  variable  expected  computed
              brake late  3     alarm     true      false
              the tests stay as they are: correct the expected value, or the model
        "#]]
        .assert_eq(&expectations(&totals, &[differing(3)]));
    }

    #[test]
    fn of_many_differences_the_first_are_listed() {
        let totals = ExpectationsResult { compared: 30, ..ExpectationsResult::default() };
        let many: Vec<ExpectationDifference> = (1..=25).map(differing).collect();
        let text = expectations(&totals, &many);
        assert!(text.contains("25 differ from the model"), "{text}");
        assert!(text.contains("... and 5 more; `--format json` lists all"), "{text}");
        assert_eq!(text.matches("brake late").count(), 20);
    }
}
