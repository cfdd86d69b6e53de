//! Exact verdicts against exhaustive search, with exact measurement as the reference.

mod common;

use std::collections::{HashSet, VecDeque};

use common::{backend, options, rows, run, systems};
use provoke_base::{Random, SourceFile};
use provoke_criteria::{
    Counting, Criterion, ExactChange, ExactMeasurement, Obligation, Oracle, obligations,
};
use provoke_model::{System, Value};
use provoke_mutate::FaultForm;
use provoke_testgen::{
    EffectFacts, EvidenceRule, GenerationMethod, GenerationResult, ObligationVerdict, Redundancy,
    StrategyOptions,
};
use provoke_testkit::random_system::{Shape, system};

fn exactly(exact: ExactChange, method: GenerationMethod) -> StrategyOptions {
    let evidence = EvidenceRule::Effects {
        step: exact == ExactChange::Step,
        stuck: exact == ExactChange::Stuck,
    };
    StrategyOptions { evidence, ..options(method, 2) }
}

fn of_both(method: GenerationMethod) -> StrategyOptions {
    let evidence = EvidenceRule::Effects { step: true, stuck: true };
    StrategyOptions { evidence, ..options(method, 2) }
}

fn measurement(
    system: &System,
    wanted: &[Obligation],
    exact: ExactChange,
    options: &StrategyOptions,
) -> ExactMeasurement {
    ExactMeasurement::new(system, wanted, exact, options.masking, &options.oracle)
}

/// Whether any test of any length covers an obligation: a search over all situations a test
/// can be in.
fn coverable(
    system: &System,
    obligation: &Obligation,
    exact: ExactChange,
    options: &StrategyOptions,
) -> bool {
    let mut start = measurement(system, std::slice::from_ref(obligation), exact, options);
    start.begin();
    let rows = rows(system);
    let mut seen = HashSet::new();
    let mut open = VecDeque::from([start]);
    while let Some(from) = open.pop_front() {
        for row in &rows {
            let mut next = from.clone();
            next.step(row).expect("Boolean systems have no faults");
            if next.coverage().is_covered(0) {
                return true;
            }
            if seen.insert(next.situation()) {
                open.push_back(next);
            }
        }
    }
    false
}

/// What the tests show of each obligation.
fn shown(
    system: &System,
    wanted: &[Obligation],
    exact: ExactChange,
    options: &StrategyOptions,
    found: &GenerationResult,
) -> Vec<bool> {
    let mut again = measurement(system, wanted, exact, options);
    for test in &found.tests {
        assert_eq!(test.steps[0].len(), system.inputs.len(), "only the model's inputs");
        again.run_test(&test.steps);
    }
    (0..wanted.len()).map(|position| again.coverage().is_covered(position)).collect()
}

fn criteria() -> [Criterion; 4] {
    ["omcdc", "obranch", "odecision", "ocondition"].map(|word| Criterion::named(word).unwrap())
}

/// Whether it is proven that an effect is never seen.
fn is_excluded(facts: &EffectFacts, exact: ExactChange) -> bool {
    let is_free = |redundant: &Redundancy| redundant.form == FaultForm::Free;
    match exact {
        ExactChange::Stuck => facts.redundant.is_some(),
        ExactChange::Step => {
            facts.never_in_one_step.is_some() || facts.redundant.as_ref().is_some_and(is_free)
        }
    }
}

/// Checks all facts of a run about one kind of effects; how many are shown, and excluded.
fn check(
    system: &System,
    wanted: &[Obligation],
    exact: ExactChange,
    options: &StrategyOptions,
    context: &str,
) -> [usize; 2] {
    let backend = backend().expect("the caller has it");
    let found = run(system, wanted, &backend, options);
    let shown = shown(system, wanted, exact, options, &found);
    let mut counts = [0, 0];
    for (position, obligation) in wanted.iter().enumerate() {
        let facts = &found.effects[position];
        let context = || format!("{context}, {}: {facts:?}", obligation.id);
        let truth = coverable(system, obligation, exact, options);
        let is_excluded = is_excluded(facts, exact);
        assert_eq!(shown[position], truth, "{}", context());
        assert!(!(is_excluded && truth), "{}", context());
        if !truth && !is_excluded {
            let open = match exact {
                ExactChange::Step => &facts.step_open,
                ExactChange::Stuck => &facts.stuck_open,
            };
            let reason = open.as_ref().map_or("", |(reason, _)| reason);
            assert!(reason.contains("undefined value"), "undecided: {}", context());
            continue;
        }
        counts[usize::from(!truth)] += 1;
    }
    counts
}

#[test]
fn verdicts_equal_exhaustive_search() {
    if backend().is_none() {
        return;
    }
    for exact in [ExactChange::Step, ExactChange::Stuck] {
        let mut counts = [0, 0];
        for seed in 0..systems(100) {
            let shape = Shape { hazards: seed % 2 == 1, ..Shape::BOOLEAN };
            let system = system(&mut Random::new(seed), shape);
            let wanted = obligations(&system, criteria()[seed as usize / 2 % 4], Counting::Precise);
            let method =
                if seed % 3 == 0 { GenerationMethod::Regular } else { GenerationMethod::Hybrid };
            let both = seed % 5 == 0;
            let mut options = if both { of_both(method) } else { exactly(exact, method) };
            if seed % 7 == 0 {
                options.oracle = Oracle::Maximum;
            }
            let context = format!("{}, seed {seed}", exact.word());
            let found = check(&system, &wanted, exact, &options, &context);
            counts = [counts[0] + found[0], counts[1] + found[1]];
        }
        assert!(counts[0] > 100 && counts[1] > 100, "{counts:?} covered and infeasible");
    }
}

