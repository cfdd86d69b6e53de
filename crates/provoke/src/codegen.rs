//! A model as C code.

use std::path::PathBuf;

use provoke_base::{Control, Error, ErrorCode};
use provoke_codegen::{
    Code, CodeOptions, CodePlatform, ReplayError, generate, library, replay, skeleton,
};
use provoke_coverage::numbers::{in_numbers_of, same_numbers};
use provoke_criteria::Oracle;
use provoke_files::Model;
use provoke_model::{Arithmetic, IntWidth, RealWidth, Suite, System};
use provoke_results::{Codegen, IntResult, Schema};

use crate::code_coverage::replayed_code;
use crate::files::{make_folder, write_together};
use crate::tests::expect;

/// What code is written for, beside the functions of the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CodegenTarget {
    /// A shared library.
    Library,
    /// A program for a machine, with a Makefile and a target file.
    Machine(CodePlatform),
}

/// How wide integers are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntBits {
    /// All of them alike.
    All(IntWidth),
    /// 32 bits for those that are proven to fit, else 64.
    Proven,
}

/// What code is written.
#[derive(Clone, Debug, Default)]
pub struct CodegenOptions {
    /// How wide integers are; 64 bits, on boards 32, if nothing is said.
    pub int: Option<IntBits>,
    /// What reals are; double, on boards float, if nothing is said.
    pub real: Option<RealWidth>,
    /// Whether all is one function; else each node is one.
    pub inline: bool,
    /// What else is written.
    pub target: Option<CodegenTarget>,
    /// Milliseconds between two steps of such a target; 500 if nothing is said.
    pub step_ms: Option<u32>,
    /// How far reals may be off: |actual - expected| <= tolerance * max(1, |expected|). 1e-9 for double and
    /// 1e-4 for float if nothing is said.
    pub tolerance: Option<f64>,
    /// Whether the suite is run on the code, built with clang, and its coverage is measured.
    pub coverage: bool,
    /// Whether a suite is replayed that was made for other numbers.
    pub allow_other_numbers: bool,
    /// Where the files are written.
    pub folder: PathBuf,
}

impl CodegenOptions {
    /// The numbers that are asked for; boards have small ones.
    fn numbers(&self) -> CodeOptions {
        let board = matches!(
            self.target,
            Some(CodegenTarget::Machine(CodePlatform::ArmQemu | CodePlatform::Avr))
        );
        let (int, real) = match board {
            true => (IntWidth::Bits32, RealWidth::Single),
            false => (IntWidth::Bits64, RealWidth::Double),
        };
        let (int, narrow) = match self.int {
            Some(IntBits::All(int)) => (int, false),
            Some(IntBits::Proven) => (IntWidth::Bits64, true),
            None => (int, false),
        };
        let arithmetic = Arithmetic { int, real: self.real.unwrap_or(real) };
        CodeOptions { arithmetic, narrow, inline: self.inline }
    }
}

