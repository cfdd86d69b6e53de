//! Bounds that are proven hold in every run, and integers of 32 bits where that is enough are those of
//! 64 bits.

use provoke_analysis::{Interval, Widths, ranges};
use provoke_base::{Random, SourceFile};
use provoke_model::fixed::{Arithmetic, FixedValue, IntWidth, RealWidth};
use provoke_model::{System, Type, Value, VarId};
use provoke_sim::FixedSimulator;
use provoke_testkit::random_system::{self, Shape};

const WIDE: Arithmetic = Arithmetic { int: IntWidth::Bits64, real: RealWidth::Double };

fn load(text: &str) -> System {
    let file = SourceFile::new("model.lus", text);
    let loaded = provoke_lustre::load(&file, None);
    loaded.system.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

/// The bounds of a variable.
fn bounds(system: &System, name: &str) -> (i128, i128) {
    let var = system.var_named(name).unwrap();
    let definition = system.equations.iter().find(|equation| equation.var == var).unwrap();
    let Interval { low, high } = ranges::ranges(system)[definition.expr];
    (low, high)
}

/// Random inputs; those without a range are any number now and then.
fn inputs(random: &mut Random, system: &System) -> Vec<FixedValue> {
    let mut values = random_system::inputs(random, system);
    for (value, var) in values.iter_mut().zip(&system.inputs) {
        let var = &system.vars[*var];
        if var.ty == Type::Int && var.range.is_none() && random.chance(1, 3) {
            let shift = random.below(64);
            *value = Value::from(random.next() as i64 >> shift);
        }
    }
    let of = |var: &VarId| system.vars[*var].machine.map_or(WIDE.int, IntWidth::Machine);
    let word =
        |(var, value): (&VarId, &Value)| Arithmetic { int: of(var), ..WIDE }.word(value).unwrap();
    system.inputs.iter().zip(&values).map(word).collect()
}

/// The same value, or both no number.
fn same(a: FixedValue, b: FixedValue) -> bool {
    match (a, b) {
        (FixedValue::Real(a), FixedValue::Real(b)) => a == b || (a.is_nan() && b.is_nan()),
        _ => a == b,
    }
}

/// Runs a system in both ways; returns how many variables have 32 bits.
fn agree(system: &System, runs: u64, steps: usize) -> usize {
    let (ranges, widths) = (ranges::ranges(system), Widths::proven(system));
    let mut all = FixedSimulator::new(system, WIDE);
    let mut proven = FixedSimulator::with_widths(system, WIDE, widths.clone());
    for run in 0..runs {
        let mut random = Random::for_part(run, &system.name);
        all.reset();
        proven.reset();
        for step in 0..steps {
            let inputs = inputs(&mut random, system);
            all.step(&inputs);
            proven.step(&inputs);
            let mut pairs = all.values().iter().zip(proven.values().iter());
            let same = pairs.all(|(a, b)| same(*a, *b));
            assert!(same, "{}, run {run}, step {step}", system.name);
            for equation in &system.equations {
                if let FixedValue::Int(value) = all.values()[equation.var] {
                    let name = &system.vars[equation.var].name;
                    let (mut range, value) = (ranges[equation.expr], Interval::only(value));
                    // A `uint64` that becomes an `int` wraps around.
                    if system.vars[equation.var].machine.is_none() && range.high > i64::MAX.into() {
                        range = Interval::ALL;
                    }
                    assert!(range.contains(value), "{}, {name}: {range:?} {value:?}", system.name);
                }
            }
        }
        assert_eq!(all.inexact(), proven.inexact(), "{}, run {run}", system.name);
    }
    let small = |var: &&provoke_model::Equation| {
        system.vars[var.var].ty == Type::Int && widths.vars[var.var] == IntWidth::Bits32
    };
    system.equations.iter().filter(small).count()
}

#[test]
fn counters_stay_within_what_their_conditions_say() {
    let head = "node n(x : int; small : subrange [-5, 20] of int; up, clear : bool) returns (y : int); let";
    let cases = [
        ("y = 0 -> if clear then 0 else if pre y < 9 then pre y + 1 else pre y;", (0, 9)),
        (
            "y = 0 -> if up and pre y < 9 then pre y + 1 else if pre y > -3 then pre y - 1 else 7;",
            (-3, 9),
        ),
        ("y = if not (x > 3 or x < -2) then x * x else 5;", (-6, 9)),
        ("y = x mod 7 + small div 2;", (-3, 16)),
        ("y = if small = 20 then 0 else small + 1;", (-4, 20)),
        ("y = (0 -> pre y) + (if up then 1 else 0);", (i64::MIN.into(), i64::MAX.into())),
        ("y = if x > 2 and x < 99 and x + 1 < 10 then x else 0;", (0, 8)),
        // The largest number and one is the smallest.
        ("y = if x > 2 and x + 1 < 10 then x else 0;", (0, i64::MAX.into())),
    ];
    for (text, expected) in cases {
        let system = load(&format!("{head} {text} tel;"));
        assert_eq!(bounds(&system, "y"), expected, "{text}");
        agree(&system, 30, 40);
    }
}

#[test]
fn a_condition_counts_through_definitions_and_promises() {
    let text = "node n(x : int; go : bool) returns (y : int);
        var last : int; room, full : bool; next : int;
        let
          assert x >= 0 and x <= 100;
          last = 0 -> pre y;
          full = last >= 50;
          room = go and not full;
          next = last + 1;
          y = if room then next else if full then 0 else last + x div 100;
        tel;";
    let system = load(text);
    assert_eq!(bounds(&system, "y"), (0, 50));
    assert_eq!(Widths::proven(&system).vars[system.var_named("next").unwrap()], IntWidth::Bits32);
    // Whoever breaks the promise gets numbers that wrap, in C as here.
    let mut proven = FixedSimulator::with_widths(&system, WIDE, Widths::proven(&system));
    proven.step(&[FixedValue::Int(i64::MAX.into()), FixedValue::Bool(false)]);
    assert!(proven.inexact().is_some());
}

/// Sums of converted operands were once wrapped to their type: 300 became 44.
#[test]
fn what_is_converted_to_int_does_not_wrap() {
    let system = load(
        "node n(a, b : uint8; i, j : int8) returns (sum, less, opposite, quotient : int; over : bool);
        let
          sum = (int a) + (int b); less = (int a) - (int b); opposite = -(int i);
          quotient = (int i) div (int j); over = (int a) + (int b) > 255;
        tel;",
    );
    let inputs = [200, 100, -128, -1].map(FixedValue::Int);
    for widths in [Widths::proven(&system), Widths::uniform(&system, IntWidth::Bits32)] {
        let mut machine = FixedSimulator::with_widths(&system, WIDE, widths);
        machine.step(&inputs);
        let values = system.outputs.iter().map(|var| machine.values()[*var]);
        let [sum, less, opposite, quotient] = [300, 100, 128, 128].map(FixedValue::Int);
        let expected = [sum, less, opposite, quotient, FixedValue::Bool(true)];
        assert_eq!(values.collect::<Vec<_>>(), expected);
        assert_eq!(machine.inexact(), None);
    }
}

/// What no output needs may have a constant that is too large: there is code, and no panic.
#[test]
fn a_constant_that_does_not_fit_wraps() {
    let system =
        load("node n(a : int) returns (y : int); var x : int; let x = 4294967297; y = a; tel;");
    let small = Arithmetic { int: IntWidth::Bits32, ..WIDE };
    let mut machine = FixedSimulator::new(&system, small);
    machine.step(&[FixedValue::Int(5)]);
    assert_eq!(machine.values()[system.var_named("x").unwrap()], FixedValue::Int(1));
    assert!(machine.inexact().is_some());
}

#[test]
fn random_systems_compute_the_same_with_fewer_bits() {
    let mut small = 0;
    for seed in 0..60 {
        let shape = Shape {
            inputs: 5,
            defined: 25,
            depth: 4,
            hazards: true,
            machines: true,
            ..Shape::MIXED
        };
        let system = random_system::system(&mut Random::new(seed), shape);
        small += agree(&system, 8, 25);
    }
    assert!(small > 30, "only {small} variables are proven to fit 32 bits");
}

#[test]
fn every_model_computes_the_same_with_fewer_bits() {
    let mut paths = provoke_testkit::files(&provoke_testkit::repository().join("models"), "lus");
    let benchmarks = provoke_testkit::shared("models/lustre/single_node");
    paths.extend(benchmarks.iter().flat_map(|folder| provoke_testkit::files(folder, "lus")));
    let mut small = 0;
    for path in paths {
        let mut system = load(&std::fs::read_to_string(&path).unwrap());
        // Random inputs do not keep promises.
        system.assumptions.clear();
        small += agree(&system, 3, 15);
    }
    assert!(small > 50, "only {small} variables are proven to fit 32 bits");
}
