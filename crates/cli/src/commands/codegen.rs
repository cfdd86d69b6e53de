//! `provoke codegen`: a model as C code.

use provoke_codegen::{Code, Machine, Options, Unplayable, generate, library, replay, skeleton};
use provoke_model::{Arithmetic, IntWidth, RealWidth, System};
use provoke_results::{Codegen, IntResult, Schema, to_json};

use crate::args::{CodegenArgs, CodegenTarget, IntBits};
use crate::files;
use crate::outcome::{Failure, Outcome, show_diagnostics};
use crate::output::Output;
use crate::subject;

pub(crate) fn run(args: &CodegenArgs, output: &Output) -> Result<Outcome, Failure> {
    let (file, system) = files::model(&args.model.model, args.model.main.as_deref(), output)?;
    let options = options(args);
    let code = generate(&system, Some(&file), &options).map_err(|found| {
        show_diagnostics(output, &file, &found);
        Failure::Shown
    })?;
    let mut written = vec![
        (format!("{}.h", code.name), code.header.clone()),
        (format!("{}.c", code.name), code.source.clone()),
    ];
    match args.target {
        None => {}
        Some(CodegenTarget::Library) => {
            written.push((format!("{}_library.c", code.name), library(&system, &code)));
        }
        Some(CodegenTarget::Machine(machine)) => {
            let step_ms = args.step.as_millis().clamp(1, 3_600_000) as u32;
            let model = std::path::absolute(&args.model.model);
            let model = model.unwrap_or_else(|_| args.model.model.clone()).display().to_string();
            let files = skeleton(&system, &code, &options, machine, step_ms, &model);
            written.extend(files.into_iter().map(|(name, text)| (name.to_string(), text)));
        }
    }
    if args.suite.is_some() {
        let test = test_program(args, &system, &code, &options, output)?;
        written.push((format!("{}_test.c", code.name), test));
    }
    files::make_folder(&args.output)?;
    let mut paths = Vec::new();
    for (name, text) in &written {
        let path = args.output.join(name);
        files::write(output, &path, text.as_bytes())?;
        paths.push(path.display().to_string());
    }
    if output.is_json() {
        let real = if options.arithmetic.real == RealWidth::Double { "double" } else { "float" };
        output.result(&to_json(&Codegen {
            schema: Schema::default(),
            model: args.model.model.display().to_string(),
            name: code.name,
            int: match options.narrow {
                true => IntResult::Proven("auto".to_string()),
                false => IntResult::Bits(options.arithmetic.int.bits()),
            },
            real: real.to_string(),
            files: paths,
        }));
        return Ok(Outcome::Well);
    }
    for path in &paths {
        output.note(&format!("wrote {path}\n"));
    }
    output.result(&how_to_build(args, &code));
    Ok(Outcome::Well)
}

/// The numbers that are asked for; boards have small ones.
fn options(args: &CodegenArgs) -> Options {
    let board =
        matches!(args.target, Some(CodegenTarget::Machine(Machine::ArmQemu | Machine::Avr)));
    let (int, real) = match board {
        true => (IntWidth::Bits32, RealWidth::Single),
        false => (IntWidth::Bits64, RealWidth::Double),
    };
    let (int, narrow) = match args.int {
        Some(IntBits::All(int)) => (int, false),
        Some(IntBits::Proven) => (IntWidth::Bits64, true),
        None => (int, false),
    };
    Options { arithmetic: Arithmetic { int, real: args.real.unwrap_or(real) }, narrow }
}

/// The suite as a program that replays it.
fn test_program(
    args: &CodegenArgs,
    system: &System,
    code: &Code,
    options: &Options,
    output: &Output,
) -> Result<String, Failure> {
    let path = args.suite.as_ref().expect("asked for");
    let mut suite = subject::suite_for(path, system, args.fill, args.seed, output)?;
    let is_output =
        |name: &str| system.var_named(name).is_some_and(|var| system.outputs.contains(&var));
    if !suite.outputs.iter().any(|signal| is_output(&signal.name)) {
        subject::expect(&mut suite, system, &provoke_criteria::Oracle::Outputs)?;
    }
    let others: Vec<&str> = suite
        .outputs
        .iter()
        .map(|signal| signal.name.as_str())
        .filter(|name| !is_output(name))
        .collect();
    if !others.is_empty() {
        let names = others.join(", ");
        output.warning(&format!("not compared, because the code does not show them: {names}"));
    }
    let tolerance = args.tolerance.unwrap_or(match options.arithmetic.real {
        RealWidth::Double => 1e-9,
        RealWidth::Single => 1e-4,
    });
    replay(system, code, options, &suite, tolerance).map_err(|why| {
        let hint = match &why {
            Unplayable::Empty => "give a suite with tests, such as `provoke generate` writes",
            Unplayable::OtherInputs => "the suite has inputs that the model does not have",
            Unplayable::Input { value, .. } if value.is_empty() => "give it a value with `--fill`",
            Unplayable::Input { .. }
                if options.narrow || options.arithmetic.int == IntWidth::Bits32 =>
            {
                "use `--int 64`"
            }
            Unplayable::Input { .. } => "use smaller numbers in the test",
        };
        Failure::input(format!("{}: {why}", path.display()), hint)
    })
}

/// The next thing to type.
fn how_to_build(args: &CodegenArgs, code: &Code) -> String {
    let (folder, name) = (args.output.display(), &code.name);
    if args.suite.is_some() {
        format!(
            "try: gcc -std=c99 -O2 {folder}/{name}.c {folder}/{name}_test.c -o {folder}/{name}_test && {folder}/{name}_test\n"
        )
    } else if let Some(CodegenTarget::Machine(_)) = args.target {
        format!("try: make -C {folder} && provoke calibrate --on {folder}/target.toml\n")
    } else if args.target.is_some() {
        format!(
            "try: gcc -std=c99 -O2 -shared -fPIC {folder}/{name}.c {folder}/{name}_library.c -o {folder}/{name}.so\n"
        )
    } else {
        format!("try: gcc -std=c99 -O2 -c {folder}/{name}.c -o {folder}/{name}.o\n")
    }
}