#[test]
fn tests_with_numbers_cover_what_they_claim() {
    let Some(backend) = backend() else { return };
    for seed in 0..20 {
        let shape = Shape { hazards: seed % 2 == 1, ..Shape::MIXED };
        let system = system(&mut Random::new(seed), shape);
        let wanted = obligations(&system, criteria()[0], Counting::Published);
        for exact in [ExactChange::Step, ExactChange::Stuck] {
            let options = exactly(exact, GenerationMethod::Hybrid);
            let found = run(&system, &wanted, &backend, &options);
            let replayed = shown(&system, &wanted, exact, &options, &found);
            for (outcome, replayed) in found.outcomes.iter().zip(replayed) {
                assert_eq!(
                    matches!(outcome, ObligationVerdict::Covered(_)),
                    replayed,
                    "seed {seed}"
                );
            }
        }
    }
}

fn load(text: &str) -> System {
    let file = SourceFile::new("model.lus", text);
    provoke_lustre::load(&file, None).system.expect("the model is correct")
}

/// The test for one obligation alone; `None` if it is proven that there is none.
fn test_for(system: &System, id: &str, exact: ExactChange) -> Option<Vec<Vec<Value>>> {
    let backend = backend().expect("the caller has it");
    let mut wanted = obligations(system, criteria()[0], Counting::Precise);
    wanted.retain(|obligation| obligation.id == id);
    assert_eq!(wanted.len(), 1, "{id} is an obligation");
    let mut found = run(system, &wanted, &backend, &exactly(exact, GenerationMethod::Regular));
    match found.outcomes[0] {
        ObligationVerdict::Covered(test) => Some(found.tests.swap_remove(test).steps),
        _ if is_excluded(&found.effects[0], exact) => None,
        _ => panic!("undecided: {found:?}"),
    }
}

/// Thesis 3.2.3.
#[test]
fn the_worked_example_needs_three_steps() {
    if backend().is_none() {
        return;
    }
    let system = load(
        "node delay_chain(in1, in2, in3 : bool) returns (out : bool);
         var v1, v2, v3, v4 : bool;
         let
           v1 = false -> pre in1;
           v2 = in2 and v1;
           v3 = false -> pre v2;
           v4 = if in3 then v2 else v3;
           out = false -> pre v4;
         tel;",
    );
    for exact in [ExactChange::Step, ExactChange::Stuck] {
        let test = test_for(&system, "v2:omcdc:1T", exact).expect("a test");
        let [first, second, third] = &test[..] else { panic!("three steps: {test:?}") };
        assert_eq!(first[0], true.into());
        assert_eq!(second[1..], [true.into(), true.into()]);
        assert_eq!(third.len(), 3);
        for criterion in criteria() {
            let wanted = obligations(&system, criterion, Counting::Precise);
            let options = exactly(exact, GenerationMethod::Hybrid);
            check(&system, &wanted, exact, &options, "delay_chain");
        }
    }
}

/// Both ways out cancel: a tag arrives, a change never does.
#[test]
fn reconvergence_is_redundant_though_tags_arrive() {
    let Some(backend) = backend() else { return };
    let system = load(
        "node cancel(a, b : bool) returns (out : bool);
         var v : bool;
         let
           v = a and b;
           out = v xor v;
         tel;",
    );
    let mut wanted = obligations(&system, criteria()[0], Counting::Precise);
    wanted.retain(|obligation| obligation.id.starts_with("v:"));
    let by_tags = run(&system, &wanted, &backend, &options(GenerationMethod::Hybrid, 1));
    assert!(
        by_tags.outcomes.iter().all(|outcome| matches!(outcome, ObligationVerdict::Covered(_)))
    );
    for exact in [ExactChange::Step, ExactChange::Stuck] {
        let found = run(&system, &wanted, &backend, &exactly(exact, GenerationMethod::Hybrid));
        assert!(found.effects.iter().all(|facts| is_excluded(facts, exact)), "{found:?}");
    }
}

/// Whether the condition of `v` at true can be seen when `v` is always true.
fn is_covered(out: &str, exact: ExactChange) -> bool {
    let text = format!(
        "node constant(a : bool) returns (out : bool);
         var t, v : bool;
         let t = true -> pre t; v = t; out = {out}; tel;"
    );
    test_for(&load(&text), "v:omcdc:1T", exact).is_some()
}

#[test]
fn a_flip_and_a_held_value_show_different_things() {
    if backend().is_none() {
        return;
    }
    let both =
        |out: &str| [ExactChange::Step, ExactChange::Stuck].map(|exact| is_covered(out, exact));
    assert_eq!(both("v or a"), [true, true]);
    // One step alone is made up for by the other.
    assert_eq!(both("true -> v or pre v"), [false, true]);
    // A value that is always wrong is never seen to change.
    assert_eq!(both("false -> v xor pre v"), [true, false]);
}

#[test]
fn jobs_do_not_change_exact_results() {
    let Some(backend) = backend() else { return };
    for seed in 0..6 {
        let system = system(&mut Random::new(seed), Shape::BOOLEAN);
        let wanted = obligations(&system, criteria()[0], Counting::Published);
        let options = exactly(ExactChange::Step, GenerationMethod::Hybrid);
        let two = run(&system, &wanted, &backend, &options);
        let one = run(&system, &wanted, &backend, &StrategyOptions { jobs: 1, ..options });
        assert_eq!(one, two, "seed {seed}");
    }
}
