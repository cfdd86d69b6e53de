//! What an output folder says, read as plain JSON: nothing in it is believed yet.

use std::collections::BTreeMap;
use std::fmt;

use provoke_model::Value;
use serde::Deserialize;
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use crate::instances::{Model, VarId};

/// The files of an output folder, as bytes; those that are not there are absent.
#[derive(Clone, Default, Debug)]
pub struct Folder {
    /// `model.lus`
    pub model: Option<Vec<u8>>,
    /// `suite.json`
    pub suite: Option<Vec<u8>>,
    /// `settings.json`, of generate and prove
    pub settings: Option<Vec<u8>>,
    /// `verdicts.json`, of generate and prove
    pub verdicts: Option<Vec<u8>>,
    /// `mutants.json`, of mutate
    pub mutants: Option<Vec<u8>>,
    /// `certificates.txt`
    pub certificates: Option<Vec<u8>>,
}

impl Folder {
    /// The SHA-256 of each file, by name.
    pub fn hashes(&self) -> BTreeMap<&'static str, String> {
        let files = [
            ("model.lus", &self.model),
            ("suite.json", &self.suite),
            ("settings.json", &self.settings),
            ("verdicts.json", &self.verdicts),
            ("mutants.json", &self.mutants),
            ("certificates.txt", &self.certificates),
        ];
        files
            .into_iter()
            .filter_map(|(name, bytes)| Some((name, sha256(bytes.as_ref()?))))
            .collect()
    }
}

/// A folder that cannot be audited: what is wrong with which file, and what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The file.
    pub file: &'static str,
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    pub help: String,
}

impl Damage {
    pub(crate) fn new(file: &'static str, problem: impl Into<String>) -> Damage {
        let help = "run the command that wrote the folder again".to_string();
        Damage { file, problem: problem.into(), help }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.problem)
    }
}

/// What a run was asked to do, as far as claims depend on it.
#[derive(Deserialize, Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) main: String,
    pub(crate) criterion: String,
    pub(crate) counting: String,
    pub(crate) masking: String,
    pub(crate) monitored: Vec<String>,
    #[serde(default)]
    pub(crate) as_published: bool,
    #[serde(default)]
    pub(crate) assumptions: Vec<String>,
    pub(crate) model_sha256: String,
    /// How tests were found; `measured` if they were given.
    #[serde(default)]
    method: String,
    #[serde(default)]
    interrupted: bool,
    exact: Option<String>,
    /// The machine's numbers; absent for exact ones.
    pub(crate) numbers: Option<serde_json::Value>,
}

impl Settings {
    /// Whether the tests are the user's, who may expect as little as they like.
    pub(crate) fn is_measured(&self) -> bool {
        self.method == "measured"
    }
}

#[derive(Deserialize)]
pub(crate) struct Verdicts {
    model: String,
    criterion: String,
    assumptions: Vec<String>,
    exact: Option<String>,
    pub(crate) verdicts: Vec<Verdict>,
    #[serde(default)]
    pub(crate) errors: Option<DesignErrors>,
}

/// What is said of design errors.
#[derive(Deserialize, Clone, Debug)]
pub(crate) struct DesignErrors {
    pub(crate) int: String,
    pub(crate) real: String,
    pub(crate) total: usize,
    pub(crate) reached: usize,
    pub(crate) absent: usize,
    pub(crate) list: Vec<DesignError>,
}

/// What is said of one of them.
#[derive(Deserialize, Clone, Debug)]
pub(crate) struct DesignError {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) expression: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) instance: String,
    pub(crate) verdict: String,
    #[serde(default)]
    pub(crate) step: usize,
    #[serde(default)]
    pub(crate) inputs: Vec<DesignErrorInput>,
}

/// An input of the run that is said to reach it, as text.
#[derive(Deserialize, Clone, Debug)]
pub(crate) struct DesignErrorInput {
    pub(crate) name: String,
    pub(crate) values: Vec<String>,
}

