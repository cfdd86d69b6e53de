//! Attempts at obligations as records, and the names under which they are kept.

use provoke_base::index::Id;
use provoke_model::{ExprId, Value};
use provoke_solve::Effort;
use provoke_store::{Key, KeyBuilder, Store};
use provoke_testgen::{Attempt, ProofSummary, Quest, TestSource};
use provoke_work::GoalRecords;
use serde_json::{Value as Json, json};

use crate::certificates;
use crate::input_json::Rows;

/// The attempts at the obligations of a model, with the effort of each round.
pub(crate) struct Attempts<'a> {
    pub(crate) rows: Rows<'a>,
    pub(crate) efforts: Vec<Effort>,
}

impl GoalRecords for Attempts<'_> {
    type Goal = Quest;
    type Answer = Attempt;
    const MEMBER: &'static str = "obligation";
    const WORK: &'static str = "solving";

    fn id<'g>(&self, quest: &'g Quest) -> &'g str {
        &quest.id
    }

    fn key(&self, quest: &Quest, round: usize) -> Key {
        effort_key("provoke/attempt/3", Self::MEMBER, &quest.id, self.efforts[round])
    }

    fn rounds(&self) -> usize {
        self.efforts.len()
    }

    fn record(&self, attempt: &Attempt) -> Option<Json> {
        Some(match attempt {
            Attempt::Test { steps, source, undefined } => {
                let mut record = json!({"test": self.rows.show(steps), "source": source.word()});
                if !undefined.is_empty() {
                    record["undefined"] = self.show_undefined(undefined);
                }
                record
            }
            Attempt::Proof(proof) => {
                let ProofSummary { engine, k, lemmas, certificate } = proof;
                let mut record = json!({"engine": engine, "k": k, "lemmas": lemmas});
                if let Some(certificate) = certificate {
                    record["certificate"] = certificates::record(certificate);
                }
                json!({"proof": record})
            }
            Attempt::Nothing { cut_short: true, .. } => return None,
            Attempt::Nothing { reason, depth, settled, .. } => {
                json!({"nothing": {"reason": reason, "depth": depth, "settled": settled}})
            }
        })
    }

    fn read(&self, record: &Json, store: &Store) -> Option<Attempt> {
        let number = |json: &Json| json.as_u64().and_then(|n| usize::try_from(n).ok());
        if let Some(steps) = record.get("test") {
            let steps = self.rows.read(steps)?;
            let source = TestSource::named(record["source"].as_str()?)?;
            let undefined = match record.get("undefined") {
                Some(values) => self.read_undefined(values)?,
                None => Vec::new(),
            };
            return Some(Attempt::Test { steps, source, undefined });
        }
        if let Some(proof) = record.get("proof") {
            let engine = proof["engine"].as_str()?.to_string();
            let (k, lemmas) = (number(&proof["k"])?, number(&proof["lemmas"])?);
            let certificate = certificates::read(&proof["certificate"], store);
            return Some(Attempt::Proof(ProofSummary { engine, k, lemmas, certificate }));
        }
        let nothing = record.get("nothing")?;
        let reason = nothing["reason"].as_str()?.to_string();
        let depth = number(&nothing["depth"])?;
        let settled = nothing["settled"].as_bool()?;
        Some(Attempt::Nothing { reason, depth, cut_short: false, settled })
    }

    fn unanswered(&self, reason: String) -> Attempt {
        Attempt::Nothing { reason, depth: 0, cut_short: true, settled: false }
    }
}

impl Attempts<'_> {
    /// What each `pre` is worth in the first step, by its number.
    fn show_undefined(&self, undefined: &[(ExprId, Value)]) -> Json {
        let system = self.rows.0;
        let show = |(pre, value): &(ExprId, Value)| {
            json!([pre.index(), value.show(system.exprs[*pre].ty, &system.enums)])
        };
        undefined.iter().map(show).collect()
    }

    fn read_undefined(&self, values: &Json) -> Option<Vec<(ExprId, Value)>> {
        let system = self.rows.0;
        let read = |entry: &Json| {
            let number = usize::try_from(entry.get(0)?.as_u64()?).ok()?;
            let pre = system.exprs.ids().nth(number)?;
            let ty = system.exprs[pre].ty;
            Some((pre, Value::parse(entry.get(1)?.as_str()?, ty, &system.enums)?))
        };
        values.as_array()?.iter().map(read).collect()
    }
}

/// What an answer is kept under: the goal, and the effort that it took.
pub(crate) fn effort_key(schema: &str, member: &str, id: &str, effort: Effort) -> Key {
    let work = effort.limit.rlimit.unwrap_or(0);
    KeyBuilder::of_this_build(schema)
        .part(member, id.as_bytes())
        .json("effort", &json!({"depth": effort.depth, "k": effort.k, "work": work}))
        .finish()
}
