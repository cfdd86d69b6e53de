//! A division by zero ends a run: the step in which it happens is no part of any, and what is
//! left out is not computed.

mod common;

use common::{backend, options, run};
use provoke_base::SourceFile;
use provoke_criteria::{Counting, Criterion, ExactChange, obligations, properties};
use provoke_model::System;
use provoke_testgen::{EvidenceRule, GenerationMethod, ObligationVerdict, StrategyOptions};

fn system(text: &str) -> System {
    let loaded = provoke_lustre::load(&SourceFile::new("model.lus", text), None);
    loaded.system.unwrap_or_else(|| panic!("{text}: {:?}", loaded.diagnostics))
}

/// A node with an integer input, of which it promises that it is never zero.
fn never_zero(body: &str) -> System {
    system(&format!(
        "node n(x: int; b: bool) returns (y: int; ok: bool); var v: bool;
         let v = b; ok = x <> 0; {body} --%PROPERTY ok; tel"
    ))
}

#[test]
fn what_divides_by_zero_in_every_run_is_part_of_none() {
    let Some(backend) = backend() else { return };
    let computed = [
        "y = 10 div x;",
        "y = 10 mod x;",
        "y = if 10.0 / real(x) > 3.0 then 1 else 0;",
        "y = if (10 div x > 3) or x = 0 then 1 else 0;",
        "y = if x = 0 then 10 div x else 0;",
        "y = 0 -> pre (10 div x);",
        "y = 0; assert x = 0 => 10 div x > 0;",
        "y = if b then 10 div x else 11 div x;",
    ];
    for body in computed {
        let system = never_zero(body);
        let found =
            run(&system, &properties(&system), &backend, &options(GenerationMethod::Hybrid, 1));
        assert!(matches!(found.outcomes[0], ObligationVerdict::Infeasible(_)), "{body}: {found:?}");
    }
}

#[test]
fn what_is_left_out_divides_nothing() {
    let Some(backend) = backend() else { return };
    let left_out = [
        "y = if x <> 0 then 10 div x else 0;",
        "y = if x = 0 or 10 div x > 3 then 1 else 0;",
        "y = if x <> 0 and 10 div x > 3 then 1 else 0;",
        "y = if x <> 0 => 10 div x > 3 then 1 else 0;",
        "y = 0 -> 10 div x;",
        "y = if b then 10 div x else 0;",
        // Not certain in the first step, and no run if it happens.
        "y = if pre b then 10 div x else 0;",
    ];
    for body in left_out {
        let system = never_zero(body);
        for method in [GenerationMethod::Hybrid, GenerationMethod::Regular] {
            let found = run(&system, &properties(&system), &backend, &options(method, 1));
            assert!(
                matches!(found.outcomes[0], ObligationVerdict::Covered(_)),
                "{body}: {found:?}"
            );
        }
    }
}

#[test]
fn a_condition_that_is_not_computed_has_no_value() {
    let Some(backend) = backend() else { return };
    let system = system("node n(x: int) returns (y: bool); let y = x <> 0 and 10 div x > 100; tel");
    let criterion = Criterion::named("condition").expect("a criterion");
    let wanted = obligations(&system, criterion, Counting::Precise);
    let found = run(&system, &wanted, &backend, &options(GenerationMethod::Regular, 1));
    for (obligation, outcome) in wanted.iter().zip(&found.outcomes) {
        let infeasible = obligation.id == "y:condition:2T";
        let right = match outcome {
            ObligationVerdict::Covered(_) => !infeasible,
            ObligationVerdict::Infeasible(_) => infeasible,
            ObligationVerdict::Unknown { .. } => false,
        };
        assert!(right, "{}: {outcome:?}", obligation.id);
    }
}

#[test]
fn a_fault_in_both_branches_of_what_is_undefined_ends_every_run() {
    let Some(backend) = backend() else { return };
    // Whatever `pre b` is, the first step divides by `x`: no test may go on from there.
    let system = system(
        "node n(x: int; b: bool) returns (y: int; z: bool);
         let y = if pre b then 10 div x else 11 div x; z = x = 0 and b; tel",
    );
    let criterion = Criterion::named("mcdc").expect("a criterion");
    let wanted = obligations(&system, criterion, Counting::Precise);
    for method in [GenerationMethod::Hybrid, GenerationMethod::Regular] {
        let found = run(&system, &wanted, &backend, &options(method, 1));
        for (obligation, outcome) in wanted.iter().zip(&found.outcomes) {
            let needs_zero = ["z:mcdc:1T", "z:mcdc:2T", "z:mcdc:2F"].contains(&&*obligation.id);
            let right = match outcome {
                ObligationVerdict::Infeasible(_) => needs_zero,
                ObligationVerdict::Covered(_) => !needs_zero,
                ObligationVerdict::Unknown { .. } => false,
            };
            assert!(right, "{}: {outcome:?}", obligation.id);
        }
    }
}