impl Verdicts {
    /// What they say of the run and the settings, by which they are judged, do not.
    pub(crate) fn contradictions(&self, settings: &Settings) -> Vec<String> {
        let told = [
            ("model", self.model == settings.main),
            ("criterion", self.criterion == settings.criterion),
            ("assumptions", self.assumptions == settings.assumptions),
            ("exact", self.exact == settings.exact),
            ("interrupted", !settings.interrupted || self.leaves_something(settings)),
            ("method", !settings.is_measured() || !self.proves_something()),
        ];
        let differs = told.into_iter().filter(|(_, same)| !same);
        differs
            .map(|(what, _)| format!("verdicts.json and settings.json differ in `{what}`"))
            .collect()
    }

    /// Whether something is not decided: a run that has decided everything is not interrupted.
    fn leaves_something(&self, settings: &Settings) -> bool {
        let is_open =
            |verdict: &Verdict| ["unknown", "tag-only"].contains(&verdict.verdict.as_str());
        settings.criterion.contains("mutants") || self.verdicts.iter().any(is_open)
    }

    /// Whether there are proofs: to measure a suite proves nothing.
    fn proves_something(&self) -> bool {
        let is_proof = |verdict: &Verdict| {
            ["infeasible", "redundant", "holds"].contains(&verdict.verdict.as_str())
        };
        self.verdicts.iter().any(is_proof)
    }
}

/// What is said of one obligation or property.
#[derive(Deserialize, Clone, Debug)]
pub(crate) struct Verdict {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) kind: String,
    pub(crate) verdict: String,
    pub(crate) test: Option<String>,
    #[serde(default)]
    pub(crate) undefined: Vec<Undefined>,
    #[serde(default)]
    pub(crate) property: Option<PropertyClaim>,
    /// How far it is shown that the condition matters, where that is graded.
    pub(crate) grade: Option<String>,
    pub(crate) step: Option<EffectClaim>,
    pub(crate) stuck: Option<EffectClaim>,
    pub(crate) redundant: Option<RedundantClaim>,
    pub(crate) tag: Option<TagClaim>,
}

/// Where a tag is said to arrive first.
#[derive(Deserialize, Clone, Debug)]
pub(crate) struct TagClaim {
    pub(crate) test: String,
    pub(crate) step: usize,
}

/// What is said of a wrong value.
#[derive(Deserialize, Clone, Debug)]
pub(crate) struct EffectClaim {
    pub(crate) verdict: String,
    pub(crate) held: Option<bool>,
    pub(crate) test: Option<String>,
    #[serde(default)]
    pub(crate) changed_at: usize,
    #[serde(default)]
    pub(crate) seen_at: usize,
    pub(crate) output: Option<String>,
    pub(crate) value: Option<String>,
    pub(crate) changed_value: Option<String>,
    /// The step in which the changed run breaks an assumption.
    pub(crate) breaks: Option<usize>,
}

impl EffectClaim {
    /// Whether a test is said to show it.
    pub(crate) fn is_shown(&self) -> bool {
        self.verdict == "shown"
    }

    /// Whether it is said that no test can show it.
    pub(crate) fn is_impossible(&self) -> bool {
        self.verdict == "impossible"
    }

    /// Whether a run is named.
    pub(crate) fn names_a_run(&self) -> bool {
        let words = [&self.test, &self.output, &self.value, &self.changed_value];
        words.into_iter().any(Option::is_some)
            || self.changed_at + self.seen_at > 0
            || self.breaks.is_some()
    }
}

/// What is said of a condition that a constant can replace.
#[derive(Deserialize, Clone, Debug)]
pub(crate) struct RedundantClaim {
    pub(crate) constant: bool,
    pub(crate) form: String,
    pub(crate) because: String,
}

/// What is said of a violated property beside its verdict.
#[derive(Deserialize, Clone, Debug)]
pub(crate) struct PropertyClaim {
    /// The step in which it is false, counted from 1.
    pub(crate) step: Option<usize>,
}

/// A `pre` without a value in the first step, and one that it may have.
#[derive(Deserialize, Clone, Debug)]
pub(crate) struct Undefined {
    #[serde(default)]
    pub(crate) variable: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) value: String,
}

