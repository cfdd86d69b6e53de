//! Where two JSON values differ, field by field.

use std::fmt::Write;

use serde_json::Value;

/// One field that is not the same in two values.
#[derive(Clone, PartialEq, Debug)]
pub struct FieldDifference {
    /// The way to it: `options.effort`, `steps[3].in.x`; `value` if the values differ as a whole.
    pub field: String,
    /// What the first value has there.
    pub first: Option<Value>,
    /// What the second value has there.
    pub second: Option<Value>,
}

impl FieldDifference {
    /// One clause: `` `effort` is 100 in the store and 200 in this run ``.
    pub fn describe(&self, first: &str, second: &str) -> String {
        let (one, other) = (shown(&self.first), shown(&self.second));
        format!("`{}` is {one} {first} and {other} {second}", self.field)
    }
}

/// All differences as one text; of many, the first few.
pub(crate) fn describe_all(differences: &[FieldDifference], first: &str, second: &str) -> String {
    const SHOWN: usize = 5;
    let clauses = differences.iter().take(SHOWN).map(|field| field.describe(first, second));
    let mut text = clauses.collect::<Vec<_>>().join("; ");
    if differences.len() > SHOWN {
        let _ = write!(text, "; and {} more", differences.len() - SHOWN);
    }
    text
}

/// Where two values differ, sorted by field; empty if they are equal.
pub(crate) fn differences(first: &Value, second: &Value) -> Vec<FieldDifference> {
    let mut found = Vec::new();
    compare("", Some(first), Some(second), &mut found);
    found.sort_by(|a, b| a.field.cmp(&b.field));
    found
}

fn compare(
    field: &str,
    first: Option<&Value>,
    second: Option<&Value>,
    found: &mut Vec<FieldDifference>,
) {
    match (first, second) {
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            let added = other.keys().filter(|key| !one.contains_key(*key));
            for key in one.keys().chain(added) {
                let dot = if field.is_empty() { "" } else { "." };
                compare(&format!("{field}{dot}{key}"), one.get(key), other.get(key), found);
            }
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) => {
            for index in 0..one.len().max(other.len()) {
                let name = format!("{field}[{index}]");
                compare(&name, one.get(index), other.get(index), found);
            }
        }
        _ if first == second => {}
        _ => {
            let field = if field.is_empty() { "value" } else { field }.to_string();
            found.push(FieldDifference { field, first: first.cloned(), second: second.cloned() });
        }
    }
}

fn shown(value: &Option<Value>) -> String {
    const LONGEST: usize = 80;
    let Some(value) = value else { return "absent".to_string() };
    let text = value.to_string();
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(first: Value, second: Value, expected: &str) {
        let found = differences(&first, &second);
        assert_eq!(describe_all(&found, "here", "there"), expected);
    }

    #[test]
    fn differences_are_named_by_the_way_to_them() {
        let one = json!({"model": "a", "options": {"effort": 100, "seed": 1}, "steps": [1, 2]});
        let other = json!({"model": "a", "options": {"effort": 200, "jobs": 2}, "steps": [1, 3]});
        let expected = "`options.effort` is 100 here and 200 there; \
                        `options.jobs` is absent here and 2 there; \
                        `options.seed` is 1 here and absent there; \
                        `steps[1]` is 2 here and 3 there";
        check(one, other, expected);
    }

    #[test]
    fn equal_values_in_another_order_do_not_differ() {
        check(json!({"a": 1, "b": [2]}), json!({"b": [2], "a": 1}), "");
    }

    #[test]
    fn many_differences_and_long_values_are_cut_short() {
        let list = |of: i32| Value::from((0..7).map(|i| i * of).collect::<Vec<_>>());
        let text = describe_all(&differences(&list(1), &list(2)), "here", "there");
        assert!(text.ends_with("; and 1 more"), "{text}");
        let long = differences(&json!("x".repeat(100)), &json!(1));
        assert_eq!(shown(&long[0].first).chars().count(), 81);
        assert_eq!(long[0].field, "value");
    }
}
