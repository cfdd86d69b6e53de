//! Open inputs get values by policy.

mod common;

use common::{example, int, real, system_of};
use expect_test::expect;
use provoke_base::{IndexVec, Int};
use provoke_model::{EnumType, Range, Suite, System, Value};
use provoke_suite::{FillPolicy, fill};

/// The example's system, with a range for its integer input.
fn ranged_system() -> System {
    let mut system = system_of(&example());
    let level = system.var_named("pump.level~1").unwrap();
    let range = Range { low: Int::from(5), high: Int::parse("100000000000000000000000").unwrap() };
    system.vars[level].range = Some(range);
    system
}

fn filled(policy: FillPolicy) -> Suite {
    let mut suite = example();
    fill(&mut suite, &ranged_system(), policy);
    suite
}

fn inputs(suite: &Suite, test: usize) -> Vec<Vec<Value>> {
    suite.tests[test].steps.iter().map(|step| step.inputs.clone()).collect()
}

#[test]
fn defaults_are_false_zero_the_first_constant_and_the_lower_bound() {
    let suite = filled(FillPolicy::Default);
    let defaults = vec![false.into(), int("5"), real("0"), Value::Enum(0)];
    assert_eq!(inputs(&suite, 1), [defaults]);
    assert_eq!(inputs(&suite, 0)[1][0], false.into());
    assert_eq!(suite.tests[0].steps[0].inputs, example().tests[0].steps[0].inputs);
}

#[test]
fn holding_keeps_the_last_value_and_begins_with_the_default() {
    let suite = filled(FillPolicy::HoldLast);
    let huge = int("-123456789012345678901234567890");
    let expected = [
        vec![true.into(), 7.into(), real("-1/3"), Value::Enum(1)],
        vec![true.into(), huge.clone(), real("1/4"), Value::Enum(1)],
        vec![false.into(), huge, real("1/4"), Value::Enum(0)],
    ];
    assert_eq!(inputs(&suite, 0), expected);
    assert_eq!(inputs(&suite, 1)[0][1], int("5"));
}

#[test]
fn random_values_are_the_same_everywhere() {
    let mut suite = example();
    for _ in 0..4 {
        let open = suite.tests[1].steps[0].clone();
        suite.tests[1].steps.push(open);
    }
    fill(&mut suite, &ranged_system(), FillPolicy::Random(42));
    let mut shown = String::new();
    for values in inputs(&suite, 1) {
        let texts = suite.inputs.iter().zip(&values).map(|(s, v)| v.show(s.ty, &suite.enums));
        shown += &(texts.collect::<Vec<_>>().join(" ") + "\n");
    }
    expect![[r#"
        true 31298838381170057874831 -29/4 FAILED
        false 36335413617713964171589 -40/3 ON
        true 11045947658251644521383 -32/3 FAILED
        false 54315538064078330298000 -6 FAILED
        true 24025083337937933743446 19/4 OFF
    "#]]
    .assert_eq(&shown);
}

#[test]
fn random_values_stay_in_their_range_and_leave_given_values_alone() {
    let system = ranged_system();
    let level = system.var_named("pump.level~1").unwrap();
    let range = system.vars[level].range.clone().unwrap();
    for seed in 0..200 {
        let suite = filled(FillPolicy::Random(seed));
        assert!(range.contains(&inputs(&suite, 1)[0][1]));
        assert_eq!(inputs(&suite, 0)[0], example().tests[0].steps[0].inputs);
        assert!(inputs(&suite, 0).iter().flatten().all(Value::is_known));
    }
    assert_ne!(filled(FillPolicy::Random(1)), filled(FillPolicy::Random(2)));
}

#[test]
fn removing_a_test_does_not_change_the_random_values_of_others() {
    let mut alone = example();
    alone.tests.remove(0);
    fill(&mut alone, &ranged_system(), FillPolicy::Random(7));
    assert_eq!(alone.tests[0], filled(FillPolicy::Random(7)).tests[1]);
}

#[test]
fn inputs_that_the_suite_lacks_are_added_in_the_systems_order() {
    let mut suite = example();
    // Without enumerations of its own, the suite takes over the system's.
    suite.enums = IndexVec::from(Vec::<EnumType>::new());
    suite.inputs = vec![suite.inputs[2].clone(), suite.inputs[0].clone()];
    suite.outputs.clear();
    for step in suite.tests.iter_mut().flat_map(|test| &mut test.steps) {
        step.inputs = vec![step.inputs[2].clone(), step.inputs[0].clone()];
        step.outputs.clear();
    }
    fill(&mut suite, &ranged_system(), FillPolicy::Default);
    let names: Vec<_> = suite.inputs.iter().map(|input| input.name.as_str()).collect();
    assert_eq!(names, ["go", "pump.level~1", "flow!x#2[3]", "mode"]);
    assert_eq!(suite.enums.iter().next().unwrap().name, "Mode");
    let first = vec![true.into(), int("5"), real("-1/3"), Value::Enum(0)];
    assert_eq!(inputs(&suite, 0)[0], first);
}
