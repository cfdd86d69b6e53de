//! Models, and the generated C as a process: words in, words out.

#![allow(dead_code, reason = "each test uses a part")]

pub(crate) mod silent;

use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use provoke_base::{Random, SourceFile};
use provoke_codegen::{Code, CodeOptions, Field, generate};
use provoke_model::{
    Arithmetic, Expr, ExprKind, FixedValue, IntWidth, RealWidth, System, Type, Value,
};
use provoke_sim::{FixedSimulator, Simulator};
use provoke_testkit::random_model::make;
use provoke_testkit::{files, random_system, repository, shared};

const WIDE_NUMBERS: Arithmetic = Arithmetic { int: IntWidth::Bits64, real: RealWidth::Double };
const SMALL_NUMBERS: Arithmetic = Arithmetic { int: IntWidth::Bits32, real: RealWidth::Single };
pub(crate) const WIDE: CodeOptions =
    CodeOptions { arithmetic: WIDE_NUMBERS, narrow: false, inline: false };
pub(crate) const SMALL: CodeOptions = CodeOptions { arithmetic: SMALL_NUMBERS, ..WIDE };
/// Integers in 32 bits where they are proven to fit.
pub(crate) const PROVEN: CodeOptions = CodeOptions { narrow: true, ..WIDE };
/// The same in one function.
pub(crate) const FLAT: CodeOptions = CodeOptions { inline: true, ..PROVEN };

/// A model of a file.
pub(crate) fn load(path: &Path) -> (SourceFile, System) {
    let text = std::fs::read(path).expect("a readable model");
    let file = SourceFile::from_bytes(path.display().to_string(), text);
    let loaded = provoke_lustre::load(&file, None);
    let system = loaded.system.unwrap_or_else(|| panic!("{}: {:?}", file.name, loaded.diagnostics));
    (file, system)
}

/// The models of the repository and, where they are, the single-node benchmarks.
pub(crate) fn models() -> (Vec<PathBuf>, Vec<PathBuf>) {
    let benchmarks = shared("models/lustre/single_node");
    let benchmarks = benchmarks.map(|folder| files(&folder, "lus")).unwrap_or_default();
    (files(&repository().join("models"), "lus"), benchmarks)
}

/// A random model with nodes, clocks, arrays and structs, unless its numbers do not fit.
pub(crate) fn random_model(seed: u64, options: &CodeOptions) -> Option<(SourceFile, System)> {
    let model = make::model(&mut Random::new(seed), make::Family::Wild);
    let file = SourceFile::new("random.lus", model.to_string());
    let system = provoke_lustre::load(&file, None).system.expect("a model");
    let fits = |expr: &Expr| match &expr.kind {
        ExprKind::Const(value) => options.arithmetic.word(value).is_some(),
        _ => true,
    };
    system.exprs.iter().all(fits).then_some((file, system))
}

/// A folder of its own for each test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&path).expect("a writable folder");
    path
}

/// What generated code is compiled with: it has no warning.
pub(crate) const STRICT: [&str; 8] = [
    "-std=c99",
    "-pedantic",
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Wshadow",
    "-Werror",
    "-ffp-contract=off",
];

/// Compiles files of a folder without a single warning; returns the program.
pub(crate) fn compile(folder: &Path, sources: &[String], flags: &[&str]) -> PathBuf {
    let program = folder.join("program");
    let mut gcc = Command::new("gcc");
    gcc.current_dir(folder).args(STRICT);
    let done = gcc.args(flags).args(sources).arg("-o").arg(&program).output().expect("gcc runs");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{}: {said}", folder.display());
    program
}

