//! A suite as it is written in JSON.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::Schema;
use crate::numbers::NumbersResult;

/// Tests with the interface that they are written for.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Default)]
pub struct SuiteResult {
    /// The name of the contract.
    pub schema: Schema<SuiteResult>,
    /// The main node.
    pub model: String,
    /// The machine's numbers that it was made for; absent for exact ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<NumbersResult>,
    /// The enumerations that signals have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub enums: Vec<EnumResult>,
    /// What tests set.
    pub inputs: Vec<SuiteSignal>,
    /// What tests expect.
    pub outputs: Vec<SuiteSignal>,
    /// The tests.
    pub tests: Vec<SuiteTest>,
}

/// An enumeration.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct EnumResult {
    /// Its name.
    pub name: String,
    /// Its constants in their order.
    pub constants: Vec<String>,
}

/// A signal.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct SuiteSignal {
    /// Its name.
    pub name: String,
    /// `bool`, `int`, `real`, `subrange [0, 9] of int` or `enum {A, B}`.
    #[serde(rename = "type")]
    pub ty: String,
    /// The name of its enumeration.
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

/// One test.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct SuiteTest {
    /// Its name.
    pub name: String,
    /// The obligations that it covers.
    pub covers: Vec<String>,
    /// The ids of the requirements that it is for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<String>,
    /// Its steps, in their order.
    pub steps: Vec<SuiteStep>,
}

/// One step, or steps that repeat.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
#[serde(untagged)]
pub enum SuiteStep {
    /// These steps, so often.
    Repeated {
        /// How often.
        repeat: usize,
        /// The steps.
        steps: Vec<SuiteValues>,
    },
    /// One step.
    Single(SuiteValues),
}

/// The values of a step; a signal without one, or with `null`, is of no interest.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct SuiteValues {
    /// What is set.
    #[serde(rename = "in", default)]
    pub inputs: IndexMap<String, SuiteValue>,
    /// What is expected.
    #[serde(rename = "out", default)]
    pub outputs: IndexMap<String, SuiteValue>,
}

/// A value; integers beyond 2^53, fractions and constants are texts.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
#[serde(untagged)]
pub enum SuiteValue {
    /// Of no interest.
    Any(()),
    /// Of a `bool`.
    Bool(bool),
    /// Of an `int`, or of a `real` without a fraction.
    Int(i64),
    /// Of a `real`.
    Real(f64),
    /// `"1/3"`, `"ON"`
    Text(String),
}