#[derive(Deserialize, Clone, Debug)]
pub(crate) struct Mutants {
    pub(crate) main: Option<String>,
    #[serde(default)]
    pub(crate) monitored: Vec<String>,
    #[serde(default)]
    pub(crate) assumptions: Vec<String>,
    pub(crate) model_sha256: Option<String>,
    /// The machine's numbers; absent for exact ones.
    pub(crate) numbers: Option<serde_json::Value>,
    #[serde(flatten)]
    pub(crate) totals: Totals,
    pub(crate) percent: f64,
    pub(crate) percent_nonequivalent: f64,
    pub(crate) tests: usize,
    pub(crate) steps: usize,
    pub(crate) operators: Vec<OperatorTotals>,
    pub(crate) results: Vec<MutantVerdict>,
}

/// How many mutants there are of each status.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Totals {
    pub(crate) mutants: usize,
    pub(crate) invalid: usize,
    pub(crate) killed: usize,
    pub(crate) equivalent: usize,
    pub(crate) survived: usize,
}

/// The same for the mutants of one operator.
#[derive(Deserialize, Clone, Debug)]
pub(crate) struct OperatorTotals {
    pub(crate) operator: String,
    #[serde(flatten)]
    pub(crate) totals: Totals,
}

/// A piece of a mutant's text: new, or bytes of the model's.
#[derive(Deserialize, Clone, Debug)]
#[serde(untagged)]
pub(crate) enum Piece {
    New { text: String },
    Written { from: usize, to: usize },
}

/// What is said of one mutant.
#[derive(Deserialize, Clone, Debug)]
pub(crate) struct MutantVerdict {
    pub(crate) id: String,
    pub(crate) operator: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) end_line: usize,
    pub(crate) end_column: usize,
    pub(crate) replacement: Option<String>,
    /// The replacement where it is long.
    #[serde(default)]
    pub(crate) pieces: Vec<Piece>,
    pub(crate) status: String,
    pub(crate) test: Option<String>,
    pub(crate) step: Option<usize>,
    /// All tests that kill it, if they were asked for.
    pub(crate) killed_by: Option<Vec<String>>,
}

/// One step of a test.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// In the order of the model's inputs.
    pub(crate) inputs: Vec<Value>,
    /// What is expected of which variable.
    pub(crate) expected: Vec<(Expected, Value)>,
}

/// A variable that a test compares, by its position among the suite's outputs.
pub(crate) type Expected = usize;

/// A test of the suite.
#[derive(Clone, Debug)]
pub(crate) struct Test {
    pub(crate) name: String,
    pub(crate) covers: Vec<String>,
    pub(crate) steps: Vec<Step>,
}

impl Test {
    /// The inputs of its first steps.
    pub(crate) fn inputs(&self, steps: usize) -> Vec<Vec<Value>> {
        self.steps[..steps].iter().map(|step| step.inputs.clone()).collect()
    }
}

/// The suite of a folder.
#[derive(Clone, Default, Debug)]
pub(crate) struct Suite {
    /// The names of what tests compare.
    pub(crate) outputs: Vec<String>,
    pub(crate) tests: Vec<Test>,
}

/// The bytes of a file that must be there.
pub(crate) fn required<'f>(
    file: &'static str,
    bytes: &'f Option<Vec<u8>>,
) -> Result<&'f [u8], Damage> {
    bytes.as_deref().ok_or_else(|| Damage::new(file, "the file is missing"))
}

/// A JSON file as a record.
pub(crate) fn json<'f, T: Deserialize<'f>>(
    file: &'static str,
    bytes: &'f [u8],
) -> Result<T, Damage> {
    serde_json::from_slice(bytes)
        .map_err(|error| Damage::new(file, format!("cannot be read: {error}")))
}

/// The SHA-256 of some bytes, as hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Refuses a model that is not the one the results are about.
pub(crate) fn same_model(bytes: &[u8], expected: &str) -> Result<(), Damage> {
    if *expected == sha256(bytes) {
        return Ok(());
    }
    let problem = "the model was changed after the results were written (SHA-256 differs)";
    let help = "restore the model, or run the command that wrote the folder again";
    Err(Damage { help: help.to_string(), ..Damage::new("model.lus", problem) })
}

const SUITE: &str = "suite.json";

