//! The engines against exhaustive search on random systems small enough for it.

mod common;
#[path = "engine/exhaustive.rs"]
mod exhaustive;
#[path = "engine/replay.rs"]
mod replay;

use exhaustive::{Explored, Small, explore, small_system};
use provoke_base::Random;
use provoke_model::Value;
use provoke_sim::interpreter::delays;
use provoke_solve::engine::{
    Backend, Budget, Engine, GoalVerdict, Induction, Lemmas, ProofPlan, StateSamples, about,
    confirm, decide, learn, whole,
};
use provoke_solve::{Encoder, Limit, TermId, Terms, UnrollPolicy};
use replay::replay;

/// How many seeds are tried; the environment variable `PROVOKE_SYSTEMS` says otherwise.
const SYSTEMS: u64 = 700;
/// Enough for almost all of these questions.
const WORK: u64 = 2_000_000;

/// How often each engine gave each verdict.
#[derive(Default, Debug)]
struct Tally {
    reached: usize,
    unreachable: usize,
    unknown: usize,
}

#[test]
fn engines_agree_with_exhaustive_search() {
    let Some(library) = common::z3() else { return };
    let backend = Backend::new(&library);
    let mut tallies: [Tally; 5] = Default::default();
    let (mut systems, mut lemmas) = (0, 0);
    let count = std::env::var("PROVOKE_SYSTEMS").ok().and_then(|text| text.parse().ok());
    for seed in 0..count.unwrap_or(SYSTEMS) {
        let mut random = Random::for_part(seed, "engines");
        let Some(small) = small_system(&mut random, seed) else { continue };
        let Some(explored) = explore(&small) else { continue };
        systems += 1;
        lemmas += judge(&small, &explored, &mut random, &backend, &mut tallies, seed);
    }
    let summary = format!("{systems} systems, {lemmas} lemmas, {tallies:?}");
    assert!(systems >= 500, "{summary}");
    assert!(lemmas > 200, "{summary}");
    for (engine, tally) in Engine::ALL.into_iter().zip(&tallies) {
        let decided = tally.reached + tally.unreachable;
        let enough = if engine == Engine::Bmc { 0 } else { 9 * tally.unknown };
        assert!(tally.reached > 100 && decided >= enough, "{summary}");
    }
    report(&summary);
}

#[allow(clippy::print_stderr)]
fn report(summary: &str) {
    eprintln!("{summary}");
}

/// Asks every engine about two goals of a system; returns the number of lemmas.
fn judge(
    small: &Small,
    explored: &Explored,
    random: &mut Random,
    backend: &Backend,
    tallies: &mut [Tally; 5],
    seed: u64,
) -> usize {
    let mut terms = Terms::new();
    let mut encoder = Encoder::new(&small.system, &mut terms);
    let whole = whole(&mut encoder, &mut terms);
    let symbols = memory_symbols(&mut encoder, &mut terms);
    let samples = some_samples(explored, &symbols, random);
    let mut budget = Budget::new(Limit::work(10 * WORK));
    let lemmas = learn(&mut terms, &whole, &samples, backend, &mut budget);
    lemmas_hold(&terms, &lemmas, explored, &symbols, seed);
    let plan = plan(seed);
    for _ in 0..2 {
        let goal = *random.pick(&small.goals);
        let term = encoder.value(&mut terms, goal);
        let question = about(&mut encoder, &mut terms, term);
        let usable = lemmas.inside(&mut terms, &question);
        for (engine, tally) in Engine::ALL.into_iter().zip(&mut *tallies) {
            let mut budget = Budget::new(Limit::work(WORK));
            let verdict =
                decide(&mut terms, &question, &usable, engine, &plan, backend, &mut budget);
            let context = format!("seed {seed}, goal {goal:?}, {engine:?}");
            match &verdict {
                GoalVerdict::Reached(witness) => {
                    tally.reached += 1;
                    let any = |var| random.pick(small.values(var)).clone();
                    let value = replay(&mut encoder, &mut terms, goal, witness, any);
                    assert_eq!(value, Value::Bool(true), "{context}");
                    let shortest = explored.depth(goal).expect(&context);
                    let length = witness.steps.len() - 1;
                    let exact = engine != Engine::Pdr && engine != Engine::All;
                    assert!(length == shortest || (!exact && length > shortest), "{context}");
                }
                GoalVerdict::Unreachable(proof) => {
                    tally.unreachable += 1;
                    assert_eq!(explored.depth(goal), None, "{context}: {proof:?}");
                    if let Some(invariant) = proof.invariant {
                        let mut budget = Budget::new(Limit::default());
                        let lemmas = &proof.lemmas;
                        confirm(&mut terms, &question, invariant, lemmas, backend, &mut budget)
                            .expect(&context);
                    }
                }
                GoalVerdict::Unknown { depth, .. } => {
                    tally.unknown += 1;
                    assert!(explored.depth(goal).is_none_or(|found| found >= *depth), "{context}");
                }
            }
        }
    }
    lemmas.terms.len()
}

/// All ways to express steps and windows, in turn.
fn plan(seed: u64) -> ProofPlan {
    let policy =
        if seed.is_multiple_of(2) { UnrollPolicy::Inline } else { UnrollPolicy::NameState };
    let simple_path = !seed.is_multiple_of(5);
    ProofPlan {
        policy,
        deep: 12,
        induction: Induction { max_k: 8, simple_path, policy },
        ..ProofPlan::default()
    }
}

fn memory_symbols(encoder: &mut Encoder, terms: &mut Terms) -> Vec<TermId> {
    delays(encoder.system()).into_iter().map(|pre| encoder.memory(terms, pre)).collect()
}

/// All or few of the later states, so that many candidates are wrong.
fn some_samples(explored: &Explored, symbols: &[TermId], random: &mut Random) -> StateSamples {
    let part = *random.pick(&[1, 2, 6]);
    let later = explored.later.iter().filter(|_| random.chance(part, 6)).cloned();
    StateSamples::new(symbols.to_vec(), later.collect::<Vec<_>>())
}

fn lemmas_hold(terms: &Terms, lemmas: &Lemmas, explored: &Explored, symbols: &[TermId], seed: u64) {
    let ids: Vec<_> = symbols.iter().map(|s| terms.symbols_in(&[*s])[0]).collect();
    for state in &explored.later {
        let value = |symbol| {
            let index = ids.iter().position(|id| *id == symbol).expect("a lemma is about state");
            match &state[index] {
                Value::Enum(ordinal) => Value::from(i64::from(*ordinal)),
                other => other.clone(),
            }
        };
        let symbol = |term: TermId| terms.symbols_in(&[term])[0];
        for (copy, original) in &lemmas.copies {
            assert_eq!(value(symbol(*copy)), value(symbol(*original)), "seed {seed}");
        }
        for &lemma in &lemmas.terms {
            let holds = terms.evaluate(lemma, value);
            assert_eq!(holds, Value::Bool(true), "seed {seed}: {:?}", terms.get(lemma));
        }
    }
}
