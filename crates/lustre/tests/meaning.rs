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

/// The value of an expression of machine integers in the first step, for `x` and, in its type, `y`.
fn word(ty: &str, expr: &str, x: i64, y: i64) -> String {
    let text = format!("node m(x, y: {ty}) returns (z: {ty}); let z = {expr}; tel");
    values(&model(&text), "z", &[vec![Value::from(x), Value::from(y)]])
}

#[test]
fn machine_integers_wrap_around() {
    assert_eq!(word("int8", "x + y", 127, 1), "-128");
    assert_eq!(word("int8", "-x", -128, 0), "-128");
    assert_eq!(word("int8", "x * y", -128, -1), "-128");
    assert_eq!(word("uint8", "x - y", 0, 1), "255");
    assert_eq!(word("int64", "x + y", i64::MAX, 1), i64::MIN.to_string());
    assert_eq!(word("uint64", "x - y", 0, 1), u64::MAX.to_string());
    assert_eq!(word("sint<5>", "x + y", 15, 1), "-16");
}

#[test]
fn machine_integers_divide_towards_zero() {
    assert_eq!(word("int8", "x div y", -7, 2), "-3");
    assert_eq!(word("int8", "x mod y", -7, 2), "-1");
    assert_eq!(word("int8", "x mod y", 7, -2), "1");
    assert_eq!(word("int8", "x div y", -128, -1), "-128");
    assert_eq!(word("uint8", "x div y", 255, 20), "12");
    let text = "node m(x: int8) returns (z: int8); let z = (int8 1) div x; tel";
    let run = run(&model(text), [[Value::from(0)].as_slice()]);
    assert_eq!(run.error.map(|error| error.fault), Some(Fault::DivisionByZero));
}

#[test]
fn bits_of_machine_integers_are_joined_changed_and_shifted() {
    assert_eq!(word("int8", "x && y", 11, -1), "11");
    assert_eq!(word("uint8", "x || y", 1, 254), "255");
    assert_eq!(word("uint8", "!x", 5, 0), "250");
    assert_eq!(word("int8", "!x", 5, 0), "-6");
    assert_eq!(word("uint8", "x lsh y", 255, 1), "254");
    assert_eq!(word("uint8", "x lsh y", 255, 8), "0");
    assert_eq!(word("int8", "x rsh (uint8 12)", -128, 0), "-1");
    assert_eq!(word("int8", "x lsh (uint8 1)", 64, 0), "-128");
    // As tight as Kind 2 has them: shifts, then `&&`, then `||`, all before products.
    assert_eq!(word("uint8", "x * y || y && y lsh (uint8 1)", 2, 3), "6");
}

#[test]
fn conversions_keep_the_low_bits() {
    let model = |expr: &str, ty: &str| {
        let text = format!("node m(n: int; w: uint16) returns (z: {ty}); let z = {expr}; tel");
        values(&model(&text), "z", &[vec![Value::from(-1), Value::from(320)]])
    };
    assert_eq!(model("uint8 n", "uint8"), "255");
    assert_eq!(model("uint8 w", "uint8"), "64");
    assert_eq!(model("int w - 1000", "int"), "-680");
    assert_eq!(model("int8 n + 300", "int8"), "43");
    assert_eq!(model("w = uint16 256 + 64", "bool"), "true");
    assert_eq!(model("int 2.5 + n", "int"), "1");
}
