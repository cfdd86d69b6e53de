//! What becomes of mutants, as records, and the names under which they are kept.

use provoke_mutate::{KillMoment, Mutant, MutantAnswer, MutantFate, Score};
use provoke_solve::Effort;
use provoke_store::{Key, KeyBuilder, Store};
use provoke_work::GoalRecords;
use serde_json::{Value as Json, json};

use crate::attempt_records::effort_key;
use crate::certificates;
use crate::input_json::Rows;

/// What the scores of some mutants are kept under.
pub(super) fn scores_key(mutants: &[&Mutant]) -> Key {
    let ids: Vec<&str> = mutants.iter().map(|mutant| mutant.id.as_str()).collect();
    KeyBuilder::of_this_build("provoke/scores/2").json("mutants", &json!(ids)).finish()
}

/// The answers about survivors, with the effort of each round.
pub(super) struct Answers<'a> {
    pub(super) rows: Rows<'a>,
    pub(super) efforts: Vec<Effort>,
}

impl GoalRecords for Answers<'_> {
    type Goal = Mutant;
    type Answer = MutantAnswer;
    const MEMBER: &'static str = "mutant";
    const WORK: &'static str = "deciding survivors";

    fn id<'g>(&self, mutant: &'g Mutant) -> &'g str {
        &mutant.id
    }

    fn key(&self, mutant: &Mutant, round: usize) -> Key {
        effort_key("provoke/answer/3", Self::MEMBER, &mutant.id, self.efforts[round])
    }

    fn rounds(&self) -> usize {
        self.efforts.len()
    }

    fn record(&self, answer: &MutantAnswer) -> Option<Json> {
        Some(show_answer(answer, self.rows))
    }

    fn read(&self, record: &Json, store: &Store) -> Option<MutantAnswer> {
        read_answer(record, self.rows, store)
    }

    fn unanswered(&self, reason: String) -> MutantAnswer {
        MutantAnswer::Nothing { reason, depth: 0 }
    }
}

pub(super) fn show_scores(scores: &[Score]) -> Json {
    let at = |moment: &KillMoment| json!([moment.test, moment.step]);
    let show = |score: &Score| {
        let fate = match &score.fate {
            MutantFate::Killed(moment) => json!({"killed": at(moment)}),
            MutantFate::Faulted(moment) => json!({"faulted": at(moment)}),
            MutantFate::Survived => json!("survived"),
        };
        json!([fate, score.kills.iter().map(at).collect::<Vec<_>>()])
    };
    json!({"scores": scores.iter().map(show).collect::<Vec<_>>()})
}

/// The scores that a record holds, if it holds so many.
pub(super) fn read_scores(record: &Json, count: usize) -> Option<Vec<Score>> {
    let all = record["scores"].as_array()?.iter().map(read_score);
    all.collect::<Option<Vec<_>>>().filter(|scores| scores.len() == count)
}

fn read_score(score: &Json) -> Option<Score> {
    let fate = &score[0];
    let fate = match (&fate["killed"], &fate["faulted"]) {
        (Json::Null, Json::Null) => (fate == "survived").then_some(MutantFate::Survived)?,
        (killed, Json::Null) => MutantFate::Killed(moment(killed)?),
        (_, faulted) => MutantFate::Faulted(moment(faulted)?),
    };
    let kills = score[1].as_array()?.iter().map(moment).collect::<Option<_>>()?;
    Some(Score { fate, kills })
}

fn moment(json: &Json) -> Option<KillMoment> {
    Some(KillMoment { test: number(&json[0])?, step: number(&json[1])? })
}

fn number(json: &Json) -> Option<usize> {
    json.as_u64().and_then(|number| usize::try_from(number).ok())
}

fn show_answer(answer: &MutantAnswer, rows: Rows<'_>) -> Json {
    match answer {
        MutantAnswer::Proof { engine, k, certificate } => {
            let certificate = certificate.as_ref().map(certificates::record);
            json!({"proof": {"engine": engine, "k": k, "certificate": certificate}})
        }
        MutantAnswer::Test(test) => json!({"test": rows.show(test)}),
        MutantAnswer::Fault { step, kill_is_open } => {
            json!({"fault": {"step": step, "kill_is_open": kill_is_open}})
        }
        MutantAnswer::Nothing { reason, depth } => {
            json!({"nothing": {"reason": reason, "depth": depth}})
        }
    }
}

/// The answer that a record of a store holds; `None` for what is not one.
fn read_answer(record: &Json, rows: Rows<'_>, store: &Store) -> Option<MutantAnswer> {
    if let Some(test) = record.get("test") {
        return rows.read(test).map(MutantAnswer::Test);
    }
    if let Some(proof) = record.get("proof") {
        let engine = proof["engine"].as_str()?.to_string();
        let certificate = certificates::read(&proof["certificate"], store);
        return Some(MutantAnswer::Proof { engine, k: number(&proof["k"])?, certificate });
    }
    if let Some(fault) = record.get("fault") {
        let (step, open) = (number(&fault["step"])?, fault["kill_is_open"].as_bool()?);
        return Some(MutantAnswer::Fault { step, kill_is_open: open });
    }
    let nothing = record.get("nothing")?;
    let reason = nothing["reason"].as_str()?.to_string();
    Some(MutantAnswer::Nothing { reason, depth: number(&nothing["depth"])? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_read_as_they_are_written() {
        let at = |test, step| KillMoment { test, step };
        let scores = vec![
            Score { fate: MutantFate::Killed(at(0, 3)), kills: vec![at(0, 3), at(2, 1)] },
            Score { fate: MutantFate::Faulted(at(1, 1)), kills: vec![] },
            Score { fate: MutantFate::Survived, kills: vec![] },
        ];
        let record = show_scores(&scores);
        assert_eq!(read_scores(&record, 3), Some(scores));
        assert_eq!(read_scores(&record, 2), None, "another number of mutants");
        assert_eq!(read_scores(&json!({"scores": [["alive", []]]}), 1), None);
    }
}
