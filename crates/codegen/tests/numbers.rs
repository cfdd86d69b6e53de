//! Random systems with values at the edges of their types: the reference interpreter, a solver, the
//! simulated machine and the C compute the same, a hundred systems to a C file.
//!
//! A few hundred systems are tried here; `make numbers SYSTEMS=100000` tries more.

#![allow(clippy::print_stdout, reason = "long runs say what they compared")]

mod common;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use common::{PROVEN, SMALL, WIDE, folder, same};
use provoke_base::{Int, Random, Rational};
use provoke_codegen::{Code, CodeOptions, Field, generate};
use provoke_model::{
    Arithmetic, ExprKind, FixedValue, IntWidth, MachineInt, System, Type, Value, VarId,
};
use provoke_sim::interpreter::delays;
use provoke_sim::{FixedSimulator, Simulator};
use provoke_solve::encode::{Encoder, literal, value_of_type};
use provoke_solve::z3::Z3Library;
use provoke_solve::{Limit, Solver, SolverAnswer, Terms, Z3};
use provoke_testkit::random_system::{self, Shape};

/// So many systems share a C file.
const SYSTEMS_OF_FILE: usize = 100;

/// The runs of each system, and the steps of each.
const RUNS: usize = 3;
const STEPS: usize = 6;

/// One system in so many is given to the solver as well.
const SOLVED: u64 = 4;

/// What the C is compiled with; all but the first two of them in turn.
const FLAGS: [&[&str]; 6] = [
    &["-O0"],
    &["-O2"],
    &["-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all"],
    &["-O3", "-ffp-contract=off"],
    &["-O2", "-funsigned-char", "-fno-strict-aliasing"],
    // With fused operations at hand, which would round differently.
    &["-O2", "-march=native", "-ffp-contract=off"],
];

/// A system with its code and its runs.
struct Case {
    system: System,
    code: Code,
    options: CodeOptions,
    runs: Vec<Vec<Vec<Value>>>,
}

/// What was compared.
#[derive(Default, Debug)]
struct Compared {
    systems: usize,
    refused: usize,
    steps: usize,
    exact: usize,
    solved: usize,
}

#[test]
fn interpreter_solver_machine_and_c_agree_at_the_edges() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let systems = number("PROVOKE_NUMBERS_SYSTEMS").unwrap_or(200);
    let seed = number("PROVOKE_NUMBERS_SEED").unwrap_or(1);
    let library = Z3Library::load().map_err(|missing| provoke_testkit::skip(&missing.to_string()));
    let mut compared = Compared::default();
    for (file, from) in (0..systems).step_by(SYSTEMS_OF_FILE).enumerate() {
        let numbers = from..systems.min(from + SYSTEMS_OF_FILE as u64);
        let cases: Vec<Case> =
            numbers.filter_map(|number| case(seed, number, &mut compared)).collect();
        for case in &cases {
            against_exact(case, &mut compared);
        }
        for (number, case) in cases.iter().enumerate() {
            if let Ok(library) = library.as_ref()
                && (number as u64).is_multiple_of(SOLVED)
            {
                against_solver(library, case, &mut compared);
            }
        }
        let folder = folder("numbers");
        let program = written(&cases, &folder);
        let other = FLAGS[2 + file % (FLAGS.len() - 2)];
        for flags in [FLAGS[0], FLAGS[1], other] {
            against_code(&cases, &compiled(&folder, &program, flags), flags, &mut compared);
        }
    }
    assert!(compared.exact * 4 > compared.systems, "{compared:?}");
    assert!(compared.refused * 4 < compared.systems, "{compared:?}");
    assert!(library.is_err() || compared.solved > 0, "{compared:?}");
    println!("seed {seed}: {compared:?}");
}

/// A system of some shape, unless a constant of it does not fit.
fn case(seed: u64, number: u64, compared: &mut Compared) -> Option<Case> {
    let mut random = Random::for_part(seed, &format!("numbers {number}"));
    let options = [WIDE, PROVEN, SMALL][number as usize % 3];
    let shape = Shape {
        inputs: 3,
        defined: 5,
        depth: 3,
        machines: !number.is_multiple_of(4),
        reals: number.is_multiple_of(5),
        hazards: number.is_multiple_of(2),
        ..Shape::MIXED
    };
    let mut system = random_system::system(&mut random, shape);
    system.name = format!("s{}", number as usize % SYSTEMS_OF_FILE);
    compared.systems += 1;
    let Ok(code) = generate(&system, None, &options) else {
        compared.refused += 1;
        return None;
    };
    let mut step = |_| inputs(&mut random, &system, &code, options.arithmetic);
    let mut run = |_| (0..STEPS).map(&mut step).collect();
    let runs = (0..RUNS).map(&mut run).collect();
    Some(Case { system, code, options, runs })
}

/// Inputs near the ends of their types, or small.
fn inputs(random: &mut Random, system: &System, code: &Code, numbers: Arithmetic) -> Vec<Value> {
    let mut drawn = random_system::inputs(random, system);
    for ((value, var), field) in drawn.iter_mut().zip(&system.inputs).zip(&code.inputs) {
        match system.vars[*var].ty {
            Type::Int if random.chance(1, 2) => *value = edge(random, field.int.machine()),
            Type::Real if random.chance(1, 2) => *value = real_edge(random, numbers),
            _ => {}
        }
    }
    drawn
}