/// Reads the suite for a model.
pub(crate) fn suite(bytes: &[u8], model: &Model) -> Result<Suite, Damage> {
    let file: Json = json(SUITE, bytes)?;
    let wrong = |what: &str| Damage::new(SUITE, what.to_string());
    let outputs = names(&file, "outputs").ok_or_else(|| wrong("`outputs` is missing"))?;
    for name in names(&file, "inputs").ok_or_else(|| wrong("`inputs` is missing"))? {
        input(model, &name).ok_or_else(|| wrong(&format!("`{name}` is no input of the model")))?;
    }
    let types: Vec<_> = outputs
        .iter()
        .map(|name| {
            let known = model.named(name).map(|named| model.type_of(named));
            known.ok_or_else(|| wrong(&format!("the model has no variable `{name}`")))
        })
        .collect::<Result<_, _>>()?;
    let mut suite = Suite { outputs, tests: Vec::new() };
    for test in file["tests"].as_array().ok_or_else(|| wrong("`tests` is missing"))? {
        let name = test["name"].as_str().ok_or_else(|| wrong("a test has no name"))?;
        let covers = test["covers"].as_array().map(Vec::as_slice).unwrap_or_default();
        let covers = covers.iter().filter_map(Json::as_str).map(str::to_string).collect();
        let steps = test["steps"].as_array().ok_or_else(|| wrong("a test has no steps"))?;
        let mut read = Vec::new();
        for step in steps {
            for step in repeated(step).ok_or_else(|| wrong("a repetition is wrong"))? {
                let step = self::step(step, model, &suite.outputs, &types);
                read.push(step.map_err(|what| wrong(&format!("test {name}: {what}")))?);
            }
        }
        if suite.tests.iter().any(|other: &Test| other.name == name) {
            return Err(wrong(&format!("two tests are called {name}")));
        }
        suite.tests.push(Test { name: name.to_string(), covers, steps: read });
    }
    Ok(suite)
}

fn names(file: &Json, key: &str) -> Option<Vec<String>> {
    let signals = file[key].as_array()?;
    signals.iter().map(|signal| signal["name"].as_str().map(str::to_string)).collect()
}

fn input(model: &Model, name: &str) -> Option<VarId> {
    model.var_named(name).filter(|var| model.inputs.contains(var))
}

/// The most steps that a repetition may stand for.
const MAX_STEPS: usize = 10_000_000;

/// The steps that are meant: one, or those that are repeated.
fn repeated(step: &Json) -> Option<Vec<&Json>> {
    let (Some(times), Some(steps)) = (step.get("repeat"), step.get("steps")) else {
        return Some(vec![step]);
    };
    let (times, steps) = (usize::try_from(times.as_u64()?).ok()?, steps.as_array()?);
    let total = times.checked_mul(steps.len()).filter(|total| *total <= MAX_STEPS)?;
    Some(steps.iter().cycle().take(total).collect())
}

fn step(
    step: &Json,
    model: &Model,
    outputs: &[String],
    types: &[provoke_model::Type],
) -> Result<Step, String> {
    let enums = &model.tree.types.enums;
    let mut inputs = vec![Value::Unknown; model.inputs.len()];
    for (name, value) in object(step, "in")? {
        let var = input(model, name).ok_or_else(|| format!("`{name}` is no input"))?;
        let position = model.inputs.iter().position(|other| *other == var).unwrap_or(0);
        let text = text(value);
        let read = Value::parse(&text, model.vars[var].ty, enums);
        inputs[position] = read.ok_or_else(|| format!("`{text}` is no value of `{name}`"))?;
    }
    let mut expected = Vec::new();
    for (name, value) in object(step, "out")? {
        let position = outputs.iter().position(|other| other == name);
        let position = position.ok_or_else(|| format!("`{name}` is no output"))?;
        let text = text(value);
        let read = Value::parse(&text, types[position], enums);
        expected.push((position, read.ok_or_else(|| format!("`{text}` is no value of `{name}`"))?));
    }
    Ok(Step { inputs, expected })
}

fn object<'j>(step: &'j Json, key: &str) -> Result<Vec<(&'j String, &'j Json)>, String> {
    match step.get(key) {
        None => Ok(Vec::new()),
        Some(Json::Object(members)) => Ok(members.iter().collect()),
        Some(_) => Err(format!("`{key}` of a step is no object")),
    }
}

/// A value as text; nothing for "don't care".
fn text(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}
