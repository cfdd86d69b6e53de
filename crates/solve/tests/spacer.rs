//! Spacer on a small counter; its answers are checked, not believed.

mod common;

use std::thread;
use std::time::{Duration, Instant};

use provoke_model::Value;
use provoke_solve::{
    Atom, Horn, HornAnswer, HornRule, Interrupter, Limit, RelationId, Solver, SolverAnswer, Sort,
    Spacer, TermId, Terms, UnknownReason, Z3,
};
use rustc_hash::FxHashMap;

/// A counter that a button moves by two, and that starts again once it is full.
struct Counter {
    terms: Terms,
    horn: Horn,
    reached: RelationId,
    bad: RelationId,
    state: [TermId; 2],
    first: [TermId; 2],
    next: [TermId; 2],
    wrong: TermId,
}

/// The counter that is full at `size` and bad at `bad`.
fn counter(size: i64, bad: i64) -> Counter {
    let mut terms = Terms::new();
    let [n, full] = [terms.symbol("n", Sort::Int), terms.symbol("full", Sort::Bool)];
    let button = terms.symbol("button", Sort::Bool);
    let [zero, two, size, bad] = [0, 2, size, bad].map(|value| terms.int(value));
    let more = terms.add(n, two);
    let moved = terms.ite(button, more, n);
    let next_n = terms.ite(full, zero, moved);
    let next = [next_n, terms.ge(next_n, size)];
    let first = [zero, terms.bool(false)];
    let wrong = terms.eq(n, bad);
    let mut horn = Horn::new();
    let state = [n, full];
    let reached = horn.relation(state.to_vec());
    let bad = horn.relation(Vec::new());
    let at = |arguments: [TermId; 2]| Atom { relation: reached, arguments: arguments.to_vec() };
    let always = terms.bool(true);
    let goal = Atom { relation: bad, arguments: Vec::new() };
    horn.rules = vec![
        HornRule { premises: vec![], condition: always, conclusion: at(first) },
        HornRule { premises: vec![at(state)], condition: always, conclusion: at(next) },
        HornRule { premises: vec![at(state)], condition: wrong, conclusion: goal },
    ];
    Counter { terms, horn, reached, bad, state, first, next, wrong }
}

impl Counter {
    /// The invariant holds at first, a step keeps it, and it excludes the bad states.
    fn check(&mut self, invariant: TermId, solver: &mut dyn Solver) {
        let terms = &mut self.terms;
        let at = |arguments: [TermId; 2]| -> FxHashMap<_, _> {
            self.state.into_iter().zip(arguments).collect()
        };
        let first = terms.substitute(invariant, &at(self.first));
        let next = terms.substitute(invariant, &at(self.next));
        let [not_first, not_next] = [first, next].map(|term| terms.not(term));
        for counterexample in
            [vec![not_first], vec![invariant, not_next], vec![invariant, self.wrong]]
        {
            let answer = solver.check(&self.terms, &counterexample, Limit::default());
            assert_eq!(answer, SolverAnswer::Unsat);
        }
    }
}

#[test]
fn an_unreachable_state_has_an_invariant_that_three_plain_checks_confirm() {
    let Some(library) = common::z3() else { return };
    for (size, bad) in [(10, 5), (10, 12), (10, 13), (10, -1), (9, 11)] {
        let mut counter = counter(size, bad);
        let mut spacer = Spacer::new(&library, Interrupter::new());
        let answer = spacer.query(&counter.horn, &mut counter.terms, counter.bad, Limit::default());
        let HornAnswer::Unreachable(invariants) = answer else { panic!("{answer:?}") };
        counter.check(invariants[counter.reached], &mut Z3::new(&library));
        assert_eq!(counter.terms.value(invariants[counter.bad]), Some(&Value::Bool(false)));
    }
}

#[test]
fn a_reachable_state_comes_with_the_states_on_the_way() {
    let Some(library) = common::z3() else { return };
    let mut counter = counter(10, 8);
    let mut spacer = Spacer::new(&library, Interrupter::new());
    let answer = spacer.query(&counter.horn, &mut counter.terms, counter.bad, Limit::default());
    let HornAnswer::Reachable(facts) = answer else { panic!("{answer:?}") };
    let states: Vec<_> =
        facts.iter().filter(|fact| fact.relation == counter.reached).map(|f| &f.values).collect();
    let expected = [0, 2, 4, 6, 8].map(|n| vec![Value::from(n), Value::Bool(false)]);
    assert_eq!(states, expected.iter().collect::<Vec<_>>());
    assert_eq!(facts.last().unwrap().relation, counter.bad);
}

#[test]
fn a_relation_with_parameters_can_be_asked_for() {
    let Some(library) = common::z3() else { return };
    let mut counter = counter(10, 8);
    let mut spacer = Spacer::new(&library, Interrupter::new());
    let (horn, terms) = (&mut counter.horn, &mut counter.terms);
    let answer = spacer.query(horn, terms, counter.reached, Limit::default());
    assert!(matches!(answer, HornAnswer::Reachable(_)), "{answer:?}");
    horn.rules.remove(0);
    let answer = spacer.query(horn, terms, counter.reached, Limit::default());
    assert!(matches!(answer, HornAnswer::Unreachable(_)), "{answer:?}");
}

#[test]
fn work_is_limited_and_counted_alike_each_time() {
    let Some(library) = common::z3() else { return };
    let run = |units| {
        let mut counter = counter(10, 5);
        let mut spacer = Spacer::new(&library, Interrupter::new());
        let limit = Limit::work(units);
        let answer = spacer.query(&counter.horn, &mut counter.terms, counter.bad, limit);
        (answer, spacer.spent())
    };
    for units in [0, 100, 1_000] {
        assert_eq!(run(units).0, HornAnswer::Unknown(UnknownReason::Budget), "{units}");
    }
    let (answer, spent) = run(1_000_000);
    assert!(matches!(answer, HornAnswer::Unreachable(_)), "{answer:?}");
    assert!(0 < spent && spent < 1_000_000, "{spent}");
    assert_eq!(run(1_000_000), (answer, spent));
}

#[test]
fn time_is_limited_and_another_thread_interrupts() {
    let Some(library) = common::z3() else { return };
    let interrupter = Interrupter::new();
    let mut spacer = Spacer::new(&library, interrupter.clone());
    // So deep that it takes minutes.
    let mut deep = counter(2_000_000, 1_000_000);
    let started = Instant::now();
    let limit = Limit::time(Duration::from_millis(200));
    let answer = spacer.query(&deep.horn, &mut deep.terms, deep.bad, limit);
    assert_eq!(answer, HornAnswer::Unknown(UnknownReason::Timeout));
    let answer = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(200));
            interrupter.interrupt();
        });
        spacer.query(&deep.horn, &mut deep.terms, deep.bad, Limit::default())
    });
    assert_eq!(answer, HornAnswer::Unknown(UnknownReason::Interrupted));
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    interrupter.reset();
    let mut easy = counter(10, 2);
    let answer = spacer.query(&easy.horn, &mut easy.terms, easy.bad, Limit::default());
    assert!(matches!(answer, HornAnswer::Reachable(_)), "{answer:?}");
}