#[test]
fn a_guard_against_division_by_zero_is_not_called_infeasible() {
    let Some(backend) = backend() else { return };
    let system = system(
        "node n(x: int) returns (o: bool); var d, q: int;
         let d = if x <> 0 then x else 1; q = 10 div d; o = q - q = 0; tel",
    );
    let criterion = Criterion::named("omcdc").expect("a criterion");
    let mut wanted = obligations(&system, criterion, Counting::Precise);
    wanted.retain(|obligation| obligation.text == "x <> 0");
    assert_eq!(wanted.len(), 2, "{wanted:?}");
    for exact in [ExactChange::Stuck, ExactChange::Step] {
        for method in [GenerationMethod::Hybrid, GenerationMethod::Regular] {
            let evidence = EvidenceRule::Effects {
                step: exact == ExactChange::Step,
                stuck: exact == ExactChange::Stuck,
            };
            let options = StrategyOptions { evidence, ..options(method, 1) };
            let found = run(&system, &wanted, &backend, &options);
            for (obligation, facts) in wanted.iter().zip(&found.effects) {
                // Held at true it divides by zero; held at false it never does.
                let guards = !obligation.outcome;
                let proven = facts.redundant.is_some();
                assert_eq!(proven, !guards, "{} {}: {facts:?}", exact.word(), obligation.id);
            }
        }
    }
}

/// The guard never decides: where it is false, the other operand has no value.
#[test]
fn a_guard_that_never_decides_is_not_replaceable() {
    let Some(backend) = backend() else { return };
    let system =
        system("node n(x: int) returns (o: bool); let o = (x <> 0) and (10 div x > 1); tel");
    let criterion = Criterion::named("omcdc").expect("a criterion");
    let wanted = obligations(&system, criterion, Counting::Precise);
    let evidence = EvidenceRule::Effects { step: true, stuck: true };
    for method in [GenerationMethod::Hybrid, GenerationMethod::Regular] {
        let options = StrategyOptions { evidence, ..options(method, 1) };
        let found = run(&system, &wanted, &backend, &options);
        for (obligation, facts) in wanted.iter().zip(&found.effects) {
            assert_eq!(facts.redundant, None, "{}", obligation.id);
        }
    }
}

/// Why no test shows that each condition is always wrong, where none does.
fn reasons(text: &str) -> String {
    let Some(backend) = backend() else { return String::new() };
    let system = system(text);
    let criterion = Criterion::named("omcdc").expect("a criterion");
    let wanted = obligations(&system, criterion, Counting::Precise);
    let evidence = EvidenceRule::Effects { step: true, stuck: true };
    let options = StrategyOptions { evidence, ..options(GenerationMethod::Hybrid, 1) };
    let found = run(&system, &wanted, &backend, &options);
    let mut told = String::new();
    for (obligation, facts) in wanted.iter().zip(&found.effects) {
        for (form, open) in [("step", &facts.step_open), ("stuck", &facts.stuck_open)] {
            if let Some((reason, _)) = open.as_ref().filter(|_| facts.redundant.is_none()) {
                told += &format!("{} {form}: {reason}\n", obligation.id);
            }
        }
    }
    told
}

#[test]
fn it_is_told_what_a_difference_rests_on() {
    if backend().is_none() {
        return;
    }
    let check = |text: &str, expected: expect_test::Expect| expected.assert_eq(&reasons(text));
    check(
        "node n(x: int) returns (o: bool); let o = (x <> 0) and (10 div x > 1); tel",
        expect_test::expect![[r#"
            o:omcdc:1F step: the changed run divides by zero in step 1, in the definition of `o`
            o:omcdc:1F stuck: the changed run divides by zero in step 1, in the definition of `o`
        "#]],
    );
    // In the first step alone `c` is true, and `pre` worth anything if it is not.
    let with = |other: &str| {
        format!(
            "node n(x: int) returns (o: int); var c: bool;
             let c = true -> false; o = if c then 1 else {other}; tel"
        )
    };
    check(
        &with("pre x"),
        expect_test::expect![[r#"
        o:omcdc:1T step: the difference that was found rests on an undefined value: `pre x`
        o:omcdc:1T stuck: the difference that was found rests on an undefined value: `pre x`
    "#]],
    );
    check(
        &with("pre (x + 1) + pre x"),
        expect_test::expect![[r#"
        o:omcdc:1T step: the difference that was found rests on an undefined value: `pre x` and a `pre` in the definition of `o`
        o:omcdc:1T stuck: the difference that was found rests on an undefined value: `pre x` and a `pre` in the definition of `o`
    "#]],
    );
    check(
        &with("10 div pre x"),
        expect_test::expect![[r#"
        o:omcdc:1T step: the difference that was found rests on an undefined value: `pre x`
        o:omcdc:1T stuck: the difference that was found rests on an undefined value: `pre x`
    "#]],
    );
}
