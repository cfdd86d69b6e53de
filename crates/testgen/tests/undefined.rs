//! What an unguarded `pre` is worth in the first step is undefined: a property holds only if it
//! does for every such value, a test counts only if it works for all of them, and an assertion
//! that is undefined restricts nothing.

mod common;

use common::{backend, options, run};
use provoke_base::SourceFile;
use provoke_criteria::{Counting, Criterion, obligations, properties};
use provoke_model::{System, Value};
use provoke_solve::engine::{Backend, Engine};
use provoke_testgen::{GenerationMethod, GenerationResult, ObligationVerdict, StrategyOptions};

fn system(text: &str) -> System {
    let loaded = provoke_lustre::load(&SourceFile::new("model.lus", text), None);
    loaded.system.unwrap_or_else(|| panic!("{text}: {:?}", loaded.diagnostics))
}

fn prove(system: &System, backend: &Backend) -> GenerationResult {
    let wanted = properties(system);
    assert!(!wanted.is_empty(), "a property");
    run(system, &wanted, backend, &options(GenerationMethod::Hybrid, 1))
}

/// The words of the outcomes.
fn verdicts(found: &GenerationResult) -> Vec<&'static str> {
    let word = |outcome: &ObligationVerdict| match outcome {
        ObligationVerdict::Covered(_) => "violated",
        ObligationVerdict::Infeasible(_) => "holds",
        ObligationVerdict::Unknown { .. } => "unknown",
    };
    found.outcomes.iter().map(word).collect()
}