fn edge(random: &mut Random, ty: MachineInt) -> Value {
    let near = [ty.low(), ty.low() + 1, -1, 0, 1, ty.high() / 2, ty.high() - 1, ty.high()];
    Value::Int(ty.wrap(&Int::from_i128(*random.pick(&near))))
}

/// Reals that every machine has: the least, large ones, and those around which integers are no longer
/// exact.
fn real_edge(random: &mut Random, numbers: Arithmetic) -> Value {
    let near = [0.0, 1.401298464324817e-45, 16_777_216.0, 16_777_215.0, 2147483648.0, 1e30, 0.1];
    let exact = *random.pick(&near) * if random.chance(1, 2) { 1.0 } else { -1.0 };
    let rounded = numbers.real.round(&Rational::from_f64(exact).expect("a number"));
    Value::Real(Rational::from_f64(rounded).expect("a number"))
}

fn words(case: &Case, row: &[Value]) -> Vec<FixedValue> {
    let word = |(field, value): (&Field, &Value)| {
        let numbers = Arithmetic { int: field.int, ..case.options.arithmetic };
        numbers.word(value).expect("it fits")
    };
    case.code.inputs.iter().zip(row).map(word).collect()
}

fn machine(case: &Case) -> FixedSimulator<'_> {
    let widths = case.options.widths(&case.system);
    FixedSimulator::with_widths(&case.system, case.options.arithmetic, widths)
}

fn has_reals(system: &System) -> bool {
    system.exprs.iter().any(|expr| expr.ty == Type::Real)
        || system.vars.iter().any(|var| var.ty == Type::Real)
}

/// The simulated machine gives the exact values as long as it has no trouble.
fn against_exact(case: &Case, compared: &mut Compared) {
    if has_reals(&case.system) {
        return;
    }
    for run in &case.runs {
        let (mut fixed, mut exact) = (machine(case), Simulator::new(&case.system));
        for row in run {
            fixed.step(&words(case, row));
            if fixed.inexact().is_some() {
                break;
            }
            exact.step(row).expect("what has no trouble has no fault");
            compared.exact += 1;
            for (var, value) in exact.values().entries().filter(|(_, value)| value.is_known()) {
                let name = &case.system.vars[var].name;
                assert_eq!(fixed.values()[var].to_value(), *value, "{} {name}", case.system.name);
            }
        }
    }
}

/// A solver, asked for one step after the other, finds the values of the reference interpreter.
fn against_solver(library: &Z3Library, case: &Case, compared: &mut Compared) {
    let system = &case.system;
    let mut exact = Simulator::new(system);
    let mut memory: Vec<Value> = vec![Value::Unknown; delays(system).len()];
    for (step, row) in case.runs[0].iter().take(2).enumerate() {
        if exact.step(row).is_err() {
            return;
        }
        let (mut terms, mut solver) = (Terms::new(), Z3::new(library));
        let mut encoder = Encoder::new(system, &mut terms);
        let mut given = vec![(encoder.first(), Value::Bool(step == 0))];
        for (var, value) in system.inputs.iter().zip(row) {
            given.push((encoder.input(&mut terms, *var), value.clone()));
        }
        for (pre, value) in delays(system).into_iter().zip(&memory) {
            given.push((encoder.memory(&mut terms, pre), value.clone()));
        }
        for (symbol, value) in given {
            if let Some(value) = literal(&mut terms, &value) {
                let fixed = terms.eq(symbol, value);
                solver.assert(&terms, fixed);
            }
        }
        let known = exact.values().entries().filter(|(_, value)| value.is_known());
        let known: Vec<(VarId, Value)> = known.map(|(var, value)| (var, value.clone())).collect();
        let asked: Vec<_> = known.iter().map(|(var, _)| encoder.var(&mut terms, *var)).collect();
        let remembered: Vec<_> = delays(system)
            .into_iter()
            .map(|pre| match system.exprs[pre].kind {
                ExprKind::Pre(operand) => (encoder.value(&mut terms, operand), operand),
                _ => unreachable!("delays are `pre`"),
            })
            .collect();
        if solver.check(&terms, &[], Limit::time(std::time::Duration::from_secs(20)))
            != SolverAnswer::Sat
        {
            return;
        }
        for ((var, value), term) in known.iter().zip(asked) {
            let ty = system.vars[*var].ty;
            let found = solver.value(&terms, term).map(|found| value_of_type(found, ty));
            let name = &system.vars[*var].name;
            assert_eq!(found.as_ref(), Some(value), "{} {name}, step {}", system.name, step + 1);
        }
        compared.solved += 1;
        let value = |(term, operand)| {
            let ty = system.exprs[operand].ty;
            solver.value(&terms, term).map_or(Value::Unknown, |found| value_of_type(found, ty))
        };
        memory = remembered.into_iter().map(value).collect();
    }
}

