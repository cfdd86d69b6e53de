//! Measurement against its definition, on small random systems and all short tests.

mod naive;

use naive::{visible_by_change, visible_by_tags};
use provoke_base::Random;
use provoke_criteria::{
    ComparisonSettings, Counting, Criterion, DisagreementReason, EffectFate, ExactChange,
    ExactMeasurement, Masking, Measurement, Obligation, Oracle, TagFollower, WhyNot, compare,
    obligations,
};
use provoke_model::{BinaryOp, ExprKind, System, Value};
use provoke_testkit::random_system::{self, Shape};

fn observable(system: &System) -> Vec<Obligation> {
    let criteria = Criterion::ALL.into_iter().filter(|criterion| criterion.observable);
    criteria.flat_map(|criterion| obligations(system, criterion, Counting::Precise)).collect()
}

/// All tests of `length` steps over the given values of each input.
fn all_tests(system: &System, length: usize, values: &[Value]) -> Vec<Vec<Vec<Value>>> {
    let places = system.inputs.len() * length;
    let nth = |number: usize, place: usize| {
        values[number / values.len().pow(place as u32) % values.len()].clone()
    };
    let test = |number: usize| {
        let step = |step: usize| {
            (0..system.inputs.len()).map(|i| nth(number, step * system.inputs.len() + i)).collect()
        };
        (0..length).map(step).collect()
    };
    (0..values.len().pow(places as u32)).map(test).collect()
}

fn booleans() -> [Value; 2] {
    [Value::Bool(false), Value::Bool(true)]
}

/// What a test of `length` steps covers when each obligation is first visible at its step.
fn covered_within(visible: &[Option<usize>], length: usize) -> Vec<usize> {
    let within = |step: &Option<usize>| step.is_some_and(|step| step <= length);
    visible.iter().enumerate().filter(|(_, step)| within(step)).map(|(o, _)| o).collect()
}

fn sorted(mut covered: Vec<usize>) -> Vec<usize> {
    covered.sort_unstable();
    covered
}

/// Boolean systems: most with one input, some with two, which have many more tests.
fn systems(from: u64, count: u64) -> impl Iterator<Item = (u64, System)> {
    (from..from + count).map(|seed| {
        let inputs = if seed % 25 == 0 { 2 } else { 1 };
        let shape = Shape { inputs, defined: 3 + seed as usize % 2, ..Shape::BOOLEAN };
        (seed, random_system::system(&mut Random::new(seed), shape))
    })
}

#[test]
fn tags_are_what_the_definition_says_on_a_thousand_systems() {
    let mut covered = 0;
    for (seed, system) in systems(0, 1000) {
        let wanted = observable(&system);
        let masking = Masking::ALL[seed as usize % 3];
        let mut measurement =
            Measurement::new(&system, &wanted, masking, &Oracle::Outputs).of_every_test();
        for test in all_tests(&system, 4, &booleans()) {
            let visible = visible_by_tags(&system, &wanted, masking, &system.outputs, &test);
            for length in 1..=4 {
                let found = sorted(measurement.run_test(&test[..length]).covered);
                assert_eq!(found, covered_within(&visible, length), "seed {seed}: {test:?}");
                covered += found.len();
            }
        }
    }
    assert!(covered > 100_000, "only {covered} were covered");
}

fn check_exact(exact: ExactChange) {
    let mut covered = 0;
    for (seed, system) in systems(0, 1000) {
        // The definition is slow, so each system is measured by one of the criteria.
        let criterion = Criterion::ALL[4 + seed as usize % 4];
        let wanted = obligations(&system, criterion, Counting::Precise);
        let masking = Masking::ALL[seed as usize % 3];
        let mut measurement =
            ExactMeasurement::new(&system, &wanted, exact, masking, &Oracle::Outputs)
                .of_every_test();
        for test in all_tests(&system, 4, &booleans()) {
            let visible =
                visible_by_change(&system, &wanted, exact, masking, &system.outputs, &test);
            for length in 1..=4 {
                let found = sorted(measurement.run_test(&test[..length]).covered);
                assert_eq!(found, covered_within(&visible, length), "seed {seed}: {test:?}");
                covered += found.len();
            }
        }
    }
    assert!(covered > 100_000, "only {covered} were covered");
}

#[test]
fn changes_of_one_step_are_what_the_definition_says_on_a_thousand_systems() {
    check_exact(ExactChange::Step);
}

#[test]
fn stuck_values_are_what_the_definition_says_on_a_thousand_systems() {
    check_exact(ExactChange::Stuck);
}

/// Systems of all types with tests in which some inputs are open; no divisor can be zero, so
/// that every run has values.
fn with_numbers(count: u64) -> impl Iterator<Item = (u64, System, Vec<Vec<Vec<Value>>>)> {
    (0..count).filter_map(|seed| {
        let mut random = Random::new(seed);
        let shape = Shape { defined: 6, hazards: seed % 2 == 0, ..Shape::MIXED };
        let system = random_system::system(&mut random, shape);
        let mut step = || {
            let mut inputs = random_system::inputs(&mut random, &system);
            inputs.iter_mut().filter(|_| random.chance(1, 10)).for_each(|v| *v = Value::Unknown);
            inputs
        };
        let tests = (0..4).map(|_| (0..6).map(|_| step()).collect()).collect();
        (!divides_by_a_variable(&system)).then_some((seed, system, tests))
    })
}

