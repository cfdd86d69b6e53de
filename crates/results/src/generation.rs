//! Obligations, their witnesses and proofs, and the tests, as the page needs them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::design::DesignErrorsResult;
use crate::expectations::ExpectationDifference;
use crate::generate::{EffectResult, RedundantResult};
use crate::prove::PropertyResult;
use crate::word::{GradeWord, KindWord, RoleWord, StateWord, TypeWord};

/// What `generate`, `prove` or `measure` found, measured again on its own tests.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Generation {
    /// Where it comes from.
    pub from: String,
    /// The model's file.
    pub model: String,
    /// The main node.
    pub node: String,
    /// The text of the model.
    pub source: String,
    /// What was asked for and how, in the order it is shown.
    pub settings: Vec<(String, String)>,
    /// Whether a suite was measured, and nothing searched for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub measured: bool,
    /// The obligations.
    pub obligations: Vec<ObligationEvidence>,
    /// What became of the design errors; absent if they were not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<DesignErrorsResult>,
    /// The variables that waves are drawn of.
    pub signals: Vec<WaveSignal>,
    /// The tests.
    pub tests: Vec<Test>,
}

/// One obligation and what became of it.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct ObligationEvidence {
    /// The stable id.
    pub id: String,
    /// The criterion that asks for it; `properties` for the model's own.
    pub criterion: String,
    /// What it is about.
    pub kind: KindWord,
    /// The value to be seen.
    pub outcome: bool,
    /// The variable whose equation holds the expression.
    pub variable: String,
    /// The expression as text.
    pub expression: String,
    /// The node it is written in.
    pub node: String,
    /// The path of the node instance, empty for the main node.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instance: String,
    /// The line it starts on.
    pub line: usize,
    /// The column it starts at.
    pub column: usize,
    /// Where the expression starts in the text, in UTF-16 units as browsers count.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What is known.
    pub state: StateWord,
    /// How a test achieves it, or how near one comes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<Witness>,
    /// Why no test can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// Why it is not covered, unknown or excluded, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// In this many first steps it cannot be covered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    /// What is undefined in the first step and which values it has to have there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undefined: Vec<String>,
    /// What a property says, and the counterexample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<PropertyResult>,
    /// How far it is shown that the condition matters, where that is graded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<GradeWord>,
    /// Whether it is seen when the condition is wrong in one step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<EffectResult>,
    /// Whether it is seen when the condition is always wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stuck: Option<EffectResult>,
    /// Why a constant can replace the condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redundant: Option<RedundantResult>,
    /// The last variable that differs when the condition is wrong, where no output does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_differing: Option<String>,
    /// The two steps that show that the condition decides, for MC/DC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<IndependencePair>,
    /// The same in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub says: Vec<String>,
}

/// How a test exercises an obligation.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Witness {
    /// The test's position.
    pub test: usize,
    /// The step at which it is exercised, counted from 1.
    pub exercised: usize,
    /// What follows from it.
    #[serde(flatten)]
    pub way: Way,
    /// What the variables on the way are worth when the condition is wrong, where that was run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Wave>,
}

/// Two steps that show that a condition decides: it is true in one and false in the other.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Eq)]
pub struct IndependencePair {
    /// The test in which it is true, and the step, counted from 1.
    pub when_true: (String, usize),
    /// The test in which it is false, and the step.
    pub when_false: (String, usize),
    /// Whether all other conditions of the equation have the same values in both.
    pub unique_cause: bool,
}

/// How far the effect comes.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// It becomes visible along these variables, the monitored one last.
    Path(Vec<Visit>),
    /// It ends at this step, on this line.
    Masked {
        /// The step, counted from 1.
        step: usize,
        /// The line of the source, if there is one place.
        line: Option<usize>,
    },
    /// It was still on its way when the test ended.
    Waiting {
        /// The last step.
        step: usize,
    },
}

/// A variable at a step.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Copy, Eq)]
pub struct Visit(
    /// The signal's position.
    pub usize,
    /// The step, counted from 1.
    pub usize,
);

/// Why no test can cover an obligation.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Eq)]
pub struct Proof {
    /// The engine.
    pub engine: String,
    /// The depth of the induction.
    pub k: usize,
    /// How many lemmas it stands on.
    pub lemmas: usize,
    /// Whether `certificates.txt` has what it takes to check it.
    pub certified: bool,
}

/// A variable that waves are drawn of.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Eq)]
pub struct WaveSignal {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: TypeWord,
    /// What it is to a tester.
    pub role: RoleWord,
}

/// A test with what is known of it.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// How many steps it has.
    pub steps: usize,
    /// The positions of the obligations it is a witness of.
    pub covers: Vec<usize>,
    /// The ids of the requirements that it is for, as its author says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<String>,
    /// Where it expects something else than the model computes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<ExpectationDifference>,
    /// The values of signals.
    pub waves: Vec<Wave>,
}

/// The values of a signal in a test: value, number of steps, value, number of steps, ...
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Wave(
    /// The signal's position.
    pub usize,
    /// The values.
    pub Vec<WaveValue>,
);

/// What a wave shows: a value, or a number of steps.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
#[serde(untagged)]
pub enum WaveValue {
    /// Undefined.
    Unknown(()),
    /// A small number; 0 and 1 for `bool`.
    Number(i64),
    /// Any other value.
    Text(String),
}

/// Equal neighbours as one value and their number.
pub fn run_lengths(values: impl IntoIterator<Item = WaveValue>) -> Vec<WaveValue> {
    let mut runs: Vec<(WaveValue, i64)> = Vec::new();
    for value in values {
        match runs.last_mut() {
            Some((last, count)) if *last == value => *count += 1,
            _ => runs.push((value, 1)),
        }
    }
    runs.into_iter().flat_map(|(value, count)| [value, WaveValue::Number(count)]).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn equal_neighbours_become_one() {
        let values = [1, 1, 2, 1].map(|number| match number {
            2 => WaveValue::Unknown(()),
            number => WaveValue::Number(number),
        });
        assert_eq!(json!(run_lengths(values)), json!([1, 2, null, 1, 1, 1]));
        assert!(run_lengths([]).is_empty());
    }

    #[test]
    fn a_witness_is_flat_in_the_page() {
        let witness = Witness {
            test: 2,
            exercised: 3,
            way: Way::Path(vec![Visit(7, 4)]),
            changed: Vec::new(),
        };
        let expected = json!({"test": 2, "exercised": 3, "path": [[7, 4]]});
        assert_eq!(serde_json::to_value(witness).unwrap(), expected);
    }
}
