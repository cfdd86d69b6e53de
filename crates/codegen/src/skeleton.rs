//! The code as something that can be tested: a process, a program for a board in qemu or simavr, each
//! with its build file and a target file for `provoke run`.

use std::fmt::Write;

use provoke_model::{IntWidth, System, Type, VarId};

use crate::compiler::ONE_ROUNDING_EACH;
use crate::notation::int_type;
use crate::replay::string;
use crate::{Code, CodeOptions, Field};

/// What the code runs on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CodePlatform {
    /// A process on Linux.
    Linux,
    /// An lm3s6965evb board, in qemu.
    ArmQemu,
    /// An ATmega324PA, in simavr.
    Avr,
}

provoke_base::words!(CodePlatform {
    Linux = "linux",
    ArmQemu = "arm-qemu",
    Avr = "avr",
});

/// The files beside the code, by name. `model` is how the target file names the model.
pub fn skeleton(
    system: &System,
    code: &Code,
    options: &CodeOptions,
    machine: CodePlatform,
    step_ms: u32,
    model: &str,
) -> Vec<(&'static str, String)> {
    let mut files = vec![
        ("target.h", include_str!("skeleton/target.h").to_string()),
        ("target.c", target(system, code, options, step_ms)),
        ("Makefile", makefile(machine, &code.name)),
        ("target.toml", target_file(machine, &code.name, step_ms, model)),
    ];
    match machine {
        CodePlatform::Linux => {
            files.push(("board.c", include_str!("skeleton/linux.c").to_string()))
        }
        CodePlatform::ArmQemu => {
            files.push(("board.c", include_str!("skeleton/arm.c").to_string()));
            files.push(("board.ld", include_str!("skeleton/arm.ld").to_string()));
        }
        CodePlatform::Avr => {
            files.push(("board.c", include_str!("skeleton/avr.c").to_string()));
            files.push(("simavr_board.c", include_str!("skeleton/simavr.c").to_string()));
        }
    }
    files
}

fn target(system: &System, code: &Code, options: &CodeOptions, step_ms: u32) -> String {
    let name_of = |var: VarId| string(&system.vars[var].name);
    let ty_of = |field: &Field| system.vars[field.var].ty;
    let mut set = String::new();
    for (index, field) in code.inputs.iter().enumerate() {
        let word = if index == 0 { "if" } else { "} else if" };
        let value = match ty_of(field) {
            Type::Bool => "get_number(value) != 0".to_string(),
            Type::Real => format!("({})get_real(value)", field.ty),
            Type::Int | Type::Enum(_) => format!("({})get_number(value)", field.ty),
        };
        let (name, shown) = (&field.name, name_of(field.var));
        let _ = writeln!(
            set,
            "    {word} (same(name, TEXT({shown}))) {{\n        in.{name} = {value};"
        );
    }
    match code.inputs.is_empty() {
        true => set.push_str("    (void)name;\n    (void)value;\n    known = false;\n"),
        false => set.push_str("    } else {\n        known = false;\n    }\n"),
    }
    let put = |field: &Field, from: &str| match ty_of(field) {
        Type::Real => format!("put_real({from}.{})", field.name),
        Type::Int => format!("put_number({from}.{})", field.name),
        Type::Bool | Type::Enum(_) => format!("put_number((number){from}.{})", field.name),
    };
    let mut reads = String::new();
    for field in &code.inputs {
        let (name, shown) = (&field.name, name_of(field.var));
        let _ = writeln!(
            reads,
            "    if (all || (in.{name} != read.{name})) {{\n        put_read(TEXT({shown}));\n        {};\n    }}",
            put(field, "in")
        );
    }
    let mut outs = String::new();
    for field in &code.outputs {
        let (name, shown) = (&field.name, name_of(field.var));
        let _ = writeln!(
            outs,
            "    if (all || (out.{name} != shown.{name})) {{\n        put_out(TEXT({shown}));\n        {};\n        end_line();\n    }}",
            put(field, "out")
        );
    }
    let integers = code.inputs.iter().chain(&code.outputs).filter(|f| ty_of(f) == Type::Int);
    // One type for all numbers on the line: that of the widest.
    let width = |field: &Field| match field.int.machine() {
        ty if ty.bits < 32 || (ty.bits == 32 && ty.signed) => IntWidth::Bits32,
        _ => IntWidth::Bits64,
    };
    let number = integers.map(width).max().unwrap_or(options.arithmetic.int);
    let has_real = |fields: &[Field]| fields.iter().any(|field| ty_of(field) == Type::Real);
    let reals = has_real(&code.inputs) || has_real(&code.outputs);
    include_str!("skeleton/target.c")
        .replace("$put_real", if reals { PUT_REAL } else { "" })
        .replace("$get_real", if has_real(&code.inputs) { GET_REAL } else { "" })
        .replace("$set", &set)
        .replace("$reads", &reads)
        .replace("$outs", &outs)
        .replace("$step_ms", &step_ms.to_string())
        .replace("$int", int_type(number))
        .replace("$name", &code.name)
}