fn divides_by_a_variable(system: &System) -> bool {
    system.exprs.iter().any(|expr| match expr.kind {
        ExprKind::Binary(BinaryOp::Div | BinaryOp::IntDiv | BinaryOp::Mod, _, divisor) => {
            let ExprKind::Const(value) = &system.exprs[divisor].kind else { return true };
            *value == Value::from(0)
                || *value == Value::Real(provoke_base::Rational::from(&0.into()))
        }
        _ => false,
    })
}

#[test]
fn numbers_unknown_inputs_and_unguarded_delays_are_measured_by_definition_too() {
    let (mut systems, mut covered) = (0, 0);
    for (seed, system, tests) in with_numbers(700) {
        let wanted = observable(&system);
        let masking = Masking::ALL[seed as usize % 3];
        let watched = &system.outputs;
        let mut tagged =
            Measurement::new(&system, &wanted, masking, &Oracle::Outputs).of_every_test();
        for test in &tests {
            let visible = visible_by_tags(&system, &wanted, masking, watched, test);
            let found = sorted(tagged.run_test(test).covered);
            assert_eq!(found, covered_within(&visible, test.len()), "seed {seed}");
            covered += found.len();
            for exact in [ExactChange::Step, ExactChange::Stuck] {
                let visible = visible_by_change(&system, &wanted, exact, masking, watched, test);
                let mut changed =
                    ExactMeasurement::new(&system, &wanted, exact, masking, &Oracle::Outputs);
                let found = sorted(changed.run_test(test).covered);
                assert_eq!(found, covered_within(&visible, test.len()), "seed {seed} {exact:?}");
            }
        }
        systems += 1;
    }
    assert!(systems > 200 && covered > 5_000, "{systems} systems, {covered} covered");
}

/// The kinds of disagreement that occur, each by the first letters of its name.
fn kinds(
    system: &System,
    masking: Masking,
    exact: ExactChange,
    criterion: &str,
    tests: &[Vec<Vec<Value>>],
) -> Vec<DisagreementReason> {
    let wanted = obligations(system, Criterion::named(criterion).unwrap(), Counting::Precise);
    let setting = ComparisonSettings { masking, oracle: Oracle::Outputs, exact, more_steps: 8 };
    let comparison = compare(system, &wanted, &setting, tests);
    comparison.disagreements.iter().map(|disagreement| disagreement.reason).collect()
}

#[test]
fn every_disagreement_of_tags_and_changes_is_of_a_named_kind() {
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    for (seed, system) in systems(0, 1000) {
        let all = all_tests(&system, 3, &booleans());
        // Few tests leave more to disagree about.
        let tests = [all[seed as usize % all.len()].clone(), all[all.len() / 2].clone()];
        for exact in [ExactChange::Step, ExactChange::Stuck] {
            for criterion in ["omcdc", "odecision", "obranch"] {
                for reason in kinds(&system, Masking::Strict, exact, criterion, &tests) {
                    let named = matches!(
                        reason,
                        DisagreementReason::TooShort(_) | DisagreementReason::Reconvergence
                    );
                    assert!(named, "seed {seed}: {criterion} {exact:?} {reason:?}");
                    *seen.entry(reason.words()).or_default() += 1;
                }
            }
            for reason in kinds(&system, Masking::Original, exact, "ocondition", &tests) {
                *seen.entry(reason.words()).or_default() += 1;
            }
            for reason in kinds(&system, Masking::ShortCircuit, exact, "omcdc", &tests) {
                *seen.entry(reason.words()).or_default() += 1;
            }
        }
    }
    let expected = [
        "both operands decide",
        "masked by reconvergence",
        "test too short: needs one more step",
        "the branches are equal",
        "the variable is tagged, not the occurrence",
    ];
    for words in expected {
        assert!(seen.contains_key(words), "{words} never occurred: {seen:?}");
    }
    assert!(!seen.contains_key(&DisagreementReason::NotKnown.words()), "{seen:?}");
    assert!(!seen.contains_key(&DisagreementReason::Arithmetic.words()), "{seen:?}");
}

#[test]
fn numbers_add_no_other_kind_than_arithmetic_and_unknown_values() {
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    for (_, system, tests) in with_numbers(400) {
        for exact in [ExactChange::Step, ExactChange::Stuck] {
            for reason in kinds(&system, Masking::Strict, exact, "omcdc", &tests[..1]) {
                let words = reason.words();
                let family = words.split(':').next().unwrap_or_default().to_owned();
                *seen.entry(family).or_default() += 1;
            }
        }
    }
    let expected = [
        "cancelled by arithmetic",
        "depends on an unknown value",
        "masked by reconvergence",
        "test too short",
    ];
    assert!(seen.keys().all(|words| expected.contains(&words.as_str())), "{seen:?}");
    assert!(seen.contains_key("cancelled by arithmetic"), "{seen:?}");
}

