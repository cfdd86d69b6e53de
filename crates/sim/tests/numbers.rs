//! A system in a machine's numbers does with exact operations what the machine does with its own.

use provoke_analysis::{Obstacle, in_machine_numbers, stands_in_the_way};
use provoke_base::{Random, SourceFile};
use provoke_model::fixed::{Arithmetic, ArithmeticFault, FixedValue, IntWidth, RealWidth};
use provoke_model::{MachineInt, System, Value, VarId};
use provoke_sim::{FixedSimulator, Inexact, Simulator};
use provoke_testkit::random_system::{self, Shape};

fn load(text: &str) -> System {
    let file = SourceFile::new("model.lus", text);
    let loaded = provoke_lustre::load(&file, None);
    loaded.system.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

const SMALL: Arithmetic = Arithmetic { int: IntWidth::Bits32, real: RealWidth::Single };
const WIDE: Arithmetic = Arithmetic { int: IntWidth::Bits64, real: RealWidth::Double };
const TINY: Arithmetic =
    Arithmetic { int: IntWidth::Machine(MachineInt::signed(5)), real: RealWidth::Double };

/// Whether the machine divided by zero, which ends a run of the other system.
fn has_divided_by_zero(machine: &FixedSimulator<'_>) -> bool {
    let is_it = |it: &Inexact| it.trouble == ArithmeticFault::DivisionByZero;
    machine.all_inexact().iter().any(is_it)
}

/// Runs both side by side; returns how many values were compared, and how many were no exact results.
fn agree(system: &System, arithmetic: Arithmetic, runs: u64, steps: usize) -> (usize, usize) {
    let Ok(exact) = in_machine_numbers(system, arithmetic) else { return (0, 0) };
    let (mut compared, mut wrapped) = (0, 0);
    let word = |(var, value): (&VarId, &Value)| {
        let own = system.vars[*var].machine.map_or(arithmetic.int, IntWidth::Machine);
        Arithmetic { int: own, ..arithmetic }.word(value).expect("inputs are limited")
    };
    for run in 0..runs {
        let mut random = Random::for_part(run, "numbers");
        let mut machine = FixedSimulator::new(system, arithmetic);
        let mut simulator = Simulator::new(&exact);
        for step in 0..steps {
            let inputs = random_system::inputs(&mut random, &exact);
            let words: Vec<FixedValue> = exact.inputs.iter().zip(&inputs).map(word).collect();
            machine.step(&words);
            if simulator.step(&inputs).is_err() || has_divided_by_zero(&machine) {
                break;
            }
            for equation in &exact.equations {
                let (value, word) =
                    (&simulator.values()[equation.var], machine.values()[equation.var]);
                if !value.is_known() {
                    continue;
                }
                let name = &exact.vars[equation.var].name;
                assert_eq!(*value, word.to_value(), "run {run}, step {step}: {name}");
                compared += 1;
            }
        }
        wrapped += usize::from(machine.inexact().is_some());
    }
    (compared, wrapped)
}

#[test]
fn random_systems_do_the_same() {
    let (mut compared, mut wrapped) = (0, 0);
    for seed in 0..150 {
        let shape = Shape { hazards: seed % 2 == 0, machines: seed % 3 == 0, ..Shape::MIXED };
        let system = random_system::system(&mut Random::new(seed), shape);
        // Beside types of its own, a model's plain integers have 32 or 64 bits.
        let tiny = (!shape.machines).then_some(TINY);
        for arithmetic in [SMALL, WIDE].into_iter().chain(tiny) {
            let (more, inexact) = agree(&system, arithmetic, 6, 12);
            (compared, wrapped) = (compared + more, wrapped + inexact);
        }
    }
    assert!(compared > 50_000 && wrapped > 300, "{compared} values, {wrapped} runs that wrap");
}

#[test]
fn a_counter_wraps_around_and_a_sum_of_tenths_misses_three_tenths() {
    let counter = load(
        "node n(up: bool) returns (neg: bool); var n: int;
         let n = 2147483640 -> if up then pre n + 1 else pre n; neg = n < 0; tel",
    );
    let tenths = load(
        "node n(go: bool) returns (hit: bool); var t: real;
         let t = 0.0 -> if go then pre t + 0.1 else pre t; hit = (t = 0.3); tel",
    );
    let first = |system: &System, arithmetic: Option<Arithmetic>| {
        let machine = arithmetic.map(|numbers| in_machine_numbers(system, numbers).unwrap());
        let system = machine.as_ref().unwrap_or(system);
        let mut simulator = Simulator::new(system);
        (1..=20).find(|_| {
            simulator.step(&[Value::Bool(true)]).expect("no division");
            simulator.values()[system.outputs[0]] == Value::Bool(true)
        })
    };
    assert_eq!(first(&counter, None), None);
    assert_eq!(first(&counter, Some(SMALL)), Some(9));
    assert_eq!(first(&counter, Some(WIDE)), None);
    assert_eq!(first(&tenths, None), Some(4));
    assert_eq!(first(&tenths, Some(SMALL)), Some(4));
    assert_eq!(first(&tenths, Some(WIDE)), None);
}

#[test]
fn inputs_are_limited_and_numbers_that_do_not_fit_are_refused() {
    let system = load(
        "node n(x: int; s: subrange [5, 9] of int; r: subrange [-9000000000, 7] of int)
         returns (y: int); let y = x + s + r; tel",
    );
    let machine = in_machine_numbers(&system, SMALL).unwrap();
    let bounds: Vec<String> = machine
        .inputs
        .iter()
        .map(|var| {
            let range = machine.vars[*var].range.as_ref().unwrap();
            format!("{} {}", range.low, range.high)
        })
        .collect();
    assert_eq!(bounds, ["-2147483648 2147483647", "5 9", "-2147483648 7"]);
    let large = "node n(x: int; s: subrange [3000000000, 3000000001] of int) returns (y: int);
                 let y = x + 4000000000; tel";
    let misfits = in_machine_numbers(&load(large), SMALL).unwrap_err();
    assert_eq!(misfits.len(), 2, "{misfits:?}");
    assert!(in_machine_numbers(&load(large), WIDE).is_ok());
}

#[test]
fn what_stands_in_the_way_is_a_division_anywhere_or_a_real_that_is_read() {
    let obstacle = |text: &str, about: &str| {
        let system = in_machine_numbers(&load(text), SMALL).unwrap();
        let var = system.var_named(about).unwrap();
        let equation = system.equations.iter().find(|equation| equation.var == var).unwrap();
        stands_in_the_way(&system, &[equation.expr]).map(|obstacle| match obstacle {
            Obstacle::Division(_) => "division",
            Obstacle::Infinity(_) => "infinity",
        })
    };
    let head = "node n(x, y: int; r: real) returns (a, b: bool; z: real); let";
    let plain = format!("{head} a = x > 3; b = z > 1.5; z = 0.5 -> pre z * r; tel");
    assert_eq!(obstacle(&plain, "a"), None);
    assert_eq!(obstacle(&plain, "b"), Some("infinity"));
    let divides = format!("{head} a = x > 3; b = x div y > 1; z = r; tel");
    assert_eq!(obstacle(&divides, "a"), Some("division"));
    let harmless = format!("{head} a = x mod 3 > 1; b = -x > 1; z = -r; tel");
    assert_eq!(obstacle(&harmless, "a"), None);
    // An assumption is part of every claim.
    let assumed = format!("{head} assert r * r > 0.5; a = x > 3; b = true; z = r; tel");
    assert_eq!(obstacle(&assumed, "a"), Some("infinity"));
}