/// Writes the C code of a model into the folder of the options and, if a suite over all its inputs is
/// given, a program that replays it.
pub fn codegen(
    model: &Model,
    suite: Option<Suite>,
    options: &CodegenOptions,
    control: &Control,
) -> Result<Codegen, Error> {
    model.refuse_choices("the C code")?;
    let Model { file, system } = model;
    let numbers = options.numbers();
    let code = generate(system, Some(file), &numbers)
        .map_err(|diagnostics| Error::in_text(file, diagnostics))?;
    let mut written = vec![
        (format!("{}.h", code.name), code.header.clone()),
        (format!("{}.c", code.name), code.source.clone()),
    ];
    match options.target {
        None => {}
        Some(CodegenTarget::Library) => {
            written.push((format!("{}_library.c", code.name), library(system, &code)));
        }
        Some(CodegenTarget::Machine(machine)) => {
            let step_ms = options.step_ms.unwrap_or(500).clamp(1, 3_600_000);
            let name = std::path::absolute(&file.name);
            let name = name.map_or_else(|_| file.name.clone(), |path| path.display().to_string());
            let files = skeleton(system, &code, &numbers, machine, step_ms, &name);
            let with_numbers = |(name, text): (&str, String)| match name.ends_with(".toml") {
                true => (name.to_string(), text + &target_numbers(numbers.arithmetic)),
                false => (name.to_string(), text),
            };
            written.extend(files.into_iter().map(with_numbers));
        }
    }
    if options.coverage && suite.is_none() {
        let message = "coverage of the code is that of a suite, and there is none";
        return Err(Error::new(ErrorCode::OptionsConflict, message).hint("give a suite"));
    }
    if let Some(suite) = suite {
        if !options.allow_other_numbers {
            same_numbers(&suite, Some(numbers.arithmetic), "the code")?;
        }
        let test = test_program(suite, system, &code, &numbers, options.tolerance, control)?;
        written.push((format!("{}_test.c", code.name), test));
    }
    make_folder(&options.folder)?;
    let file_of = |(name, text): (String, String)| (options.folder.join(name), text.into_bytes());
    let files: Vec<(PathBuf, Vec<u8>)> = written.into_iter().map(file_of).collect();
    write_together(&files)?;
    let measure = || replayed_code(&options.folder, &code, file);
    let coverage = options.coverage.then(measure).transpose()?;
    Ok(Codegen {
        schema: Schema::default(),
        model: file.name.clone(),
        name: code.name,
        int: match numbers.narrow {
            true => IntResult::Proven("auto".to_string()),
            false => IntResult::Bits(numbers.arithmetic.int.machine().bits.into()),
        },
        real: match numbers.arithmetic.real {
            RealWidth::Double => "double".to_string(),
            RealWidth::Single => "float".to_string(),
        },
        files: files.iter().map(|(path, _)| path.display().to_string()).collect(),
        coverage,
    })
}

/// What a target file says of the numbers of its program.
fn target_numbers(numbers: Arithmetic) -> String {
    let (int, real) = (numbers.int.machine().bits, numbers.real.word());
    format!("\n[numbers]\nint = {int}\nreal = \"{real}\"\n")
}

/// A suite as a program that replays it.
fn test_program(
    mut suite: Suite,
    system: &System,
    code: &Code,
    numbers: &CodeOptions,
    tolerance: Option<f64>,
    control: &Control,
) -> Result<String, Error> {
    let is_output =
        |name: &str| system.var_named(name).is_some_and(|var| system.outputs.contains(&var));
    if !suite.outputs.iter().any(|signal| is_output(&signal.name)) {
        let computed = in_numbers_of(&suite, system)?;
        expect(&mut suite, &computed, &Oracle::Outputs)?;
    }
    let names = suite.outputs.iter().map(|signal| signal.name.as_str());
    let others: Vec<&str> = names.filter(|name| !is_output(name)).collect();
    if !others.is_empty() {
        let names = others.join(", ");
        control.warn(format!("not compared, because the code does not show them: {names}"));
    }
    let tolerance = tolerance.unwrap_or(match numbers.arithmetic.real {
        RealWidth::Double => 1e-9,
        RealWidth::Single => 1e-4,
    });
    replay(system, code, numbers, &suite, tolerance).map_err(|why| unplayable(&why, numbers))
}

fn unplayable(why: &ReplayError, numbers: &CodeOptions) -> Error {
    let narrow = numbers.narrow || numbers.arithmetic.int == IntWidth::Bits32;
    let (code, hint) = match why {
        ReplayError::Empty => (ErrorCode::WrongInput, "give a suite with tests"),
        ReplayError::OtherInputs => {
            (ErrorCode::WrongInput, "the suite has inputs that the model does not have")
        }
        ReplayError::Input { value, .. } if value.is_empty() => {
            (ErrorCode::InputNotSet, "give it a value")
        }
        ReplayError::Input { .. } if narrow => (ErrorCode::InputTooWide, "use 64 bits"),
        ReplayError::Input { .. } => (ErrorCode::WrongInput, "use smaller numbers in the test"),
    };
    Error::new(code, why.to_string()).hint(hint)
}