#[test]
fn shared_expressions_are_measured_by_definition_too() {
    let mut shared = 0;
    for (seed, original) in systems(5000, 200) {
        let system = provoke_lustre::transform::inline(&original);
        let uses = system.exprs.iter().flat_map(|expr| expr.kind.operands());
        let mut uses: Vec<_> = uses.collect();
        let all = uses.len();
        uses.sort_unstable();
        uses.dedup();
        shared += all - uses.len();
        let wanted = observable(&system);
        let watched = &system.outputs;
        let masking = Masking::ALL[seed as usize % 3];
        let mut tagged =
            Measurement::new(&system, &wanted, masking, &Oracle::Outputs).of_every_test();
        let mut changed =
            ExactMeasurement::new(&system, &wanted, ExactChange::Step, masking, &Oracle::Outputs)
                .of_every_test();
        for test in all_tests(&system, 3, &booleans()) {
            let visible = visible_by_tags(&system, &wanted, masking, watched, &test);
            let found = sorted(tagged.run_test(&test).covered);
            assert_eq!(found, covered_within(&visible, 3), "seed {seed}");
            let visible =
                visible_by_change(&system, &wanted, ExactChange::Step, masking, watched, &test);
            let found = sorted(changed.run_test(&test).covered);
            assert_eq!(found, covered_within(&visible, 3), "seed {seed}");
        }
    }
    assert!(shared > 100, "only {shared} expressions were shared");
}

#[test]
fn the_way_of_every_covered_obligation_is_found_again_and_no_other() {
    let (mut ways, mut waits, mut ends) = (0, 0, 0);
    for (seed, system) in systems(4000, 150) {
        let wanted = observable(&system);
        let masking = Masking::ALL[seed as usize % 3];
        let mut follower = TagFollower::new(&system, masking, &Oracle::Outputs);
        for test in all_tests(&system, 4, &booleans()).iter().step_by(3) {
            let mut measurement = Measurement::new(&system, &wanted, masking, &Oracle::Outputs);
            measurement.run_test(test);
            let fates = follower.follow(&wanted, test);
            for (fate, status) in fates.iter().zip(&measurement.coverage().statuses) {
                let agrees = match (fate, status.covered, status.why_not()) {
                    (EffectFate::Visible(path), Some(covered), _) => {
                        ways += 1;
                        path.visits.last().is_some_and(|visit| visit.step == covered.step)
                            && path.visits.is_sorted_by_key(|visit| visit.step)
                            && path.base_step <= path.visits[0].step
                    }
                    (EffectFate::Waiting(_), None, Some(WhyNot::TooLate(_))) => {
                        waits += 1;
                        true
                    }
                    (EffectFate::Masked { losses, .. }, None, Some(WhyNot::Masked(_))) => {
                        ends += 1;
                        !losses.is_empty()
                    }
                    (EffectFate::NeverReached, None, Some(WhyNot::NeverReached)) => true,
                    _ => false,
                };
                assert!(agrees, "seed {seed}: {fate:?} {status:?}");
            }
        }
    }
    assert!(ways > 1000 && waits > 100 && ends > 1000, "{ways} {waits} {ends}");
}

#[test]
fn adding_a_test_never_lowers_coverage_and_the_order_of_tests_does_not_matter() {
    for (seed, system) in systems(2000, 60) {
        let wanted = observable(&system);
        let tests = all_tests(&system, 3, &booleans());
        let measured = |tests: &mut dyn Iterator<Item = &Vec<Vec<Value>>>| {
            let mut measurement =
                Measurement::new(&system, &wanted, Masking::Strict, &Oracle::Outputs);
            let mut growth = vec![0];
            for test in tests {
                measurement.run_test(test);
                growth.push(measurement.coverage().covered());
            }
            assert!(growth.is_sorted(), "seed {seed}: {growth:?}");
            measurement.coverage().uncovered().collect::<Vec<_>>()
        };
        let forwards = measured(&mut tests.iter());
        let backwards = measured(&mut tests.iter().rev());
        assert_eq!(forwards, backwards, "seed {seed}");
    }
}

#[test]
fn a_run_taken_up_from_a_checkpoint_covers_what_it_would_have_covered() {
    for (seed, system) in systems(3000, 40) {
        let wanted = observable(&system);
        let new = || Measurement::new(&system, &wanted, Masking::Strict, &Oracle::Outputs);
        for test in all_tests(&system, 4, &booleans()).iter().step_by(3) {
            let whole = sorted(new().run_test(test).covered);
            let mut first = new();
            first.begin();
            test[..2].iter().for_each(|inputs| drop(first.step(inputs)));
            let checkpoint = first.checkpoint();
            let mut covered = first.end().covered;
            first.run_test(&[]);
            first.resume(&checkpoint);
            test[2..].iter().for_each(|inputs| drop(first.step(inputs)));
            covered.extend(first.end().covered);
            assert_eq!(sorted(covered), whole, "seed {seed}");
        }
    }
}
