//! A system as C code: one file and its header, static memory, `NAME_reset` and `NAME_step`, no
//! library calls. What its numbers do is defined in [`provoke_model::fixed`]; what the system does
//! with them, step by step, in `provoke_sim::FixedSimulator`.

mod library;
mod machine;
mod memory;
mod names;
mod needed;
mod notation;
mod replay;
mod skeleton;
mod step;
mod support;

pub use library::library;
pub use replay::{ReplayError, replay};
pub use skeleton::{CodePlatform, skeleton};

use std::fmt::Write;

use provoke_analysis::Widths;
use provoke_base::{Diagnostic, SourceFile};
use provoke_model::{Arithmetic, ExprKind, IntWidth, RealWidth, Role, System, Type, Value, VarId};

use crate::memory::Memory;
use crate::names::Names;
use crate::needed::Needed;
use crate::notation::{literal, type_name};
use crate::step::StepWriter;

/// How the code is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodeOptions {
    /// What numbers it computes with.
    pub arithmetic: Arithmetic,
    /// Whether integers that are proven to fit 32 bits have no more.
    pub narrow: bool,
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
        CodeOptions { arithmetic, narrow: false }
    }
}

/// A field of the input or output structure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The variable.
    pub var: VarId,
    /// What it is called in C.
    pub name: String,
    /// Its type in C.
    pub ty: String,
    /// How wide it is, if it is an integer.
    pub int: IntWidth,
}

/// The files, and what has to be known to use them.
#[derive(Clone, PartialEq, Eq, Debug)]
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
}

/// Writes a system as C; with the file it comes from, comments name its lines. Constants that do
/// not fit the chosen numbers are refused.
pub fn generate(
    system: &System,
    file: Option<&SourceFile>,
    options: &CodeOptions,
) -> Result<Code, Vec<Diagnostic>> {
    let needed = Needed::new(system);
    let widths = options.widths(system);
    check_constants(system, &needed, (options, &widths))?;
    let mut names = Names::new(system);
    let memory = Memory::new(system, &needed, &mut names);
    let inputs = fields(system, &system.inputs, &widths, &names, options);
    let outputs = fields(system, &system.outputs, &widths, &names, options);
    let header = header(system, [&inputs, &outputs], (&memory, &widths), &names, options);
    let name = names.model.clone();
    let reset = reset(&memory, &names, options);
    let mut writer = StepWriter::new(system, file, (options, &widths), names, &needed, &memory);
    let step = writer.write().to_string();
    let mut source = format!("{}#include \"{name}.h\"\n\n", about(system, options));
    for (support, width) in &writer.support {
        source.push_str(&support.definition(&name, *width, options));
    }
    let _ = write!(
        source,
        "void {name}_reset({name}_state *state)\n{{\n{reset}}}\n\n\
         void {name}_step({name}_state *state, const {name}_in *in, {name}_out *out)\n{{\n{step}}}\n"
    );
    Ok(Code { name, header, source, inputs, outputs })
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

fn fields(
    system: &System,
    vars: &[VarId],
    widths: &Widths,
    names: &Names,
    options: &CodeOptions,
) -> Vec<Field> {
    let field = |var: &VarId| Field {
        var: *var,
        name: names.vars[*var].clone(),
        ty: type_name(system.vars[*var].ty, widths.vars[*var], names, options),
        int: widths.vars[*var],
    };
    vars.iter().map(field).collect()
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
         * the low bits, as all common compilers define it; compile without -ffast-math.{machine}\n */\n",
        comment_safe(&system.name)
    )
}

/// A name that cannot end a comment.
fn comment_safe(name: &str) -> String {
    name.replace("*/", "* /")
}

fn header(
    system: &System,
    fields: [&[Field]; 2],
    (memory, widths): (&Memory, &Widths),
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
    for (fields, word) in fields.into_iter().zip(["in", "out"]) {
        let mut members = String::new();
        for field in fields {
            let comment = remark(system, field, options);
            let _ = writeln!(members, "    {} {};{comment}", field.ty, field.name);
        }
        if members.is_empty() {
            members.push_str("    uint8_t unused; /* a structure has at least one member */\n");
        }
        let _ = write!(text, "typedef struct {{\n{members}}} {name}_{word};\n\n");
    }
    let mut members = "    bool first;\n".to_string();
    for slot in &memory.slots {
        let ty = type_name(slot.ty, widths.exprs[slot.operand], names, options);
        let _ = writeln!(members, "    {ty} {};", slot.field);
    }
    let _ = write!(
        text,
        "typedef struct {{\n{members}}} {name}_state;\n\n\
         /* Goes to the initial state; call it before the first step. */\n\
         void {name}_reset({name}_state *state);\n\n\
         /* Does one step: reads all inputs, writes all outputs. */\n\
         void {name}_step({name}_state *state, const {name}_in *in, {name}_out *out);\n\n#endif\n"
    );
    text
}

/// The model's name of a field, and the range that its proofs rely on.
fn remark(system: &System, field: &Field, options: &CodeOptions) -> String {
    let var = &system.vars[field.var];
    let mut parts = Vec::new();
    let shown = comment_safe(&var.name);
    if shown != field.name {
        parts.push(shown);
    }
    if let Some(range) = var.range.as_ref().filter(|_| options.narrow && var.role == Role::Input) {
        parts.push(format!("{} to {}", range.low, range.high));
    }
    if parts.is_empty() { String::new() } else { format!(" /* {} */", parts.join(", ")) }
}

fn reset(memory: &Memory, names: &Names, options: &CodeOptions) -> String {
    let mut text = "    state->first = true;\n".to_string();
    for slot in &memory.slots {
        let zero = match slot.ty {
            Type::Enum(id) if names.constants[id].is_empty() => format!("{}_none", names.enums[id]),
            ty => literal(provoke_model::FixedValue::zero(ty), ty, names, options),
        };
        let _ = writeln!(text, "    state->{} = {zero};", slot.field);
    }
    text
}
