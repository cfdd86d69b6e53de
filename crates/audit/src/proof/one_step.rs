//! Claims that a wrong value is never seen, against all runs of small models: a condition that is wrong in
//! one step, or always.

use std::sync::Arc;

use provoke_model::{Type, Value};

use super::tests::{LIMIT, model, solvers};
use super::{Setting, Verdict, check};
use crate::audit::made_wrong;
use crate::certificate::Subject;
use crate::coverage::{Exact, Masking, Measure};
use crate::graph::Graph;
use crate::instances::{Model, WrongValue};
use crate::obligations::{Counting, Obligation, obligations};

const HASH: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Models over few Booleans, in which conditions are remembered in every way there is.
const MODELS: [&str; 14] = [
    "node n(a: bool) returns (o: bool); let o = false -> pre a; tel",
    "node n(a: bool) returns (o: bool); let o = false -> a or pre a; tel",
    "node n(a, b: bool) returns (o: bool); let o = false -> pre (a and b) or pre (a or a); tel",
    "node n(a: bool) returns (o: bool); var x: bool; let x = a or a; o = true -> pre x and x; tel",
    "node n(a: bool) returns (o: bool); var x, y: bool;
     let x = false -> pre y; y = a or x; o = true -> (pre y => y); tel",
    "node n(a: bool) returns (o: bool); var x, y: bool;
     let x = a -> pre x; y = a -> pre y; o = (x = y) or a; tel",
    "node m(a: bool) returns (o: bool); let o = a -> a or pre a; tel
     node n(a, c: bool) returns (o: bool); let o = condact(c, m(a), true); tel",
    "node m(a: bool) returns (o: bool); let o = a -> pre (a and o); tel
     node n(a, c: bool) returns (o: bool); let o = condact(c, m(a), false) and (c -> pre c); tel",
    "node n(a: bool) returns (o: bool); var c: bool; x: int;
     let c = true -> false; x = if c then 1 else 2; o = 4 div x > 0 or (a and c); tel",
    "node n(a: bool) returns (o: bool); let o = pre a or not pre a or a; tel",
    "node n(a: bool) returns (o: bool); let o = true -> pre (true -> pre a); tel",
    "type T = enum { A, B }; node n(a: bool) returns (o: bool); var t: T;
     let t = A -> if a then pre t else B; o = (t = A) or (pre t = A and a); assert true -> a or pre a; tel",
    "node n(a: bool) returns (o: bool); var x: bool^2;
     let x = [a, false -> pre x[0]]; o = x[1] = x[0] or (false -> (pre x)[if a then 1 else 0]); tel",
    "node k(a: bool) returns (o: bool); let o = a -> pre o or a; tel
     node m(a, d: bool) returns (o: bool); let o = condact(d, k(a), a) and (d -> pre d); tel
     node n(a, c: bool) returns (o: bool); let o = condact(c, m(a, not a), true); tel",
];

/// How long the runs are.
const STEPS: usize = 3;

/// All inputs of some steps.
fn runs(model: &Model) -> Vec<Vec<Vec<Value>>> {
    let width = model.inputs.len();
    assert!(model.inputs.iter().all(|var| model.vars[*var].ty == Type::Bool));
    let bit = |bits: usize, at: usize| Value::Bool(bits >> at & 1 == 1);
    let row =
        |bits: usize, step: usize| (0..width).map(|at| bit(bits, step * width + at)).collect();
    (0..1 << (width * STEPS)).map(|bits| (0..STEPS).map(|step| row(bits, step)).collect()).collect()
}

fn subject(obligation: &Obligation, exact: Exact) -> Subject {
    let (criterion, obligation) = ("omcdc".to_string(), obligation.id.clone());
    match exact {
        Exact::Step => Subject::Once { criterion, obligation },
        Exact::Stuck => Subject::Redundant { criterion, obligation },
    }
}

