//! Small models with dead ends, undefined values and divisions by zero, all verdicts against
//! brute force: every input and every value of what is undefined, in every state.

mod common;

use std::collections::{HashSet, VecDeque};

use common::{backend, options, run, undefined};
use provoke_base::SourceFile;
use provoke_criteria::{
    Checkpoint, Counting, Criterion, Masking, Measurement, Obligation, ObligationKind, Oracle,
    obligations, properties,
};
use provoke_model::{System, Type, Value};
use provoke_sim::interpreter::delays;
use provoke_sim::{Breach, SimState, Simulator};
use provoke_testgen::{GenerationMethod, ObligationVerdict};

/// Bodies of a node with inputs `a`, `b` and `x` from -1 to 2; `p` and `o` are seen, and `o` is
/// promised to be true.
const BODIES: [&str; 40] = [
    // Runs that end.
    "p = a; o = not (a and b); assert true -> false;",
    "p = a; o = x < 2; assert true -> pre x < 1;",
    "p = a; o = x < 2 or (false -> true); assert true -> pre x < 1;",
    "p = a and (true -> false); o = not p; assert true -> not pre a;",
    "p = a; o = n < 3; n = 0 -> pre n + 1; assert n < 3;",
    "p = a; o = n < 3; n = 0 -> pre n + 1; assert n < 4;",
    "p = a or b; o = not (p and pre p); assert true -> not (pre a and pre b);",
    "p = a; o = true -> not pre a; assert a => (true -> false);",
    "p = a xor b; o = true -> pre p or p; assert true -> (pre a) <> a;",
    "p = a; o = true -> not (pre x = 2 and a); assert true -> x > pre x;",
    "p = a; o = true -> pre (true -> pre (not b)); assert true -> (true -> pre a) and not a;",
    // Undefined values.
    "p = pre a; o = p or not a;",
    "p = pre true; o = p;",
    "p = pre a; q = pre a; o = p = q;",
    "p = pre a; o = p = p;",
    "n = pre x; p = n > 1; o = n <> 2;",
    "n = pre x; p = n * 0 = 0; o = p;",
    "n = pre (pre x); p = n > 1 and a; o = not p;",
    "p = pre a and b; o = p => (true -> pre b or a);",
    "p = if pre a then b else b; o = p = b;",
    "p = (pre a or not a) and (a or b); o = p or not b;",
    "q = pre a; p = q and not q; o = not p;",
    "q = pre a; p = if q then a else not a; o = p = (a = q);",
    "p = pre q; q = a -> pre q and a; o = p or true;",
    // Undefined assertions.
    "p = a; o = not a; assert pre a;",
    "q = pre a; p = a; o = not (a and b); assert q and not q;",
    "p = a; o = x <> 2; assert pre x < 1;",
    "q = pre a; p = a; o = true -> not (a and pre b); assert q or b;",
    "p = a and b; o = not p; assert pre a or a;",
    "p = a; o = not (a and pre b); assert (pre b) = (pre b);",
    // Divisions by zero.
    "n = 2 div x; p = n > 1; o = x <> 0;",
    "n = if x <> 0 then 2 div x else 0; p = n > 1; o = x <> 0;",
    "p = x <> 0 and 2 div x > 1; o = not (p and x = 2);",
    "p = 2 div x > 1 or x = 0; o = x <> 0 or a;",
    "n = 0 -> pre (2 mod x); p = n = 0; o = x <> 0;",
    "n = 2 div (x - m); m = 0 -> pre x; p = n > 0; o = true -> x <> pre x;",
    "p = a; o = x <> 0; assert 2 div x <> 2;",
    "n = if pre a then 2 div x else 0; p = n > 0; o = x <> 0;",
    "n = if pre a then 2 div x else 1 div x; p = x = 0; o = x <> 0 or (false -> true);",
    "n = pre x; m = 2 div n; p = m > 0; o = true -> pre x <> 0;",
];

fn system(body: &str) -> System {
    let mut whole = body.to_string();
    for (var, default) in [("q", "q = a;"), ("n", "n = 0;"), ("m", "m = 0;")] {
        if !body.contains(&format!("{var} =")) {
            whole += default;
        }
    }
    let text = format!(
        "node top(a, b: bool; x: subrange [-1, 2] of int) returns (p, o: bool);
         var q: bool; n, m: int; let {whole} --%PROPERTY o; tel"
    );
    let loaded = provoke_lustre::load(&SourceFile::new("model.lus", text), None);
    loaded.system.unwrap_or_else(|| panic!("{body}: {:?}", loaded.diagnostics))
}

fn rows() -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for x in -1..=2 {
        for [a, b] in [[false, false], [false, true], [true, false], [true, true]] {
            rows.push(vec![Value::Bool(a), Value::Bool(b), Value::from(x)]);
        }
    }
    rows
}

/// All values of what is undefined; numbers as far as constants of the models go.
fn starts(system: &System) -> Vec<Vec<Value>> {
    let mut starts = vec![Vec::new()];
    for (pre, undefined) in delays(system).into_iter().zip(undefined(system)) {
        let values: Vec<Value> = match system.exprs[pre].ty {
            _ if !undefined => vec![Value::Unknown],
            Type::Bool => vec![false.into(), true.into()],
            _ => (-1..=3).map(Value::from).collect(),
        };
        let longer = |start: Vec<Value>| {
            values.iter().map(move |value| [start.clone(), vec![value.clone()]].concat())
        };
        starts = starts.into_iter().flat_map(longer).collect();
    }
    starts
}

