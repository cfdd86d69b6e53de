//! What models mean when they run.

use provoke_base::{Random, SourceFile};
use provoke_lustre::load;
use provoke_model::{Fault, System, Value};
use provoke_sim::{Breach, Simulator, run};
use provoke_testkit::random_system::inputs;
use provoke_testkit::{files, repository, shared};

fn model(text: &str) -> System {
    let file = SourceFile::new("m.lus", text);
    let loaded = load(&file, None);
    loaded.system.unwrap_or_else(|| panic!("{}", loaded.diagnostics[0].render(&file, false)))
}

/// The values of one variable over time, as text.
fn values(system: &System, name: &str, rows: &[Vec<Value>]) -> String {
    let var = system.var_named(name).expect("a variable of this name");
    let run = run(system, rows.iter().map(Vec::as_slice));
    let show = |value: &Value| match value.is_known() {
        true => value.show(system.vars[var].ty, &system.enums),
        false => "?".to_string(),
    };
    let shown: Vec<String> = run.trace.steps.iter().map(|values| show(&values[var])).collect();
    shown.join(" ")
}

fn bools(text: &str) -> Vec<Vec<Value>> {
    text.chars().map(|letter| vec![Value::Bool(letter == 'T')]).collect()
}

fn ints(numbers: &[i64]) -> Vec<Vec<Value>> {
    numbers.iter().map(|number| vec![Value::from(*number)]).collect()
}

/// Runs a model on random inputs inside its assumptions and returns the names of the
/// properties that did not hold.
fn broken_properties(system: &System, seeds: u64, steps: usize) -> Vec<String> {
    let mut broken = Vec::new();
    for seed in 0..seeds {
        let mut random = Random::new(seed);
        let mut simulator = Simulator::new(system);
        for _ in 0..steps {
            let before = simulator.state().clone();
            if !step_inside_assumptions(&mut simulator, &mut random, system) {
                break;
            }
            for property in &system.properties {
                let value = simulator.value_of(property.expr, &before).expect("no fault");
                if value == Value::Bool(false) && !broken.contains(&property.name) {
                    broken.push(property.name.clone());
                }
            }
        }
    }
    broken
}

fn step_inside_assumptions(
    simulator: &mut Simulator<'_>,
    random: &mut Random,
    system: &System,
) -> bool {
    let before = simulator.state().clone();
    for _ in 0..300 {
        let breaches = simulator.step(&inputs(random, system)).expect("no fault");
        if !breaches.iter().any(|breach| matches!(breach, Breach::Assumption(_))) {
            return true;
        }
        simulator.restore(&before);
    }
    false
}

#[test]
fn properties_of_our_models_hold() {
    for folder in ["models", "testdata/ok"] {
        for path in files(&repository().join(folder), "lus") {
            let text = SourceFile::from_bytes("m.lus", std::fs::read(&path).expect("readable"));
            let system = load(&text, None).system.expect("a valid model");
            let broken = broken_properties(&system, 20, 60);
            let on_purpose = path.ends_with("microwave.lus");
            let expected: &[&str] = if on_purpose { &["clear_rests"] } else { &[] };
            assert_eq!(broken, expected, "{}", path.display());
        }
    }
}

#[test]
fn valid_properties_of_language_samples_hold() {
    let Some(root) = shared("models/lustre/jkind") else { return };
    // The samples say in their heads which properties are valid.
    let cases: [(&str, &[&str]); 5] = [
        ("condact", &[]),
        ("cast", &[]),
        ("records", &["cex1", "cex2"]),
        ("array", &["cex1", "cex2", "cex3"]),
        ("tuple", &["cex1", "cex2"]),
    ];
    for (name, falsifiable) in cases {
        let bytes = std::fs::read(root.join(name).with_extension("lus")).expect("readable");
        let system = load(&SourceFile::from_bytes("m.lus", bytes), None).system.expect("valid");
        for broken in broken_properties(&system, 20, 100) {
            assert!(falsifiable.contains(&broken.as_str()), "{name}: {broken}");
        }
    }
}

#[test]
fn condact_freezes_state_and_holds_outputs() {
    let system = model(
        "node counter(by: int) returns (n: int);
         let n = by -> pre n + by; tel
         node m(tick: bool) returns (n, free: int);
         let n = condact(tick, counter(2), -1); free = counter(1); tel",
    );
    let rows = bools("..T.TT.");
    assert_eq!(values(&system, "n", &rows), "-1 -1 2 2 4 6 6");
    assert_eq!(values(&system, "free", &rows), "1 2 3 4 5 6 7");
}