/// Stops at the first undefined behaviour or wrong access.
pub(crate) const SANITIZED: &[&str] =
    &["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// The generated code, running.
pub(crate) struct Running {
    child: Child,
    to: BufWriter<ChildStdin>,
    from: BufReader<ChildStdout>,
    outputs: Vec<(Type, IntWidth)>,
}

impl Running {
    pub(crate) fn start(system: &System, code: &Code, folder: &Path, flags: &[&str]) -> Running {
        let write = |name: String, text: &str| std::fs::write(folder.join(name), text).unwrap();
        write(format!("{}.h", code.name), &code.header);
        write(format!("{}.c", code.name), &code.source);
        write("driver.c".to_string(), &driver(code));
        let program = compile(folder, &[format!("{}.c", code.name), "driver.c".into()], flags);
        let mut command = Command::new(program);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let to = BufWriter::new(child.stdin.take().expect("a pipe"));
        let from = BufReader::new(child.stdout.take().expect("a pipe"));
        let types = system.outputs.iter().map(|var| system.vars[*var].ty);
        let outputs = types.zip(code.outputs.iter().map(|field| field.int)).collect();
        Running { child, to, from, outputs }
    }

    /// Sends a step; several may be on their way.
    pub(crate) fn send(&mut self, reset: bool, inputs: &[FixedValue]) {
        self.to.write_all(&u64::from(reset).to_le_bytes()).expect("it listens");
        for word in inputs {
            let bits = match word {
                FixedValue::Bool(value) => u64::from(*value),
                FixedValue::Int(value) => *value as u64,
                FixedValue::Real(value) => value.to_bits(),
                FixedValue::Enum(ordinal) => u64::from(*ordinal),
            };
            self.to.write_all(&bits.to_le_bytes()).expect("it listens");
        }
    }

    /// The outputs of the next step.
    pub(crate) fn receive(&mut self) -> Vec<FixedValue> {
        self.to.flush().expect("it listens");
        let mut word = |(ty, width): &(Type, IntWidth)| {
            let mut bytes = [0; 8];
            self.from.read_exact(&mut bytes).expect("it answers");
            let bits = u64::from_le_bytes(bytes);
            match ty {
                Type::Bool => FixedValue::Bool(bits != 0),
                Type::Int => FixedValue::Int(width.wrap(i128::from(bits))),
                Type::Real => FixedValue::Real(f64::from_bits(bits)),
                Type::Enum(_) => FixedValue::Enum(bits as u32),
            }
        };
        self.outputs.iter().map(&mut word).collect()
    }

    pub(crate) fn finish(mut self) {
        drop(self.to);
        assert!(self.child.wait().expect("it ends").success(), "the sanitizers were content");
    }
}

/// Reads 64-bit words, does a step, writes 64-bit words.
fn driver(code: &Code) -> String {
    let name = &code.name;
    let real = |field: &Field| field.ty == "double" || field.ty == "float";
    let mut text = format!(
        "#include <stdio.h>\n#include <string.h>\n#include \"{name}.h\"\n\
         static double real(uint64_t w) {{ double r; memcpy(&r, &w, 8); return r; }}\n\
         static uint64_t bits(double r) {{ uint64_t w; memcpy(&w, &r, 8); return w; }}\n\
         int main(void) {{\n  {name}_state state; {name}_in in; {name}_out out;\n\
         uint64_t w[{}], v[{}];\n (void)real; (void)bits;\n memset(&in, 0, sizeof in);\n\
         while (fread(w, sizeof w, 1, stdin) == 1) {{\n if (w[0]) {name}_reset(&state);\n",
        code.inputs.len() + 1,
        code.outputs.len().max(1)
    );
    for (index, field) in code.inputs.iter().enumerate() {
        let word = format!("w[{}]", index + 1);
        let value = if real(field) { format!("real({word})") } else { word };
        text += &format!("in.{} = ({}){value};\n", field.name, field.ty);
    }
    text += &format!("{name}_step(&state, &in, &out);\nv[0] = 0;\n");
    for (index, field) in code.outputs.iter().enumerate() {
        let value = match real(field) {
            true => format!("bits((double)out.{})", field.name),
            false => format!("(uint64_t)(int64_t)out.{}", field.name),
        };
        text += &format!("v[{index}] = {value};\n");
    }
    let count = code.outputs.len();
    text + &format!("fwrite(v, 8, {count}, stdout);\n fflush(stdout);\n }}\n return 0;\n}}\n")
}

/// Small inputs, and now and then any number that fits.
pub(crate) fn inputs(random: &mut Random, system: &System, arithmetic: Arithmetic) -> Vec<Value> {
    let mut drawn = random_system::inputs(random, system);
    for (value, var) in drawn.iter_mut().zip(&system.inputs) {
        let var = &system.vars[*var];
        if let Type::Enum(id) = var.ty {
            *value = Value::Enum(random.below(system.enums[id].constants.len()) as u32);
        }
        if var.ty == Type::Int && var.range.is_none() && random.chance(1, 4) {
            let shift = 64 - random.below(usize::from(arithmetic.int.machine().bits)) - 1;
            *value = Value::from(random.next() as i64 >> shift);
        }
    }
    drawn
}

/// What was compared.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    pub(crate) steps: usize,
    /// Steps in which the exact interpreter took part.
    pub(crate) exact: usize,
    /// Runs that left the exact numbers.
    pub(crate) inexact: usize,
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Tally) {
        self.steps += other.steps;
        self.exact += other.exact;
        self.inexact += other.inexact;
    }
}

