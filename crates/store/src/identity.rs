//! What the run of a store is.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::difference::{FieldDifference, differences};
use crate::key::BUILD;

/// The name of the store's format.
pub const SCHEMA: &str = "provoke/store/1";

/// The member of a run that says which part of the plan it takes.
const SHARD: &str = "shard";

/// What a run is: whatever must be the same for results to belong together, such as the schema
/// of the records, the hash of the model, criterion, method, options and seed.
#[derive(Clone, PartialEq, Debug)]
pub struct RunIdentity {
    run: Value,
    volatile: BTreeSet<String>,
}

impl RunIdentity {
    /// The run described by a JSON object; its member `shard`, if any, is set aside in a merge.
    pub fn new(run: Value) -> RunIdentity {
        assert!(run.is_object(), "a run is described by a JSON object, not by {run}");
        RunIdentity { run, volatile: BTreeSet::new() }
    }

    /// Names members of a payload, such as `seconds`, that may differ between equal records.
    pub fn volatile(mut self, members: &[&str]) -> RunIdentity {
        self.volatile = members.iter().map(|name| name.to_string()).collect();
        self
    }

    /// The description of the run.
    pub fn run(&self) -> &Value {
        &self.run
    }

    /// Which part of the plan the run takes, if it says so.
    pub fn shard(&self) -> Option<&Value> {
        self.run.get(SHARD)
    }

    pub(crate) fn volatile_members(&self) -> &BTreeSet<String> {
        &self.volatile
    }

    /// The run that this one is a part of.
    pub(crate) fn whole(&self) -> RunIdentity {
        let mut whole = self.clone();
        if let Value::Object(members) = &mut whole.run {
            members.shift_remove(SHARD);
        }
        whole
    }

    /// Where two runs differ.
    pub(crate) fn differences(&self, other: &RunIdentity) -> Vec<FieldDifference> {
        let mut found = differences(&self.run, &other.run);
        if self.volatile != other.volatile {
            let list = |identity: &RunIdentity| Some(json!(identity.volatile));
            let (first, second) = (list(self), list(other));
            found.push(FieldDifference { field: "volatile".into(), first, second });
        }
        found
    }

    /// The text of `store.json`.
    pub(crate) fn text(&self) -> String {
        let mut file = json!({
            "schema": SCHEMA, "build": BUILD, "volatile": self.volatile, "run": self.run,
        });
        file.sort_all_objects();
        serde_json::to_string_pretty(&file).expect("a JSON value has a JSON text") + "\n"
    }

    /// Reads the text of `store.json`, or says what is wrong with it.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<RunIdentity, String> {
        let file: Value = serde_json::from_slice(bytes)
            .map_err(|error| format!("store.json cannot be read: {error}"))?;
        match file.get("schema").and_then(Value::as_str) {
            Some(SCHEMA) => {}
            Some(other) => return Err(format!("the schema {other:?} is not known")),
            None => return Err("store.json has no schema".into()),
        }
        let run = file.get("run").filter(|run| run.is_object());
        let run = run.ok_or("store.json does not say what the run is")?.clone();
        let names = file.get("volatile").and_then(Value::as_array);
        let name = |name: &Value| name.as_str().map(str::to_string);
        let volatile = names.and_then(|names| names.iter().map(name).collect());
        let volatile = volatile.ok_or("store.json does not list the volatile members")?;
        Ok(RunIdentity { run, volatile })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_read_back_as_it_was_written() {
        let run = json!({"model": "ab", "options": {"seed": 1, "effort": 100}, "shard": "1/4"});
        let identity = RunIdentity::new(run).volatile(&["timing", "seconds"]);
        assert_eq!(RunIdentity::from_bytes(identity.text().as_bytes()), Ok(identity.clone()));
        assert_eq!(identity.shard(), Some(&json!("1/4")));
        assert_eq!(identity.whole().shard(), None);
    }

    #[test]
    fn the_text_does_not_depend_on_the_order_of_fields() {
        let one = RunIdentity::new(json!({"a": {"x": 1, "y": 2}, "b": 3}));
        let other = RunIdentity::new(json!({"b": 3, "a": {"y": 2, "x": 1}}));
        assert_eq!(one.text(), other.text());
        assert_eq!(one.differences(&other), []);
    }

    #[test]
    fn what_is_wrong_with_the_file_is_said() {
        let cases = [
            ("", "store.json cannot be read: EOF while parsing a value at line 1 column 0"),
            ("[]", "store.json has no schema"),
            (r#"{"schema": "provoke/store/9"}"#, "the schema \"provoke/store/9\" is not known"),
            (
                r#"{"schema": "provoke/store/1", "run": 1}"#,
                "store.json does not say what the run is",
            ),
            (
                r#"{"schema": "provoke/store/1", "run": {}, "volatile": [1]}"#,
                "store.json does not list the volatile members",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(RunIdentity::from_bytes(text.as_bytes()).unwrap_err(), expected);
        }
    }
}
