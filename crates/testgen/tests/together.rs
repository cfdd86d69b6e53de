//! What is proven for all obligations together.

mod common;

use std::sync::Mutex;

use common::{backend, options, run};
use provoke_base::SourceFile;
use provoke_base::rounds::{AnswerFn, AnswerLedger};
use provoke_criteria::{Counting, Criterion, Obligation, obligations};
use provoke_model::System;
use provoke_solve::engine::Backend;
use provoke_testgen::{
    Attempt, GenerationMethod, ObligationVerdict, Quest, SystemLemmas, generate,
};

/// What is written into `note` can be seen only while the lock is open, and writing locks it.
const LOCKED: &str = "
node main(write, a, b : bool) returns (out : bool);
var locked, note : bool;
let
  locked = false -> pre locked or write;
  note = false -> if write then (a and b) else pre note;
  out = false -> (not locked) and pre note;
tel;";

#[test]
fn an_effect_that_waits_where_it_is_never_seen_is_infeasible_by_single_steps() {
    let Some(backend) = backend() else { return };
    let loaded = provoke_lustre::load(&SourceFile::new("model.lus", LOCKED), None);
    let system = loaded.system.expect("a valid model");
    let criterion = Criterion::named("omcdc").expect("a criterion");
    let mut wanted = obligations(&system, criterion, Counting::Precise);
    wanted.retain(|obligation| obligation.id.starts_with("note:"));
    assert!(wanted.len() >= 4, "{wanted:?}");
    let found = run(&system, &wanted, &backend, &options(GenerationMethod::Hybrid, 1));
    for (obligation, outcome) in wanted.iter().zip(&found.outcomes) {
        // Not to write leaves the lock open, and what is noted false.
        if ["note:omcdc:1F", "note:omcdc:4F"].contains(&obligation.id.as_str()) {
            assert!(matches!(outcome, ObligationVerdict::Covered(_)), "{outcome:?}");
            continue;
        }
        let ObligationVerdict::Infeasible(proof) = outcome else {
            panic!("{}: {outcome:?}", obligation.id)
        };
        assert!(proof.k <= 1, "{}: {proof:?}", obligation.id);
    }
}

/// Tokens go round, one at a time, as long as the environment gives one order at a time; an
/// error would show a broken count, were the promise kept.
const TOKENS: &str = "
node main(there, back, odd : bool) returns (ok : bool);
var here, away : int; one, kept : bool;
let
  one = not (there and back) and not odd;
  kept = one -> one and pre kept;
  here = 9 -> if there then (if pre here >= 1 then pre here - 1 else pre here)
              else if back and pre away >= 1 then pre here + 1 else pre here;
  away = 0 -> if there then (if pre here >= 1 then pre away + 1 else pre away)
              else if back and pre away >= 1 then pre away - 1 else pre away;
  ok = (not kept) or (here + away = 9 and here >= 0 and away >= 0);
tel;";

#[test]
fn a_broken_promise_that_changes_nothing_is_never_seen() {
    let Some(backend) = backend() else { return };
    let loaded = provoke_lustre::load(&SourceFile::new("model.lus", TOKENS), None);
    let system = loaded.system.expect("a valid model");
    let criterion = Criterion::named("omcdc").expect("a criterion");
    let mut wanted = obligations(&system, criterion, Counting::Precise);
    wanted.retain(|obligation| obligation.id.starts_with("one:"));
    assert_eq!(wanted.len(), 6);
    let found = run(&system, &wanted, &backend, &options(GenerationMethod::Hybrid, 1));
    for (obligation, outcome) in wanted.iter().zip(&found.outcomes) {
        let ObligationVerdict::Infeasible(proof) = outcome else {
            panic!("{}: {outcome:?}", obligation.id)
        };
        assert!(proof.k <= 1, "{}: {proof:?}", obligation.id);
    }
}

/// Asks a run for attempts at all obligations, with what it learns or with what others have.
#[derive(Default)]
struct Asked<'a> {
    wanted: &'a [Obligation],
    rounds: usize,
    known: Option<String>,
    kept: Mutex<String>,
    attempts: Mutex<Vec<Attempt>>,
}

impl AnswerLedger<Quest, Attempt> for Asked<'_> {
    fn keep_lemmas(&self, lemmas: &dyn Fn() -> String, _: Option<&str>) {
        *self.kept.lock().expect("no panic") = lemmas();
    }

    fn recall_lemmas(&self) -> Option<String> {
        self.known.clone()
    }

    fn serve(&self, answer: &AnswerFn<'_, Quest, Attempt>) -> bool {
        let all = (0..self.rounds)
            .flat_map(|round| self.wanted.iter().map(move |one| answer(&Quest::cover(one), round)));
        *self.attempts.lock().expect("no panic") = all.collect();
        self.rounds > 0
    }
}

fn ask(system: &System, backend: &Backend, asked: &Asked<'_>, wanted: &[Obligation]) {
    let options = options(GenerationMethod::Hybrid, 1);
    generate(system, wanted, &options, Some(backend), asked, &|| false, &mut |_| {});
}

#[test]
fn what_is_known_of_a_system_serves_others_when_it_is_written_and_read() {
    let Some(backend) = backend() else { return };
    let mut all = String::new();
    for text in [LOCKED, TOKENS] {
        let loaded = provoke_lustre::load(&SourceFile::new("model.lus", text), None);
        let system = loaded.system.expect("a valid model");
        let criterion = Criterion::named("omcdc").expect("a criterion");
        let wanted = obligations(&system, criterion, Counting::Precise);
        let wanted: &[Obligation] = &wanted[..wanted.len().min(12)];
        let first = Asked::default();
        ask(&system, &backend, &first, wanted);
        let kept = first.kept.into_inner().expect("no panic");
        assert_eq!(
            SystemLemmas::read(&kept, &system).map(|facts| facts.write()),
            Some(kept.clone())
        );
        let [alone, told] = [None, Some(kept.clone())].map(|known| {
            let asked = Asked { wanted, rounds: 1, known, ..Asked::default() };
            ask(&system, &backend, &asked, wanted);
            asked.attempts.into_inner().expect("no panic")
        });
        assert_eq!(alone.len(), wanted.len());
        assert_eq!(alone, told);
        for wrong in ["nowhere 0", "dark 99999", "shade 0 | x", "shade 0", "lemma 0"] {
            assert!(SystemLemmas::read(wrong, &system).is_none(), "{wrong}");
        }
        all += &kept;
    }
    for kind in ["nowhere ", "dark ", "lemma "] {
        assert!(all.contains(kind), "{kind} is not among {all}");
    }
}