/// Runs the C, the machine's numbers and the exact ones side by side.
pub(crate) fn compare(
    file: Option<&SourceFile>,
    system: &System,
    options: CodeOptions,
    folder: &Path,
    flags: &[&str],
    (runs, length): (usize, usize),
) -> Tally {
    let code = generate(system, file, &options).expect("constants that fit");
    let (arithmetic, widths) = (options.arithmetic, options.widths(system));
    let mut running = Running::start(system, &code, folder, flags);
    let mut tally = Tally::default();
    let reals = system.vars.iter().any(|var| var.ty == Type::Real)
        || system.exprs.iter().any(|expr| expr.ty == Type::Real);
    for run in 0..runs {
        let mut random = Random::for_part(run as u64, &system.name);
        let steps: Vec<Vec<Value>> =
            (0..length).map(|_| inputs(&mut random, system, arithmetic)).collect();
        let mut fixed = FixedSimulator::with_widths(system, arithmetic, widths.clone());
        let mut exact = (!reals).then(|| Simulator::new(system));
        for (index, values) in steps.iter().enumerate() {
            let word = |(field, value): (&Field, &Value)| {
                Arithmetic { int: field.int, ..arithmetic }.word(value).expect("it fits")
            };
            let words: Vec<FixedValue> = code.inputs.iter().zip(values).map(word).collect();
            running.send(index == 0, &words);
            fixed.step(&words);
            let got = running.receive();
            let outputs = system.outputs.iter();
            for ((var, got), place) in outputs.zip(got).zip(1..) {
                let label =
                    || format!("{}, run {run}, step {}, output {place}", system.name, index + 1);
                assert!(
                    same(fixed.values()[*var], got),
                    "{}: {:?} {got:?}",
                    label(),
                    fixed.values()[*var]
                );
            }
            tally.steps += 1;
            if fixed.inexact().is_some() {
                exact = None;
            }
            if let Some(exact) = &mut exact {
                exact.step(values).expect("what has no trouble has no fault");
                tally.exact += 1;
                for (var, value) in exact.values().entries().filter(|(_, value)| value.is_known()) {
                    let name = &system.vars[var].name;
                    assert_eq!(fixed.values()[var].to_value(), *value, "{} {name}", system.name);
                }
            }
        }
        tally.inexact += usize::from(fixed.inexact().is_some());
    }
    running.finish();
    tally
}

/// The same bits, or both no number.
pub(crate) fn same(a: FixedValue, b: FixedValue) -> bool {
    match (a, b) {
        (FixedValue::Real(a), FixedValue::Real(b)) => a == b || (a.is_nan() && b.is_nan()),
        _ => a == b,
    }
}
