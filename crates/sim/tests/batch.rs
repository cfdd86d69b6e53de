//! Every run of a batch against the reference interpreter.

use std::sync::Arc;

use provoke_analysis::in_machine_numbers;
use provoke_base::{Random, Rational};
use provoke_model::{Arithmetic, Assumption, IntWidth, RealWidth, System, Type, Value};
use provoke_sim::batch::word;
use provoke_sim::{Batch, Breach, LANES, SimProgram, SimState, Simulator};
use provoke_testkit::random_system::{self, Shape};

/// What the runs of some systems did.
#[derive(Default)]
struct Tally {
    steps: usize,
    faults: usize,
    outside: usize,
    unknown: usize,
}

struct Pair<'a> {
    system: &'a System,
    batch: Batch,
    references: Vec<Simulator<'a>>,
    ended: Vec<bool>,
    label: String,
}

impl<'a> Pair<'a> {
    fn new(system: &'a System, label: String) -> Pair<'a> {
        let batch = Batch::new(system, &Arc::new(SimProgram::new(system)));
        Pair::of(system, batch, label)
    }

    fn of(system: &'a System, batch: Batch, label: String) -> Pair<'a> {
        let references = (0..LANES).map(|_| Simulator::new(system)).collect();
        Pair { system, batch, references, ended: vec![false; LANES], label }
    }

    fn step(&mut self, draw: &mut dyn FnMut() -> Vec<Value>, tally: &mut Tally) {
        let rows: Vec<Vec<Value>> = (0..LANES).map(|_| draw()).collect();
        for (lane, row) in rows.iter().enumerate() {
            row.iter().enumerate().for_each(|(at, value)| self.batch.set(at, lane, value));
        }
        self.batch.evaluate();
        for (lane, row) in rows.iter().enumerate() {
            if !self.ended[lane] {
                self.compare(lane, row, tally);
            }
        }
        self.compare_with_one(tally.steps % LANES);
        self.batch.take();
        for lane in (0..LANES).filter(|lane| !self.ended[*lane]) {
            assert_eq!(self.batch.state(lane), *self.references[lane].state(), "{}", self.label);
        }
    }

    /// Where variables differ from those of one run.
    fn compare_with_one(&self, one: usize) {
        let going = |lane: &usize| !self.ended[*lane];
        if !going(&one) {
            return;
        }
        for var in self.system.vars.ids() {
            let differ = self.batch.differ_from(self.batch.program().definition(var), one);
            let value = |lane: usize| &self.references[lane].values()[var];
            for lane in (0..LANES).filter(going) {
                let both = value(lane).is_known() && value(one).is_known();
                let expected = both && value(lane) != value(one);
                assert_eq!(differ >> lane & 1 != 0, expected, "{}, run {lane}", self.label);
            }
        }
    }

    fn compare(&mut self, lane: usize, row: &[Value], tally: &mut Tally) {
        let label = format!("{}, run {lane}", self.label);
        let bit = |word: u64| word >> lane & 1 != 0;
        let breaches = match self.references[lane].step(row) {
            Ok(breaches) => breaches,
            Err(_) => {
                assert!(bit(self.batch.faulty()), "{label}");
                self.ended[lane] = true;
                tally.faults += 1;
                return;
            }
        };
        tally.steps += 1;
        assert!(!bit(self.batch.faulty()), "{label}");
        let outside = breaches.iter().any(|breach| matches!(breach, Breach::Assumption(_)));
        assert_eq!(bit(self.batch.outside()), outside, "{label}");
        tally.outside += usize::from(outside);
        for (var, value) in self.references[lane].values().entries() {
            let node = self.batch.program().definition(var);
            let found = self.batch.cell(node, lane).to_value();
            assert_eq!(found, *value, "{label}, {}", self.system.vars[var].name);
            tally.unknown += usize::from(!value.is_known());
            if let Some(truth) = self.batch.truth(node) {
                let words = self.batch.words();
                assert_eq!(bit(words[truth.known as usize]), value.is_known(), "{label}");
                if let Some(value) = value.as_bool() {
                    assert_eq!(bit(words[truth.value as usize]), value, "{label}");
                }
            }
        }
        let first = self.references[lane].state().steps_done() == 1;
        assert_eq!(bit(self.batch.words()[word::FIRST as usize]), first, "{label}");
    }
}

fn run(shape: Shape, seeds: u64) -> Tally {
    run_with(shape, seeds, 0, None)
}

/// `open` of ten inputs are left unknown.
fn run_with(shape: Shape, seeds: u64, open: usize, numbers: Option<Arithmetic>) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..seeds {
        let mut random = Random::new(seed);
        let mut system = random_system::system(&mut random, shape);
        let boolean = system.exprs.entries().find(|(_, expr)| expr.ty == Type::Bool);
        if let Some((expr, _)) = boolean {
            system.assumptions.push(Assumption { expr, span: Default::default() });
        }
        if let Some(machine) = numbers {
            system = in_machine_numbers(&system, machine).expect("small constants");
        }
        let program = Arc::new(SimProgram::new(&system));
        let batch = match open {
            0 => Batch::new(&system, &program),
            _ => Batch::with_open_inputs(&system, &program),
        };
        let mut pair = Pair::of(&system, batch, format!("seed {seed}"));
        for _ in 0..8 {
            let mut draw = || {
                let mut row = random_system::inputs(&mut random, &system);
                row.iter_mut().filter(|_| random.chance(open, 10)).for_each(|value| {
                    *value = Value::Unknown;
                });
                row
            };
            pair.step(&mut draw, &mut tally);
        }
    }
    tally
}

#[test]
fn every_run_is_the_reference_s() {
    let shape = Shape { hazards: true, machines: true, depth: 4, reals: false, ..Shape::MIXED };
    let tally = run(shape, 150);
    assert!(tally.steps > 20_000, "{}", tally.steps);
    assert!(tally.faults > 50 && tally.outside > 1_000 && tally.unknown > 1_000);
}

#[test]
fn runs_with_open_inputs_are_the_reference_s() {
    let shape = Shape { hazards: true, depth: 4, reals: false, ..Shape::MIXED };
    let tally = run_with(shape, 100, 2, None);
    assert!(tally.steps > 10_000 && tally.faults > 50 && tally.unknown > 20_000);
    run_with(Shape { reals: true, ..shape }, 8, 4, None);
}

#[test]
fn runs_with_rationals_are_the_reference_s() {
    let tally = run(Shape { hazards: true, machines: true, depth: 4, ..Shape::MIXED }, 15);
    assert!(tally.steps > 2_000, "{}", tally.steps);
}

#[test]
fn runs_in_a_machine_s_numbers_are_the_reference_s() {
    let shape = Shape { hazards: true, depth: 4, ..Shape::MIXED };
    let small = Arithmetic { int: IntWidth::Bits32, real: RealWidth::Single };
    let wide = Arithmetic { int: IntWidth::Bits64, real: RealWidth::Double };
    let integers = run_with(Shape { reals: false, ..shape }, 60, 0, Some(small));
    assert!(integers.steps > 8_000, "{}", integers.steps);
    for machine in [small, wide] {
        let tally = run_with(shape, 10, 0, Some(machine));
        assert!(tally.steps > 1_000, "{}", tally.steps);
    }
}

#[test]
fn what_may_be_an_infinity_is_unknown_to_all() {
    let text = "node far(a: real) returns (p, q, r: bool; z: real);
        let p = a * 1e300 > 0.0; q = z = 0.0; z = 0.0 * (a * 1e300); r = true -> pre q and a > 0.0; tel";
    let file = provoke_base::SourceFile::new("far.lus", text);
    let system = provoke_lustre::load(&file, None).system.expect("a model");
    let wide = Arithmetic { int: IntWidth::Bits64, real: RealWidth::Double };
    let system = in_machine_numbers(&system, wide).expect("numbers that fit");
    let program = Arc::new(SimProgram::new(&system));
    for (given, known) in [("1e100", false), ("1", true)] {
        let real = Value::Real(Rational::parse(given).expect("a number"));
        let mut pair = Pair::of(&system, Batch::new(&system, &program), given.to_string());
        for _ in 0..3 {
            pair.step(&mut || vec![real.clone()], &mut Tally::default());
        }
        let values = |name: &str| {
            let var = system.var_named(name).expect("a variable");
            pair.references[0].values()[var].is_known()
        };
        assert_eq!(["p", "q", "r", "z"].map(values), [known; 4], "{given}");
    }
}

fn grows() -> System {
    let text = "node grows(x: int) returns (y: int);\nlet y = x -> pre y * pre y + x; tel";
    let file = provoke_base::SourceFile::new("grows.lus", text);
    provoke_lustre::load(&file, None).system.expect("a model")
}

#[test]
fn a_run_that_leaves_64_bits_goes_on_exactly() {
    let system = grows();
    let mut pair = Pair::new(&system, "grows".to_string());
    let mut tally = Tally::default();
    let mut next = 0;
    let mut draw = || {
        next += 1;
        vec![Value::from(next % 7 - 3)]
    };
    for _ in 0..9 {
        pair.step(&mut draw, &mut tally);
    }
    assert_eq!(tally.steps, 9 * LANES);
    let wide = |lane: usize| pair.batch.state(lane).memory()[0].clone();
    assert!((0..LANES).any(|lane| !matches!(wide(lane), Value::Int(provoke_base::Int::Small(_)))));
}

#[test]
fn a_run_can_be_taken_to_any_state_and_a_step_computed_again() {
    let shape = Shape { reals: false, ..Shape::MIXED };
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let system = random_system::system(&mut random, shape);
        let mut simulator = Simulator::new(&system);
        let mut batch = Batch::new(&system, &Arc::new(SimProgram::new(&system)));
        let mut states: Vec<SimState> = Vec::new();
        for _ in 0..5 {
            states.push(simulator.state().clone());
            simulator.step(&random_system::inputs(&mut random, &system)).expect("no hazards");
        }
        for (lane, state) in states.iter().enumerate() {
            batch.restore(lane, state);
            assert_eq!(batch.state(lane), *state, "seed {seed}");
        }
        // Two tries at the same step: only the second counts.
        for _ in 0..2 {
            for lane in 0..states.len() {
                let row = random_system::inputs(&mut random, &system);
                row.iter().enumerate().for_each(|(at, value)| batch.set(at, lane, value));
            }
            batch.evaluate();
        }
        for (lane, state) in states.iter().enumerate() {
            assert_eq!(batch.state(lane), *state, "seed {seed}: not yet taken");
        }
    }
}