/// Writes all systems as one C program, which reads and writes words.
fn written(cases: &[Case], folder: &Path) -> String {
    let mut text = String::from(
        "#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n\
         static double real_of(uint64_t w) { double r; memcpy(&r, &w, 8); return r; }\n\
         static uint64_t bits_of(double r) { uint64_t w; memcpy(&w, &r, 8); return w; }\n\
         static uint64_t word(void) { uint64_t w; if (fread(&w, 8, 1, stdin) != 1) { w = 0; } return w; }\n\
         static void give(uint64_t w) { fwrite(&w, 8, 1, stdout); }\n",
    );
    for Case { code, .. } in cases {
        std::fs::write(folder.join(format!("{}.h", code.name)), &code.header).expect("a folder");
        text += &code.source;
        text += &driver(code);
    }
    text += "int main(void) {\n  uint64_t run;\n  (void)real_of; (void)bits_of;\n";
    for Case { code, .. } in cases {
        let _ = writeln!(text, "  for (run = 0; run < {RUNS}; run++) {}_run();", code.name);
    }
    text + "  return 0;\n}\n"
}

fn driver(code: &Code) -> String {
    let name = &code.name;
    let is_real = |field: &Field| field.ty == "double" || field.ty == "float";
    let mut text = format!(
        "static void {name}_run(void) {{\n  {name}_state state; {name}_in in; {name}_out out; int step;\n  \
         memset(&in, 0, sizeof in);\n  {name}_reset(&state);\n  for (step = 0; step < {STEPS}; step++) {{\n"
    );
    for field in &code.inputs {
        let value = if is_real(field) { "real_of(word())" } else { "word()" };
        let _ = writeln!(text, "    in.{} = ({}){value};", field.name, field.ty);
    }
    let _ = writeln!(text, "    {name}_step(&state, &in, &out);");
    for field in &code.outputs {
        let value = match is_real(field) {
            true => format!("bits_of((double)out.{})", field.name),
            false => format!("(uint64_t)(int64_t)out.{}", field.name),
        };
        let _ = writeln!(text, "    give({value});");
    }
    text + "  }\n}\n"
}

/// Compiles the program; warnings are looked for elsewhere.
fn compiled(folder: &Path, text: &str, flags: &[&str]) -> std::path::PathBuf {
    std::fs::write(folder.join("all.c"), text).expect("a writable folder");
    let program = folder.join("all");
    let mut gcc = Command::new("gcc");
    gcc.current_dir(folder).args(["-std=c99", "-w", "-ffp-contract=off"]).args(flags);
    let done = gcc.args(["all.c", "-o"]).arg(&program).output().expect("gcc runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    program
}

fn bits(word: &FixedValue) -> u64 {
    match word {
        FixedValue::Bool(value) => u64::from(*value),
        FixedValue::Int(value) => *value as u64,
        FixedValue::Real(value) => value.to_bits(),
        FixedValue::Enum(ordinal) => u64::from(*ordinal),
    }
}

fn value_of(bits: u64, ty: Type, width: IntWidth) -> FixedValue {
    match ty {
        Type::Bool => FixedValue::Bool(bits != 0),
        Type::Int => FixedValue::Int(width.wrap(i128::from(bits))),
        Type::Real => FixedValue::Real(f64::from_bits(bits)),
        Type::Enum(_) => FixedValue::Enum(bits as u32),
    }
}

/// The C gives the values of the simulated machine, in trouble as well.
fn against_code(cases: &[Case], program: &Path, flags: &[&str], compared: &mut Compared) {
    let mut sent: Vec<u8> = Vec::new();
    let rows = cases
        .iter()
        .flat_map(|case| case.runs.iter().flatten().flat_map(move |row| words(case, row)));
    rows.for_each(|word| sent.extend(bits(&word).to_le_bytes()));
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut to = child.stdin.take().expect("a pipe");
    let feeder = std::thread::spawn(move || to.write_all(&sent));
    let done = child.wait_with_output().expect("it ends");
    feeder.join().expect("a thread").expect("it listens");
    assert!(done.status.success(), "{flags:?}: the sanitizers were not content");
    let mut answers = done
        .stdout
        .chunks_exact(8)
        .map(|bytes| u64::from_le_bytes(bytes.try_into().expect("eight bytes")));
    for case in cases {
        for (run, rows) in case.runs.iter().enumerate() {
            let mut fixed = machine(case);
            for (step, row) in rows.iter().enumerate() {
                fixed.step(&words(case, row));
                compared.steps += 1;
                for (var, field) in case.system.outputs.iter().zip(&case.code.outputs) {
                    let declared = &case.system.vars[*var];
                    let got = value_of(answers.next().expect("an answer"), declared.ty, field.int);
                    let told = fixed.values()[*var];
                    let place =
                        format!("{} {} run {run} step {step}", case.system.name, declared.name);
                    assert!(
                        same(told, got),
                        "{flags:?} {place}: {told:?} {got:?}\n{}",
                        case.code.source
                    );
                }
            }
        }
    }
    assert_eq!(answers.next(), None);
}