#[test]
fn a_property_that_some_undefined_value_breaks_is_violated_by_a_run_with_that_value() {
    let Some(backend) = backend() else { return };
    let models = [
        "node n(x: bool) returns (ok: bool); let ok = pre true; --%PROPERTY ok; tel",
        "node sub(x: int) returns (y: int); let y = pre x; tel
         node n(x: int) returns (ok: bool); let ok = sub(x) = sub(x); --%PROPERTY ok; tel",
        "node n(x: int) returns (ok: bool); let ok = pre x = pre x; --%PROPERTY ok; tel",
        "node n(x: real) returns (ok: bool); let ok = pre (x - x) = 0.0; --%PROPERTY ok; tel",
        "type color = enum {Red, Green, Blue};
         node n(x: bool) returns (ok: bool); let ok = pre Green = Green; --%PROPERTY ok; tel",
        "node n(x: int^2) returns (ok: bool); var y: int^2;
         let y = pre x; ok = y[0] = y[0] and y[1] <> 7; assert x[1] <> 7; --%PROPERTY ok; tel",
        // A subrange restricts inputs only.
        "node n(x: subrange [1, 3] of int) returns (ok: bool);
         let ok = pre x >= 1; --%PROPERTY ok; tel",
        // Held while the clock is false, and so undefined for as long.
        "node sub(x: bool) returns (y: bool); let y = pre true; tel
         node n(c: bool) returns (ok: bool);
         let ok = condact(c, sub(c), true); --%PROPERTY ok; tel",
        "node sub(x: bool) returns (y: bool); let y = pre true; tel
         node n(c: bool) returns (ok: bool); var k: bool;
         let k = false -> true; ok = condact(k, sub(c), true); --%PROPERTY ok; tel",
    ];
    for text in models {
        let system = system(text);
        let found = prove(&system, &backend);
        assert_eq!(verdicts(&found), ["violated"], "{text}: {found:?}");
        let ObligationVerdict::Covered(test) = found.outcomes[0] else { unreachable!() };
        assert!(!found.tests[test].undefined.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn a_property_that_no_undefined_value_breaks_holds() {
    let Some(backend) = backend() else { return };
    let models = [
        "node n(x: bool) returns (ok: bool); let ok = true -> pre true; --%PROPERTY ok; tel",
        "node n(x: bool) returns (ok: bool); let ok = pre x or true; --%PROPERTY ok; tel",
        "node n(x: uint8) returns (ok: bool); let ok = pre x >= (uint8 0); --%PROPERTY ok; tel",
        // A variable of a node that was not active yet holds one value, whoever reads it.
        "node sub(x: int) returns (y: bool); let y = pre x = pre x; tel
         node n(x: int) returns (ok: bool); var k: bool;
         let k = false -> true; ok = condact(k, sub(x), true); --%PROPERTY ok; tel",
        "node n(x: int) returns (ok: bool); var p: int; let p = pre x; ok = p = p; --%PROPERTY ok; tel",
        "type color = enum {Red, Green, Blue};
         node n(x: color) returns (ok: bool); var p: color;
         let p = pre x; ok = p = Red or p = Green or p = Blue; --%PROPERTY ok; tel",
        "node sub(x: bool) returns (y: bool); let y = true -> pre true; tel
         node n(c: bool) returns (ok: bool);
         let ok = condact(c, sub(c), true); --%PROPERTY ok; tel",
    ];
    for text in models {
        let found = prove(&system(text), &backend);
        assert_eq!(verdicts(&found), ["holds"], "{text}: {found:?}");
    }
}

#[test]
fn copies_of_one_written_pre_have_the_same_undefined_value() {
    let Some(backend) = backend() else { return };
    let models = [
        "type P = struct { x: int; y: int };
         node n(c: bool) returns (ok: bool); var p: P;
         let p = if pre c then P { x = 1; y = 1 } else P { x = 0; y = 0 };
         ok = p.x = p.y; --%PROPERTY ok; tel",
        "node n(i: int) returns (ok: bool); var a, b: int^3;
         let a = [0, 0, 0]; b = a[pre i := 7];
         ok = not (b[0] = 7 and b[1] = 7); --%PROPERTY ok; tel",
    ];
    for text in models {
        let system = system(text);
        let found = prove(&system, &backend);
        assert_eq!(verdicts(&found), ["holds"], "{text}: {found:?}");
    }
    // Two instances have values of their own, though their texts are the same.
    let text = "type P = struct { x: int; y: int };
         node sub(c: bool) returns (p: P);
         let p = if pre true then P { x = 1; y = 1 } else P { x = 0; y = 0 }; tel
         node n(c: bool) returns (ok: bool); var p, q: P;
         let p = sub(c); q = sub(c); ok = p.x = q.y; --%PROPERTY ok; tel";
    let found = prove(&system(text), &backend);
    assert_eq!(verdicts(&found), ["violated"], "{text}: {found:?}");
}

#[test]
fn a_property_that_is_broken_whatever_is_undefined_needs_no_values() {
    let Some(backend) = backend() else { return };
    let system =
        system("node n(x: bool) returns (ok: bool); let ok = true -> pre x; --%PROPERTY ok; tel");
    let found = prove(&system, &backend);
    let ObligationVerdict::Covered(test) = found.outcomes[0] else { panic!("{found:?}") };
    assert!(found.tests[test].undefined.is_empty(), "{found:?}");
}

#[test]
fn the_falsifiable_models_with_undefined_values_are_violated() {
    let Some(backend) = backend() else { return };
    let Some(folder) = provoke_testkit::shared("models/kind2/falsifiable") else { return };
    let names = ["pre_const_bool4", "pre_const_bool5", "pre_const_int2", "test-unguarded-pre"];
    for name in names.into_iter().chain(["test-issue-236"]) {
        let text = std::fs::read_to_string(folder.join(format!("{name}.lus"))).expect("a model");
        let found = prove(&system(&text), &backend);
        assert!(verdicts(&found).contains(&"violated"), "{name}: {found:?}");
    }
}

#[test]
fn a_property_of_an_input_of_a_node_without_outputs_is_asked() {
    let Some(backend) = backend() else { return };
    let system = system("node n(x: bool) returns (); let --%PROPERTY x; tel");
    assert_eq!(verdicts(&prove(&system, &backend)), ["violated"]);
}

#[test]
fn what_only_an_undefined_value_can_do_is_neither_covered_nor_infeasible() {
    let Some(backend) = backend() else { return };
    // After the first step `pre x` is true, in it nobody knows.
    let system = system(
        "node n(x: bool) returns (y: bool); var v: bool;
         let v = pre x; y = v and not v; assert x; tel",
    );
    let criterion = Criterion::named("condition").expect("a criterion");
    let mut wanted = obligations(&system, criterion, Counting::Precise);
    wanted.retain(|obligation| obligation.text == "v");
    assert_eq!(wanted.len(), 4, "{wanted:?}");
    for method in [GenerationMethod::Hybrid, GenerationMethod::Regular] {
        let found = run(&system, &wanted, &backend, &options(method, 1));
        for (obligation, outcome) in wanted.iter().zip(&found.outcomes) {
            match (obligation.outcome, outcome) {
                (true, ObligationVerdict::Covered(_)) => {}
                (false, ObligationVerdict::Unknown { reason, .. }) => {
                    assert!(reason.starts_with("only an undefined value can do that"), "{reason}");
                }
                _ => panic!("{}: {outcome:?}", obligation.id),
            }
        }
    }
}

#[test]
fn an_assertion_that_is_undefined_restricts_nothing() {
    let Some(backend) = backend() else { return };
    // What is equal to itself whatever it is, is unknown all the same: one step is allowed.
    let system = system(
        "node n(x: int) returns (ok: bool); var v: int;
         let v = pre x; ok = x <> 123456; assert v <> v; --%PROPERTY ok; tel",
    );
    let found = prove(&system, &backend);
    assert_eq!(verdicts(&found), ["violated"], "{found:?}");
    let ObligationVerdict::Covered(test) = found.outcomes[0] else { unreachable!() };
    assert_eq!(found.tests[test].steps, [[Value::from(123_456)]], "{found:?}");
}

#[test]
fn what_the_first_step_does_not_look_at_is_not_undefined_there() {
    let Some(backend) = backend() else { return };
    let models = [
        "node n(b: bool) returns (y: int); let y = 0 -> if pre y > 3 then 9 else pre y; tel",
        "node n(b: bool) returns (y: int); var first: bool;
         let first = true -> false; y = if first then 0 else if pre y > 3 then 9 else pre y; tel",
    ];
    for text in models {
        let system = system(text);
        for word in ["condition", "branch", "mcdc"] {
            let criterion = Criterion::named(word).expect("a criterion");
            let mut wanted = obligations(&system, criterion, Counting::Precise);
            wanted.retain(|obligation| obligation.text.ends_with("> 3") && obligation.outcome);
            assert_eq!(wanted.len(), 1, "{text} {word}: {wanted:?}");
            for method in [GenerationMethod::Hybrid, GenerationMethod::Regular] {
                let found = run(&system, &wanted, &backend, &options(method, 1));
                let proven = matches!(found.outcomes[0], ObligationVerdict::Infeasible(_));
                assert!(proven, "{text} {word}: {:?}", found.outcomes);
            }
        }
    }
}

#[test]
fn a_value_that_a_clock_holds_before_its_first_activation_is_undefined() {
    let Some(backend) = backend() else { return };
    let system = system(
        "node h(i: bool) returns (o: bool); let o = false -> pre false; tel
         node n(i: bool) returns (o, claim: bool);
         let o = condact(false, h(i), false); claim = pre o; --%PROPERTY claim; tel",
    );
    assert_eq!(verdicts(&prove(&system, &backend)), ["violated"]);
    let criterion = Criterion::named("condition").expect("a criterion");
    let mut wanted = obligations(&system, criterion, Counting::Published);
    wanted.retain(|obligation| obligation.text == "h.o");
    assert!(wanted.len() >= 2, "{wanted:?}");
    for engine in Engine::ALL {
        let options = StrategyOptions { engine, ..options(GenerationMethod::Regular, 1) };
        let found = run(&system, &wanted, &backend, &options);
        let unknown =
            |outcome: &ObligationVerdict| matches!(outcome, ObligationVerdict::Unknown { .. });
        assert!(found.outcomes.iter().all(unknown), "{engine:?}: {:?}", found.outcomes);
    }
}

#[test]
fn a_property_that_divides_by_zero_in_a_run_does_not_hold() {
    let Some(backend) = backend() else { return };
    let guarded = "x <> 0 => 10 div x <= 10 or x < 0";
    let cases = [("10 div x <= 10 or x < 0", "violated"), (guarded, "holds")];
    for (property, verdict) in cases {
        let text = format!(
            "node n(x: int) returns (o: int);\nlet o = x;\n--%PROPERTY \"p\" {property};\ntel;"
        );
        let found = prove(&system(&text), &backend);
        assert_eq!(verdicts(&found), [verdict], "{property}");
    }
}
