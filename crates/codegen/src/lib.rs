//! A system as C code: one file and its header, static memory, `NAME_reset` and `NAME_step`, no
//! library calls. What its numbers do is defined in [`provoke_model::fixed`]; what the system does
//! with them, step by step, in `provoke_sim::FixedSimulator`.

mod compiler;
mod functions;
mod interface;
mod layout;
mod library;
mod machine;
mod memory;
mod names;
mod needed;
mod notation;
mod replay;
mod skeleton;
mod source;
mod step;
mod support;
mod trace;

pub use library::library;
pub use replay::{ReplayError, replay};
pub use skeleton::{CodePlatform, skeleton};
pub use trace::{CodeLine, trace};

use std::fmt::Write;

use provoke_analysis::Widths;
use provoke_base::{Diagnostic, SourceFile};
use provoke_model::{Arithmetic, ExprKind, IntWidth, RealWidth, Role, System, Value, VarId};

use crate::functions::functions;
use crate::interface::{Interface, StructTypes};
use crate::names::Names;
use crate::needed::{Needed, Peers};
use crate::source::{Source, definitions};
use crate::step::Context;

/// How the code is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodeOptions {
    /// What numbers it computes with.
    pub arithmetic: Arithmetic,
    /// Whether integers that are proven to fit 32 bits have no more.
    pub narrow: bool,
    /// Whether all is one function; else each node is one.
    pub inline: bool,
}

impl CodeOptions {
    /// How wide each integer of a system is.
    pub fn widths(&self, system: &System) -> Widths {
        match self.narrow {
            true => Widths::proven(system),
            false => Widths::uniform(system, self.arithmetic.int),
        }
    }
}

impl Default for CodeOptions {
    fn default() -> CodeOptions {
        let arithmetic = Arithmetic { int: IntWidth::Bits64, real: RealWidth::Double };
        CodeOptions { arithmetic, narrow: false, inline: false }
    }
}

/// A field of the input or output structure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The variable.
    pub var: VarId,
    /// Where it is in its structure: a member, or a part of one as `gains[2].low`.
    pub name: String,
    /// Its type in C.
    pub ty: String,
    /// How wide it is, if it is an integer.
    pub int: IntWidth,
}

/// The files, and what has to be known to use them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Code {
    /// What all names that others see begin with, and the name of the files.
    pub name: String,
    /// `NAME.h`
    pub header: String,
    /// `NAME.c`
    pub source: String,
    /// The fields of `NAME_in`, in the order of the system's inputs.
    pub inputs: Vec<Field>,
    /// The fields of `NAME_out`, in the order of the system's outputs.
    pub outputs: Vec<Field>,
    /// How the fields are put together, inputs and outputs.
    pub(crate) sides: [Interface; 2],
}

/// Writes a system as C; with the file it comes from, comments name its lines. Constants that do
/// not fit the chosen numbers are refused.
pub fn generate(
    system: &System,
    file: Option<&SourceFile>,
    options: &CodeOptions,
) -> Result<Code, Vec<Diagnostic>> {
    let peers = Peers::new(system);
    let needed = Needed::new(system, (!options.inline).then_some(&peers));
    let widths = options.widths(system);
    check_constants(system, &needed, (options, &widths))?;
    let mut names = Names::new(system);
    let inputs = Interface::new(system, &system.inputs, &widths, &names, options);
    let outputs = Interface::new(system, &system.outputs, &widths, &names, options);
    let mut types = StructTypes::default();
    let remark = |field: &Field| remark(system, field, options);
    let members = [&inputs, &outputs].map(|side| side.declarations(&mut types, &mut names, remark));
    let definitions = definitions(system);
    let context = Context {
        system,
        file,
        options,
        widths: &widths,
        needed: &needed,
        definitions: &definitions,
    };
    let functions = functions(system, &needed, &peers, options.inline);
    let written = Source::new(context, &functions, [&inputs, &outputs], &mut names);
    let name = names.model.clone();
    let header = header(system, &types.text, members, &written, &names, options);
    let source = source(system, &written, &names, options);
    Ok(Code {
        name,
        header,
        source,
        inputs: inputs.fields.clone(),
        outputs: outputs.fields.clone(),
        sides: [inputs, outputs],
    })
}

/// The text of `NAME.c`.
fn source(system: &System, written: &Source, names: &Names, options: &CodeOptions) -> String {
    let name = &names.model;
    let mut text = format!("{}#include \"{name}.h\"\n\n", about(system, options));
    if compiler::has_reals(system) {
        text.push_str(&compiler::refusals(options));
    }
    for (support, width) in &written.support {
        text.push_str(&support.definition(name, *width, options));
    }
    let Source { nodes, reset, step, .. } = written;
    let _ = write!(
        text,
        "{nodes}void {name}_reset({name}_state *state)\n{{\n{reset}}}\n\n\
         {}{{\n{step}}}\n",
        step_function(name, "")
    );
    text
}