/// What the audit says of claims by a certificate.
fn verdicts(model: &Arc<Model>, text: &str, body: &str, claims: &[Subject]) -> Vec<Verdict> {
    let graph = Graph::new(model).expect("small enough");
    let wanted = obligations(&graph, "omcdc", Counting::Precise).expect("a criterion");
    let outputs = model.outputs.iter().map(|var| model.vars[*var].name.clone());
    let monitored: Vec<String> = outputs.collect();
    let setting = Setting {
        model,
        graph: &graph,
        hash: HASH,
        assumptions: &[],
        masking: Masking::Strict,
        counting: Counting::Precise,
        monitored: &monitored,
        mutant: &|subject| {
            let (id, is_once) = match subject {
                Subject::Redundant { obligation, .. } => (obligation, false),
                Subject::Once { obligation, .. } => (obligation, true),
                other => return Err(format!("{other:?}")),
            };
            let found = wanted.iter().find(|one| one.id == *id).expect("an obligation");
            let value = !found.outcome;
            let wrong = if is_once { WrongValue::Once(value) } else { WrongValue::Always(value) };
            made_wrong(super::tests::model(text), &graph, found.node, wrong)
        },
        solvers: &solvers(),
        limit: LIMIT,
        stop: &|| false,
        jobs: 1,
    };
    let head = format!("provoke-cert 1\nmodel sha256:{HASH} node n numbers exact\n");
    let found = check(&setting, format!("{head}{body}").as_bytes(), claims);
    assert!(found.disagreement.is_none(), "{:?}", found.disagreement);
    found.verdicts
}

/// Facts and how far to look: such as help, such as are useless, and such as lie.
const HINTS: [(&str, &str); 6] = [
    ("EQUAL", "k 0"),
    ("EQUAL", "k 2\ndistinct"),
    ("fact (pre (`fault:right` or `fault:over`))\nEQUAL", "k 1"),
    ("fact (not (pre `fault:over`))\n", "k 1"),
    ("fact false\n", "k 0"),
    ("EQUAL", "k 0\ninvariant (pre `fault:right`)"),
];

/// A certificate that says the same of all claims.
fn body(claims: &[Subject], names: &[String], (facts, hint): (&str, &str)) -> String {
    let equal = names.iter().map(|name| format!("fact ((pre `{name}`) = (pre `mutant:{name}`))\n"));
    let facts = facts.replace("EQUAL", &equal.collect::<String>());
    let (k, rest) = hint.split_once('\n').unwrap_or((hint, ""));
    let rest = if rest.is_empty() { String::new() } else { format!("{rest}\n") };
    let one = |(at, claim): (usize, &Subject)| {
        let (word, id) = match claim {
            Subject::Once { obligation, .. } => ("once", obligation),
            Subject::Redundant { obligation, .. } => ("redundant", obligation),
            other => unreachable!("{other:?}"),
        };
        format!("group G{at} on {id}\n{facts}claim {word} omcdc {id}\n{k}\nuses G{at}\n{rest}end\n")
    };
    claims.iter().enumerate().map(one).collect()
}

#[test]
fn nothing_is_confirmed_that_a_run_denies() {
    if solvers().is_empty() {
        return;
    }
    let (mut confirmed, mut refuted) = (0, 0);
    for text in MODELS {
        let model = Arc::new(model(text));
        let graph = Graph::new(&model).expect("small enough");
        let outputs = model.outputs.iter();
        let monitored: Vec<_> =
            outputs.filter_map(|var| graph.cell_named(&model.vars[*var].name)).collect();
        let wanted = obligations(&graph, "omcdc", Counting::Precise).expect("a criterion");
        let names: Vec<String> = model.vars.iter().map(|var| var.name.clone()).collect();
        let all = runs(&model);
        for exact in [Exact::Step, Exact::Stuck] {
            let measure = Measure::new(&graph, Masking::Strict, Some(exact), monitored.clone());
            let is_seen = |one: &Obligation| {
                let one = std::slice::from_ref(one);
                all.iter().any(|run| !measure.covered(one, run).is_empty())
            };
            let seen: Vec<bool> = wanted.iter().map(is_seen).collect();
            let claims: Vec<Subject> = wanted.iter().map(|one| subject(one, exact)).collect();
            for hint in HINTS {
                let found = verdicts(&model, text, &body(&claims, &names, hint), &claims);
                for ((claim, seen), found) in claims.iter().zip(&seen).zip(found) {
                    let context = || format!("{text}\n{claim:?} {hint:?}: seen {seen}, {found:?}");
                    match found {
                        Verdict::Confirmed { .. } => assert!(!seen, "{}", context()),
                        // A constant that some undefined values deny is refuted with them.
                        Verdict::Refuted(_) if exact == Exact::Step => {
                            assert!(seen, "{}", context());
                        }
                        _ => {}
                    }
                    confirmed += usize::from(matches!(found, Verdict::Confirmed { .. }));
                    refuted += usize::from(matches!(found, Verdict::Refuted(_)));
                }
            }
        }
    }
    assert!(confirmed > 10 && refuted > 100, "{confirmed} confirmed, {refuted} refuted");
}