#[test]
fn pre_of_an_expression_under_a_clock_is_of_the_last_active_step() {
    let system = model(
        "node delay(x: int) returns (y: int);
         let y = 0 -> pre (x + 100); tel
         node m(tick: bool) returns (n, y: int);
         let n = 1 -> pre n + 1; y = condact(tick, delay(n), -1); tel",
    );
    assert_eq!(values(&system, "y", &bools(".T.TT.T")), "-1 0 0 102 104 104 105");
}

#[test]
fn a_clocked_division_is_not_computed_while_the_clock_is_false() {
    let system = model(
        "node quotient(x: int) returns (q: int);
         let q = 100 div x; tel
         node m(x: int) returns (q: int);
         let q = condact(x <> 0, quotient(x), 0); tel",
    );
    assert_eq!(values(&system, "q", &ints(&[0, 5, 0, 7])), "0 20 20 14");
}

#[test]
fn unguarded_pre_is_undefined_until_it_is_masked() {
    let system = model(
        "node m(x: int) returns (a, b: int; c: bool);
         let a = pre x; b = 0 -> pre a; c = x > 0 or pre x > 0; tel",
    );
    let rows = ints(&[3, -1, -2]);
    assert_eq!(values(&system, "a", &rows), "? 3 -1");
    assert_eq!(values(&system, "b", &rows), "0 ? 3");
    assert_eq!(values(&system, "c", &rows), "true true false");
}

#[test]
fn division_by_zero_names_expression_and_step() {
    let text = "node m(x: int) returns (y: int); let y = 10 div x; tel";
    let system = model(text);
    let rows = ints(&[5, 0, 1]);
    let run = run(&system, rows.iter().map(Vec::as_slice));
    let error = run.error.expect("a fault");
    assert_eq!((error.fault, error.step), (Fault::DivisionByZero, 2));
    let span = system.exprs[error.expr].span;
    assert_eq!(&text[span.range()], "10 div x");
    assert_eq!(run.trace.steps.len(), 1);
}

#[test]
fn a_guarded_division_is_safe() {
    let system = model(
        "node m(x: int) returns (y: int; z: bool);
         let y = if x = 0 then 0 else 10 div x; z = x <> 0 and 10 div x > 3; tel",
    );
    assert_eq!(values(&system, "y", &ints(&[0, 3, -3])), "0 3 -3");
    assert_eq!(values(&system, "z", &ints(&[0, 3, -3])), "false false false");
}

#[test]
fn integers_do_not_wrap_and_endless_growth_ends_with_a_fault() {
    let system = model("node m(x: int) returns (y: int); let y = x -> pre y * pre y; tel");
    assert_eq!(
        values(&system, "y", &ints(&[3_000_000_000; 3])),
        "3000000000 9000000000000000000 81000000000000000000000000000000000000"
    );
    let rows = ints(&[3; 60]);
    let error = run(&system, rows.iter().map(Vec::as_slice)).error.expect("a fault");
    assert_eq!(error.fault, Fault::NumberTooLarge);
}

#[test]
fn inputs_outside_the_assumptions_are_reported() {
    let system = model(
        "node m(x: int; s: subrange [0, 3] of int) returns (y: int);
         let assert x >= 0; y = x + s; tel",
    );
    let rows = [[1, 2], [-1, 2], [1, 4]].map(|row| row.map(Value::from).to_vec());
    let run = run(&system, rows.iter().map(Vec::as_slice));
    let s = system.var_named("s").expect("an input");
    assert_eq!(run.breaches, [(2, Breach::Assumption(0)), (3, Breach::Range(s))]);
}

#[test]
fn instances_are_named_by_their_path() {
    let system = model(
        "node inner(x: bool) returns (y: bool); let y = not x; tel
         node outer(x: bool) returns (y: bool); let y = inner(inner(x)); tel
         node m(x: bool) returns (y: bool); let y = outer(x); tel",
    );
    let names: Vec<&str> = system.vars.iter().map(|var| var.name.as_str()).collect();
    let expected = [
        "x",
        "y",
        "outer.x",
        "outer.y",
        "outer.inner#1.x",
        "outer.inner#1.y",
        "outer.inner#2.x",
        "outer.inner#2.y",
    ];
    assert_eq!(names, expected);
}

#[test]
fn every_expression_knows_its_place() {
    let text = "node m(a, b: bool; x: int) returns (y: bool);
let y = (a or b) and x + 1 > 2 -> pre not y; tel";
    let system = model(text);
    let places: Vec<&str> = system.exprs.iter().map(|expr| &text[expr.span.range()]).collect();
    let expected = [
        "a",
        "b",
        "(a or b)",
        "x",
        "1",
        "x + 1",
        "2",
        "x + 1 > 2",
        "(a or b) and x + 1 > 2",
        "y",
        "not y",
        "pre not y",
        "(a or b) and x + 1 > 2 -> pre not y",
    ];
    assert_eq!(places, expected);
}
