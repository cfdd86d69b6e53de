//! What assertions do to the runs of a model.

mod common;

use common::backend;
use provoke_base::SourceFile;
use provoke_model::{System, Value};
use provoke_sim::{Breach, Simulator};
use provoke_solve::Limit;
use provoke_testgen::{AssumptionAnalysis, DeadEnd, analyse_assumptions, undefined_assumptions};

fn system(body: &str) -> System {
    let text = format!("node n(x: int; b: bool) returns (y: int); var v: int; let {body} tel");
    let loaded = provoke_lustre::load(&SourceFile::new("model.lus", text), None);
    loaded.system.unwrap_or_else(|| panic!("{body}: {:?}", loaded.diagnostics))
}

fn analysed(body: &str) -> Option<AssumptionAnalysis> {
    Some(analyse_assumptions(&system(body), &backend()?, Limit::work(1_000_000)))
}

#[test]
fn assertions_that_contradict_each_other_at_once_leave_no_run() {
    let Some(found) = analysed("v = x; y = v; assert x > 3; assert x < 3;") else { return };
    assert_eq!(found.has_runs, Some(false));
    let found = analysed("v = x; y = v; assert x > 3; assert true -> x < 3;").expect("a solver");
    assert_eq!(found.has_runs, Some(true));
}

#[test]
fn a_dead_end_is_found_with_the_run_to_it() {
    let ends = [
        ("v = x; y = v; assert true -> false;", 1),
        ("v = 0 -> pre v + 1; y = v; assert v < 4;", 4),
        // Only one first input is bad, and it takes a look at the next step to see that.
        ("v = x; y = v; assert true -> pre x <> 4711;", 1),
        ("v = x; y = v; assert x >= 0; assert true -> x < pre x;", 1),
        ("v = 0 -> pre v + 1; y = v; assert v < 400;", 400),
        (
            "v = 0 -> if b then pre v + 1 else pre v; y = v; assert true -> not (pre v = 3 and v >= 3);",
            4,
        ),
    ];
    for (body, steps) in ends {
        let Some(found) = analysed(body) else { return };
        let DeadEnd::After(run) = found.dead_end else { panic!("{body}: {found:?}") };
        assert_eq!(run.len(), steps, "{body}: {run:?}");
        assert_no_way_on(&system(body), &run);
    }
}

/// The run is one, and none of many inputs continues it.
fn assert_no_way_on(system: &System, run: &[Vec<Value>]) {
    let mut simulator = Simulator::new(system);
    let outside = |breach: &Breach| matches!(breach, Breach::Assumption(_));
    for row in run {
        assert!(!simulator.step(row).expect("no fault").iter().any(outside), "{run:?}");
    }
    for x in -20..20 {
        for b in [false, true] {
            let mut next = simulator.clone();
            let breaches = next.step(&[Value::from(x), Value::Bool(b)]).expect("no fault");
            assert!(breaches.iter().any(outside), "{run:?} goes on with {x} {b}");
        }
    }
}

#[test]
fn where_there_is_always_a_way_on_that_is_proven_or_the_bound_is_told() {
    let always = ["v = x; y = v; assert x > 3;", "v = x; y = v; assert true -> b <> pre b;"];
    for body in always {
        let Some(found) = analysed(body) else { return };
        assert_eq!(found.dead_end, DeadEnd::Never, "{body}");
    }
    // Every state needs an input of its own, and numbers are many.
    let Some(found) = analysed("v = x; y = v; assert true -> x > pre x;") else { return };
    assert_eq!(found.dead_end, DeadEnd::NotWithin(0));
}

#[test]
fn assertions_that_hold_anyway_restrict_nothing() {
    let body = "v = 0 -> if b then pre v + 1 else pre v; y = v;
         assert v >= 0; assert x > 3; assert b or not b; assert x <> 0 or 10 div x > 0;";
    let Some(found) = analysed(body) else { return };
    assert_eq!(found.restricting_nothing, [0, 2]);
}

#[test]
fn assertions_that_an_unguarded_pre_leaves_undefined_are_named_without_a_solver() {
    let system = system(
        "v = x; y = v; assert x > 3; assert pre x > 3; assert true -> pre x > 3; assert pre b;",
    );
    assert_eq!(undefined_assumptions(&system), [1, 3]);
}