const PUT_REAL: &str = "
/* Nine digits, and a power of ten where they are not enough. */
static void put_real(double value)
{
    int power = 0;
    uint32_t part;
    if (value < 0.0) {
        put('-');
        value = -value;
    }
    while ((value >= 1.0e9) && (power < 300)) {
        value = value / 10.0;
        power++;
    }
    part = (uint32_t)value;
    put_number((number)part);
    put('.');
    value = value - (double)part;
    for (uint8_t digit = 0U; digit < 9U; digit++) {
        value = value * 10.0;
        put((char)('0' + (char)value));
        value = value - (double)(uint8_t)value;
    }
    if (power > 0) {
        put('e');
        put_number((number)power);
    }
}
";

const GET_REAL: &str = "
static double get_real(const char *text)
{
    const bool negative = *text == '-';
    double value = 0.0;
    double scale = 1.0;
    number power = 0;
    if (negative) {
        text++;
    }
    while ((*text >= '0') && (*text <= '9')) {
        value = (value * 10.0) + (double)(*text - '0');
        text++;
    }
    if (*text == '.') {
        text++;
        while ((*text >= '0') && (*text <= '9')) {
            value = (value * 10.0) + (double)(*text - '0');
            scale = scale * 10.0;
            text++;
        }
    }
    if (*text == 'e') {
        power = get_number(&text[1]);
    }
    for (; power > 0; power--) {
        value = value * 10.0;
    }
    for (; power < 0; power++) {
        value = value / 10.0;
    }
    value = value / scale;
    return negative ? -value : value;
}
";

fn makefile(machine: CodePlatform, name: &str) -> String {
    let text = match machine {
        CodePlatform::Linux => {
            "CC = gcc\nCFLAGS = -std=c99 -Wall -Wextra -O2 $rounding\n\n\
             $name: $name.c target.c board.c $name.h target.h\n\
             \t$(CC) $(CFLAGS) $name.c target.c board.c -o $@\n"
        }
        CodePlatform::ArmQemu => {
            "CC = arm-none-eabi-gcc\n\
             CFLAGS = -std=c99 -Wall -Wextra -O2 -mcpu=cortex-m3 -mthumb -ffreestanding -fno-builtin $rounding\n\n\
             $name.elf: $name.c target.c board.c board.ld $name.h target.h\n\
             \t$(CC) $(CFLAGS) -nostdlib -T board.ld $name.c target.c board.c -lgcc -o $@\n"
        }
        CodePlatform::Avr => {
            "CC = avr-gcc\nCFLAGS = -std=c99 -Wall -Wextra -Os -mmcu=atmega324pa -DF_CPU=16000000UL $rounding\n\n\
             all: $name.elf simavr_board\n\n\
             $name.elf: $name.c target.c board.c $name.h target.h\n\
             \t$(CC) $(CFLAGS) $name.c target.c board.c -o $@\n\n\
             simavr_board: simavr_board.c\n\
             \tgcc -std=c99 -Wall -Wextra -O2 simavr_board.c -lsimavr -lelf -o $@\n"
        }
    };
    let text = text.replace("$name", name).replace("$rounding", ONE_ROUNDING_EACH);
    format!(".DELETE_ON_ERROR:\n\n{text}")
}

fn target_file(machine: CodePlatform, name: &str, step_ms: u32, model: &str) -> String {
    let connection = match machine {
        CodePlatform::Linux => {
            "kind = \"process\"\ncommand = [\"./$name\"]\nlink = { checksum = true }\n"
        }
        CodePlatform::ArmQemu => {
            "kind = \"process\"\ncommand = [\"qemu-system-arm\", \"-M\", \"lm3s6965evb\", \"-nographic\", \"-monitor\", \
             \"none\", \"-serial\", \"stdio\", \"-kernel\", \"$name.elf\"]\nlink = { checksum = true, window = 2048, timeout_ms = 20000 }\n"
        }
        CodePlatform::Avr => {
            "kind = \"process\"\ncommand = [\"./simavr_board\", \"$name.elf\"]\nlink = { checksum = true, window = 256, timeout_ms = 20000 }\n"
        }
    };
    format!(
        "# Written by provoke codegen. Build with `make`, then: provoke calibrate --on target.toml\n\
         step_ms = {step_ms}\nmodel = {}\n\n[connection]\n{}\n\
         [defaults]\ndelay_ms = 2\nsd_ms = 2\n",
        string(model),
        connection.replace("$name", name)
    )
}
