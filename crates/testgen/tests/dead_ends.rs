//! A run need not be continuable: what can happen in a step does not depend on assumptions of
//! the steps after it.

mod common;

use common::{backend, options, run};
use provoke_base::{Random, SourceFile, Span};
use provoke_criteria::{
    Counting, Criterion, Masking, Measurement, Obligation, Oracle, obligations, properties,
};
use provoke_model::{Assumption, System, Value};
use provoke_sim::Breach;
use provoke_testgen::{GenerationMethod, ObligationVerdict};
use provoke_testkit::random_system::{self, Shape};

/// No run has a second step, and one first step breaks the property.
const ONE_STEP: &str = "
node n(x, y: int) returns (p: bool);
let
  p = not (x + y = 987654 and x - y = 1234);
  assert true -> false;
  --%PROPERTY p;
tel;";

/// Large inputs end the run, and only the first step looks at them.
const LARGE_INPUTS_END: &str = "
node n(x: int) returns (p, q: bool);
let
  p = (true -> false) and x > 100;
  q = x > 1000;
  assert true -> pre x < 10;
tel;";

const METHODS: [GenerationMethod; 3] =
    [GenerationMethod::Hybrid, GenerationMethod::Regular, GenerationMethod::Incremental];

fn system(text: &str) -> System {
    let loaded = provoke_lustre::load(&SourceFile::new("model.lus", text), None);
    loaded.system.expect("a valid model")
}

fn mcdc(system: &System) -> Vec<Obligation> {
    obligations(system, Criterion::named("mcdc").expect("a criterion"), Counting::Precise)
}

#[test]
fn a_property_that_a_run_without_a_second_step_breaks_is_not_proven() {
    let Some(backend) = backend() else { return };
    let system = system(ONE_STEP);
    for method in METHODS {
        let found = run(&system, &properties(&system), &backend, &options(method, 1));
        assert_eq!(found.outcomes, [ObligationVerdict::Covered(0)], "{}", method.word());
        let row = &found.tests[0].steps;
        assert_eq!(*row, [[494_444, 493_210].map(Value::from)], "{}", method.word());
    }
}

#[test]
fn conditions_of_a_run_without_a_second_step_are_reachable() {
    let Some(backend) = backend() else { return };
    let system = system(ONE_STEP);
    let wanted = mcdc(&system);
    assert!(wanted.len() >= 4, "{wanted:?}");
    for method in METHODS {
        let found = run(&system, &wanted, &backend, &options(method, 1));
        for (obligation, outcome) in wanted.iter().zip(&found.outcomes) {
            let (id, word) = (&obligation.id, method.word());
            assert!(matches!(outcome, ObligationVerdict::Covered(_)), "{word} {id}: {outcome:?}");
        }
    }
}

#[test]
fn what_a_test_for_another_obligation_covers_is_not_proven_before() {
    let Some(backend) = backend() else { return };
    let system = system(LARGE_INPUTS_END);
    let wanted = mcdc(&system);
    for method in METHODS {
        let found = run(&system, &wanted, &backend, &options(method, 1));
        let large = wanted.iter().position(|o| o.id.starts_with("p:") && o.text == "x > 100");
        let large = large.expect("a condition");
        for (obligation, outcome) in wanted[large..].iter().zip(&found.outcomes[large..]) {
            let (id, word) = (&obligation.id, method.word());
            assert!(matches!(outcome, ObligationVerdict::Covered(_)), "{word} {id}: {outcome:?}");
        }
    }
}

/// What any test inside the assumptions can cover, by trying all inputs in all states, with the
/// tags of one obligation.
fn coverable(system: &System, obligation: &Obligation) -> bool {
    let one = std::slice::from_ref(obligation);
    let fresh = Measurement::new(system, one, Masking::Strict, &Oracle::Outputs);
    let rows = common::rows(system);
    let (mut seen, mut open) = (Vec::new(), vec![None]);
    while let Some(from) = open.pop() {
        for row in &rows {
            let mut measurement = fresh.clone();
            match &from {
                None => measurement.begin(),
                Some(checkpoint) => measurement.resume(checkpoint),
            }
            let breaches = measurement.step(row).expect("Boolean systems have no faults");
            if breaches.iter().any(|breach| matches!(breach, Breach::Assumption(_))) {
                continue;
            }
            if measurement.coverage().is_covered(0) {
                return true;
            }
            let checkpoint = measurement.checkpoint();
            let waiting: Vec<_> = checkpoint.waiting().map(|(slot, _)| slot).collect();
            let key = (checkpoint.state.memory().to_vec(), waiting);
            if !seen.contains(&key) {
                seen.push(key);
                open.push(Some(checkpoint));
            }
        }
    }
    false
}

/// A random Boolean system that assumes something, often about what it remembers.
fn assuming(seed: u64) -> System {
    let mut random = Random::for_part(seed, "dead ends");
    let mut system = random_system::system(&mut random, Shape::BOOLEAN);
    let truths: Vec<_> = system.equations.iter().map(|equation| equation.expr).collect();
    for _ in 0..=seed % 2 {
        let expr = *random.pick(&truths);
        system.assumptions.push(Assumption { expr, span: Span::default() });
    }
    system
}

#[test]
fn verdicts_equal_exhaustive_search_where_assumptions_end_runs() {
    let Some(backend) = backend() else { return };
    let (mut covered, mut infeasible) = (0, 0);
    for seed in 0..common::systems(60) {
        let system = assuming(seed);
        let word = ["mcdc", "omcdc", "condition"][seed as usize % 3];
        let criterion = Criterion::named(word).expect("a criterion");
        let wanted = obligations(&system, criterion, Counting::Precise);
        let method = METHODS[seed as usize / 3 % 3];
        let found = run(&system, &wanted, &backend, &options(method, 2));
        for (obligation, outcome) in wanted.iter().zip(&found.outcomes) {
            let truth = coverable(&system, obligation);
            let context = format!("seed {seed}, {}: {outcome:?}", obligation.id);
            match outcome {
                ObligationVerdict::Covered(_) => assert!(truth, "{context}"),
                ObligationVerdict::Infeasible(_) => assert!(!truth, "{context}"),
                ObligationVerdict::Unknown { .. } => panic!("undecided: {context}"),
            }
            covered += usize::from(truth);
            infeasible += usize::from(!truth);
        }
    }
    assert!(covered > 100 && infeasible > 100, "{covered} covered, {infeasible} infeasible");
}