fn check_constants(
    system: &System,
    needed: &Needed,
    (options, widths): (&CodeOptions, &Widths),
) -> Result<(), Vec<Diagnostic>> {
    let bits = options.arithmetic.int.machine().bits;
    let mut found = Vec::new();
    for (id, expr) in system.exprs.entries().filter(|(id, _)| needed.uses[*id] > 0) {
        let ExprKind::Const(value) = &expr.kind else { continue };
        let machine = match widths.exprs[id] {
            int @ IntWidth::Machine(_) => Arithmetic { int, ..options.arithmetic },
            _ => options.arithmetic,
        };
        if machine.word(value).is_some() {
            continue;
        }
        let message = match value {
            Value::Unknown => "a value that is not known".to_string(),
            Value::Int(int) => format!("{int} does not fit {bits} bits"),
            _ => format!("a number too large for {}", notation::real_type(options.arithmetic.real)),
        };
        let help = match (value, bits) {
            (Value::Int(_), 32) => "use `--int 64`",
            _ => "write the model with smaller numbers",
        };
        let span = system.exprs[id].span;
        found.push(Diagnostic::error("number-too-large", span, message).help(help));
    }
    if found.is_empty() { Ok(()) } else { Err(found) }
}

fn about(system: &System, options: &CodeOptions) -> String {
    let int = match options.narrow {
        true => "int32_t where they are proven to fit,\n * else int64_t,",
        false => notation::int_type(options.arithmetic.int),
    };
    let real = notation::real_type(options.arithmetic.real);
    let machine = match system.vars.iter().any(|var| var.machine.is_some()) {
        true => {
            "\n * Integers of another type are the model's own: they wrap, and div rounds towards zero."
        }
        false => "",
    };
    format!(
        "/*\n * Generated by Provoke from the model {}. Do not edit.\n *\n \
         * Integers are {int} and wrap on overflow; div and mod are Euclidean and give zero for a\n \
         * division by zero. Reals are {real}. Conversions to signed integers are expected to keep\n \
         * the low bits, as all common compilers define it; compile with {}.{machine}\n */\n",
        comment_safe(&system.name),
        compiler::ONE_ROUNDING_EACH
    )
}

/// A name that cannot end a comment.
fn comment_safe(name: &str) -> String {
    name.replace("*/", "* /")
}

/// How the step function begins, or how it is declared.
fn step_function(name: &str, end: &str) -> String {
    let parameters = format!("{name}_state *state, const {name}_in *in, {name}_out *out");
    layout::folded(0, &format!("void {name}_step({parameters}){end}"))
}

/// The text of `NAME.h`.
fn header(
    system: &System,
    types: &str,
    members: [String; 2],
    written: &Source,
    names: &Names,
    options: &CodeOptions,
) -> String {
    let name = &names.model;
    let guard = format!("{}_H", name.to_uppercase());
    let mut text = about(system, options);
    let _ = write!(
        text,
        "#ifndef {guard}\n#define {guard}\n\n#include <stdbool.h>\n#include <stdint.h>\n\n"
    );
    for (id, ty) in names.enums.entries() {
        let constants = names.constants[id].join(",\n    ");
        let constants = if constants.is_empty() { format!("{ty}_none") } else { constants };
        let _ = write!(text, "typedef enum {{\n    {constants}\n}} {ty};\n\n");
    }
    text.push_str(types);
    for (mut members, word) in members.into_iter().zip(["in", "out"]) {
        if members.is_empty() {
            members.push_str("    uint8_t unused; /* a structure has at least one member */\n");
        }
        let _ = write!(text, "typedef struct {{\n{members}}} {name}_{word};\n\n");
    }
    let Source { states, members, .. } = written;
    let _ = write!(
        text,
        "{states}typedef struct {{\n{members}}} {name}_state;\n\n\
         /* Goes to the initial state; call it before the first step. */\n\
         void {name}_reset({name}_state *state);\n\n\
         /* Does one step: reads all inputs, writes all outputs. */\n\
         {}\n#endif\n",
        step_function(name, ";")
    );
    text
}

/// The model's name of a field, and the range that its proofs rely on.
fn remark(system: &System, field: &Field, options: &CodeOptions) -> String {
    let var = &system.vars[field.var];
    let mut parts = Vec::new();
    let base = |name: &str| name.split(['.', '[']).next().unwrap_or(name).to_string();
    let shown = comment_safe(&base(&var.name));
    if shown != base(&field.name) {
        parts.push(shown);
    }
    if let Some(range) = var.range.as_ref().filter(|_| options.narrow && var.role == Role::Input) {
        parts.push(format!("{} to {}", range.low, range.high));
    }
    if parts.is_empty() { String::new() } else { format!(" /* {} */", parts.join(", ")) }
}
