//! The contracts: every result with the name that is written in its field `schema`.

use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::*;

/// A result that programs read.
pub trait Contract: Serialize + DeserializeOwned + JsonSchema {
    /// The name and version that every such result carries: `provoke/check/1`.
    const SCHEMA: &'static str;
}

/// The field `schema` of a result: always the name of its contract, and nothing else is read.
pub struct Schema<T>(PhantomData<T>);

impl<T> Default for Schema<T> {
    fn default() -> Self {
        Schema(PhantomData)
    }
}

impl<T> Clone for Schema<T> {
    fn clone(&self) -> Self {
        Schema::default()
    }
}

impl<T> PartialEq for Schema<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T: Contract> fmt::Debug for Schema<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::SCHEMA)
    }
}

impl<T: Contract> Serialize for Schema<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(T::SCHEMA)
    }
}

impl<'de, T: Contract> Deserialize<'de> for Schema<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = String::deserialize(deserializer)?;
        match found == T::SCHEMA {
            true => Ok(Schema::default()),
            false => {
                Err(D::Error::custom(format!("the schema is `{found}`, expected `{}`", T::SCHEMA)))
            }
        }
    }
}

impl<T: Contract> JsonSchema for Schema<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::SCHEMA.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> schemars::Schema {
        json_schema!({"type": "string", "const": T::SCHEMA})
    }
}

/// What can be done with a contract whose type is not known before.
pub struct Listed {
    /// Its name.
    pub schema: &'static str,
    /// Its JSON Schema.
    pub json_schema: fn() -> schemars::Schema,
    /// Reads a result and writes it again.
    pub rewrite: fn(&str) -> serde_json::Result<String>,
}

impl Listed {
    /// The file that holds its JSON Schema: `check-1.json`.
    pub fn file(&self) -> String {
        let name = self.schema.strip_prefix("provoke/").unwrap_or(self.schema);
        format!("{}.json", name.replace('/', "-"))
    }
}

fn rewrite<T: Contract>(text: &str) -> serde_json::Result<String> {
    serde_json::from_str::<T>(text).map(|result| to_json(&result))
}

macro_rules! contracts {
    ($($name:ident = $schema:literal,)+) => {
        $(impl Contract for $name {
            const SCHEMA: &'static str = $schema;
        })+

        /// Every contract there is.
        pub fn contracts() -> Vec<Listed> {
            vec![$(Listed {
                schema: $schema,
                json_schema: || schemars::schema_for!($name),
                rewrite: rewrite::<$name>,
            },)+]
        }
    };
}

contracts! {
    Check = "provoke/check/1",
    Simulate = "provoke/simulate/1",
    SuiteResult = "provoke/suite/1",
    Transform = "provoke/transform/1",
    Obligations = "provoke/obligations/1",
    Generate = "provoke/generate/2",
    GeneratePublished = "provoke/generate/1",
    Prove = "provoke/prove/2",
    Verdicts = "provoke/verdicts/3",
    Settings = "provoke/settings/1",
    Merge = "provoke/merge/1",
    Measure = "provoke/measure/2",
    Reduce = "provoke/reduce/1",
    Mutate = "provoke/mutate/1",
    Mutants = "provoke/mutants/1",
    Mine = "provoke/mine/1",
    MineInit = "provoke/mine-init/1",
    Convert = "provoke/convert/1",
    Codegen = "provoke/codegen/1",
    Run = "provoke/run/1",
    Calibrate = "provoke/calibrate/1",
    Explain = "provoke/explain/1",
    Audit = "provoke/audit/1",
    Report = "provoke/report/1",
    ReportWritten = "provoke/report-written/1",
    Project = "provoke/project/1",
    Demo = "provoke/demo/1",
    Man = "provoke/man/1",
    Doctor = "provoke/doctor/1",
    Study = "provoke/study/1",
    StudyStochastic = "provoke/study-stochastic/1",
    StudyPlatform = "provoke/study-platform/1",
    StudyMining = "provoke/study-mining/1",
    TimedCheck = "provoke/timed-check/1",
    TimedVerify = "provoke/timed-verify/1",
    TimedEstimate = "provoke/timed-estimate/1",
    TimedSimulate = "provoke/timed-simulate/1",
    TimedGenerate = "provoke/timed-generate/1",
    TimedStochastic = "provoke/timed-stochastic/1",
    TimedRun = "provoke/timed-run/1",
    TimedMutate = "provoke/timed-mutate/1",
    TimedSuiteFile = "provoke/timed-suite/1",
    MachineFile = "provoke/machine/1",
    StoreFile = "provoke/store/1",
}

/// The name that a text carries in its field `schema`, if it is JSON and has one.
pub fn schema_of(text: &str) -> serde_json::Result<Option<String>> {
    #[derive(Deserialize)]
    struct Head {
        #[serde(default)]
        schema: Option<String>,
    }
    serde_json::from_str::<Head>(text).map(|head| head.schema)
}