fn is_outside(breaches: &[Breach]) -> bool {
    breaches.iter().any(|breach| matches!(breach, Breach::Assumption(_)))
}

/// How deep brute force goes; these models repeat themselves sooner.
const DEPTH: usize = 8;

/// Whether something is covered in a run that starts with some of `memories`.
fn coverable(system: &System, obligation: &Obligation, memories: &[Vec<Value>]) -> bool {
    let one = std::slice::from_ref(obligation);
    let fresh = Measurement::new(system, one, Masking::Strict, &Oracle::Outputs);
    let (rows, mut certain) = (rows(), Simulator::new(system));
    let unknown = certain.state().clone();
    let mut seen = HashSet::new();
    let mut open: VecDeque<(Checkpoint, SimState, usize)> = VecDeque::new();
    for memory in memories {
        let mut measurement = fresh.clone();
        measurement.begin_at(&SimState::new(0, memory.clone()));
        open.push_back((measurement.checkpoint(), unknown.clone(), 0));
    }
    while let Some((from, known, depth)) = open.pop_front() {
        for row in &rows {
            // An assertion that is undefined restricts nothing, whatever the values are.
            certain.restore(&known);
            match certain.step(row) {
                Ok(breaches) if !is_outside(&breaches) => {}
                _ => continue,
            }
            let mut measurement = fresh.clone();
            measurement.resume(&from);
            if measurement.step(row).is_err() || measurement.is_outside() {
                continue;
            }
            if measurement.coverage().is_covered(0) {
                return true;
            }
            let after = measurement.checkpoint();
            let waiting: Vec<usize> = after.waiting().map(|(slot, _)| slot).collect();
            let key = (after.state.memory().to_vec(), certain.state().memory().to_vec(), waiting);
            if depth + 1 < DEPTH && seen.insert(format!("{key:?}")) {
                open.push_back((after, certain.state().clone(), depth + 1));
            }
        }
    }
    false
}

fn check(body: &str, method: GenerationMethod, criterion: &str) -> [usize; 3] {
    let backend = backend().expect("the caller has it");
    let system = system(body);
    let wanted = match criterion {
        "properties" => properties(&system),
        word => {
            let criterion = Criterion::named(word).expect("a criterion");
            obligations(&system, criterion, Counting::Precise)
        }
    };
    let found = run(&system, &wanted, &backend, &options(method, 2));
    let unknown = vec![vec![Value::Unknown; delays(&system).len()]];
    let starts = starts(&system);
    let mut counts = [0; 3];
    for (obligation, outcome) in wanted.iter().zip(&found.outcomes) {
        let word = method.word();
        let context = format!("{body} {word} {}: {outcome:?}", obligation.id);
        match outcome {
            ObligationVerdict::Covered(test) => {
                counts[0] += 1;
                let run = &found.tests[*test];
                if run.undefined.is_empty() {
                    let inside = provoke_sim::run(&system, run.steps.iter().map(Vec::as_slice));
                    let left = inside.breaches.iter().any(|(_, breach)| is_outside(&[*breach]));
                    assert!(!left && inside.error.is_none(), "{context}: {run:?}");
                    assert!(coverable(&system, obligation, &unknown), "{context}");
                } else {
                    assert_eq!(obligation.kind, ObligationKind::Property, "{context}");
                    assert!(coverable(&system, obligation, &starts), "{context}");
                }
            }
            ObligationVerdict::Infeasible(_) => {
                counts[1] += 1;
                assert!(!coverable(&system, obligation, &starts), "{context}");
                assert!(!coverable(&system, obligation, &unknown), "{context}");
            }
            ObligationVerdict::Unknown { reason, .. } => {
                counts[2] += 1;
                let undefined = reason.starts_with("only an undefined value can do that");
                assert!(undefined, "{context}");
                assert!(!coverable(&system, obligation, &unknown), "{context}");
            }
        }
    }
    counts
}

fn check_all(method: GenerationMethod, criterion: &str) -> [usize; 3] {
    let add = |sum: [usize; 3], new: [usize; 3]| [0, 1, 2].map(|i| sum[i] + new[i]);
    BODIES.iter().map(|body| check(body, method, criterion)).fold([0; 3], add)
}

#[test]
fn properties_are_decided_as_brute_force_does() {
    if backend().is_none() {
        return;
    }
    for method in [GenerationMethod::Hybrid, GenerationMethod::Regular] {
        let [violated, holds, unknown] = check_all(method, "properties");
        assert!(violated > 15 && holds > 8, "{violated} violated, {holds} hold");
        assert_eq!(unknown, 0);
    }
}

#[test]
fn obligations_are_decided_as_brute_force_does() {
    if backend().is_none() {
        return;
    }
    for (method, criterion) in [
        (GenerationMethod::Hybrid, "mcdc"),
        (GenerationMethod::Regular, "condition"),
        (GenerationMethod::Incremental, "omcdc"),
    ] {
        let [covered, infeasible, _] = check_all(method, criterion);
        assert!(covered > 60 && infeasible > 10, "{covered} covered, {infeasible} infeasible");
    }
}
