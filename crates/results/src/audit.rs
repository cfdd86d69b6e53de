//! What `audit` says.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::Schema;
use crate::word::{ClaimWord, DoubtWord};

/// What an audit of an output folder found.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Audit {
    /// The name of the contract.
    pub schema: Schema<Audit>,
    /// The main node.
    pub model: String,
    /// All covered, infeasible, holds, violated, killed and equivalent verdicts.
    pub claims: usize,
    /// Those that are true.
    pub confirmed: usize,
    /// Those that are false, and whatever else in the folder is.
    pub refuted: usize,
    /// Those of which neither is known.
    pub unconfirmed: usize,
    /// Why.
    pub reasons: DoubtsResult,
    /// Of those that are confirmed: by Z3 and by no other solver.
    pub by_z3_alone: usize,
    /// The solvers that proofs were checked with; empty if none was needed.
    pub solver: String,
    /// How long it took.
    pub seconds: f64,
    /// The same numbers for each kind of claim.
    pub kinds: Vec<ClaimsResult>,
    /// How many tests were run again.
    pub tests: usize,
    /// How many steps they have.
    pub steps: usize,
    /// The model against its flat texts.
    pub flattening: FlatteningResult,
    /// What was audited: the SHA-256 of each file, by name. Older audits do not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<BTreeMap<String, String>>,
    /// What is false and what is not known, with the reason.
    pub findings: Vec<ClaimResult>,
}

/// How many claims are not confirmed for which reason.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, PartialEq, Debug, Default)]
pub struct DoubtsResult {
    /// Nothing that shows it is written down, or what is does not show it.
    pub uncertified: usize,
    /// No solver could tell.
    pub undecided: usize,
    /// There was no time or room left.
    pub limit: usize,
}

/// The numbers of one kind of claim.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct ClaimsResult {
    /// What the claims say.
    pub verdict: ClaimWord,
    /// How many there are.
    pub claims: usize,
    /// Those that are true.
    pub confirmed: usize,
    /// Those that are false.
    pub refuted: usize,
    /// The rest.
    pub unconfirmed: usize,
}

/// The comparison of the model with its flat texts.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Default)]
pub struct FlatteningResult {
    /// How many random steps were compared.
    pub steps: usize,
    /// With which texts.
    pub forms: Vec<String>,
    /// A difference and the inputs that show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<String>,
}

/// A claim that is not confirmed.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct ClaimResult {
    /// What it says; absent if the folder as a whole is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<ClaimWord>,
    /// Of what.
    pub id: String,
    /// Whether it is false; else it is not known.
    pub refuted: bool,
    /// Why it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<DoubtWord>,
    /// The reason in words.
    pub reason: String,
}
