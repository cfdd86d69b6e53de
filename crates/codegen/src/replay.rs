//! A program that runs a suite on the generated code and reports the first difference.

use std::fmt::{self, Write};

use provoke_model::{Arithmetic, FixedValue, Step, Suite, System, Type, Value, VarId};

use crate::names::Names;
use crate::notation::literal;
use crate::{Code, CodeOptions, Field, compiler};

/// Why a suite cannot be replayed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplayError {
    /// There is no step to run.
    Empty,
    /// The suite's inputs are not those of the system, in its order.
    OtherInputs,
    /// An input is left open, or does not fit the code's numbers.
    Input {
        /// The test's name.
        test: String,
        /// The step, counted from 1.
        step: usize,
        /// The input.
        signal: String,
        /// Its value, empty if it is open.
        value: String,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Empty => write!(f, "the suite has no steps"),
            ReplayError::OtherInputs => write!(f, "the suite's inputs are not those of the model"),
            ReplayError::Input { test, step, signal, value } if value.is_empty() => {
                write!(f, "test `{test}` leaves `{signal}` open at step {step}")
            }
            ReplayError::Input { test, step, signal, value } => {
                write!(
                    f,
                    "test `{test}` sets `{signal}` to {value} at step {step}, which does not fit"
                )
            }
        }
    }
}

/// The text of `NAME_test.c`: a program that replays the suite, prints the first difference, and
/// ends with 1 if there is one; if the compiler rounds reals differently it ends with 2 at once. Expected values that are open are not compared, nor are signals
/// that are no outputs; a value that the code's numbers cannot hold is never met. Reals may differ
/// by `tolerance`, relative to the larger of 1 and the expected value.
pub fn replay(
    system: &System,
    code: &Code,
    options: &CodeOptions,
    suite: &Suite,
    tolerance: f64,
) -> Result<String, ReplayError> {
    let named = suite.inputs.iter().map(|input| input.name.as_str());
    if !named.eq(system.inputs.iter().map(|var| system.vars[*var].name.as_str())) {
        return Err(ReplayError::OtherInputs);
    }
    if suite.tests.iter().all(|test| test.steps.is_empty()) {
        return Err(ReplayError::Empty);
    }
    let writer = Writer::new(system, code, options, suite);
    let name = &code.name;
    let mut steps = String::new();
    let mut tests = String::new();
    for test in &suite.tests {
        for (index, step) in test.steps.iter().enumerate() {
            let row = writer.row(step).map_err(|(signal, value)| ReplayError::Input {
                test: test.name.clone(),
                step: index + 1,
                signal,
                value,
            })?;
            steps.push_str(&row);
        }
        let _ = writeln!(tests, "    {{ {}, {}UL }},", string(&test.name), test.steps.len());
    }
    let width = code.outputs.len().max(1);
    let [probe, ask] = match compiler::has_reals(system) {
        true => compiler::probe(options),
        false => [String::new(), String::new()],
    };
    Ok(TEMPLATE
        .replace("$probe", &probe)
        .replace("$ask", &ask)
        .replace("$checks", &writer.checks())
        .replace("$constants", &writer.constants())
        .replace("$tolerance", &format!("{tolerance:?}"))
        .replace("$width", &width.to_string())
        .replace("$name", name)
        .replace("$tests", &tests)
        .replace("$steps", &steps))
}

struct Writer<'a> {
    system: &'a System,
    code: &'a Code,
    options: &'a CodeOptions,
    names: Names,
    /// For each output of the system, its place in the suite.
    places: Vec<Option<usize>>,
}

impl<'a> Writer<'a> {
    fn new(
        system: &'a System,
        code: &'a Code,
        options: &'a CodeOptions,
        suite: &Suite,
    ) -> Writer<'a> {
        let place = |var: &VarId| {
            let name = &system.vars[*var].name;
            suite.outputs.iter().position(|output| output.name == *name)
        };
        let places = system.outputs.iter().map(place).collect();
        Writer { system, code, options, names: Names::new(system), places }
    }

    /// The value as a field holds it, if it fits.
    fn word(&self, field: &Field, value: &Value) -> Option<FixedValue> {
        Arithmetic { int: field.int, ..self.options.arithmetic }.word(value)
    }

    /// One step, or the input that cannot be set and its value.
    fn row(&self, step: &Step) -> Result<String, (String, String)> {
        let mut inputs = Vec::new();
        for (field, value) in self.code.inputs.iter().zip(&step.inputs) {
            let var = &self.system.vars[field.var];
            match self.word(field, value) {
                Some(word) => inputs.push(literal(word, var.ty, &self.names, self.options)),
                None => return Err((var.name.clone(), value.show(var.ty, &self.system.enums))),
            }
        }
        let mut outputs = Vec::new();
        let mut cares = Vec::new();
        for (field, place) in self.code.outputs.iter().zip(&self.places) {
            let ty = self.system.vars[field.var].ty;
            let value = place.map_or(&Value::Unknown, |place| &step.outputs[place]);
            let word = self.word(field, value);
            cares.push(match (value, word) {
                (Value::Unknown, _) => "OPEN",
                (_, Some(_)) => "KNOWN",
                (_, None) => "BEYOND",
            });
            let word = word.unwrap_or(FixedValue::zero(ty));
            outputs.push(literal(word, ty, &self.names, self.options));
        }
        let list = |items: Vec<String>| match items.is_empty() {
            true => "0".to_string(),
            false => items.join(", "),
        };
        let cares = list(cares.into_iter().map(String::from).collect());
        let [inputs, outputs] = [(inputs, 0), (outputs, 1)].map(|(values, side)| {
            let mut values = values.into_iter();
            let members = self.code.sides[side].members.iter();
            list(members.map(|(_, member)| member.initialiser(&mut values)).collect())
        });
        Ok(format!("    {{ {{ {inputs} }}, {{ {outputs} }}, {{ {cares} }} }},\n"))
    }

    /// One comparison for each output.
    fn checks(&self) -> String {
        let mut text = String::new();
        for (index, (var, field)) in self.system.outputs.iter().zip(&self.code.outputs).enumerate()
        {
            let var = &self.system.vars[*var];
            let (shown, name) = (string(&var.name), &field.name);
            let (expected, got) = (format!("want->out.{name}"), format!("got->{name}"));
            let same = match var.ty {
                Type::Bool => format!("same_bool({expected}, {got})"),
                Type::Int => format!("same_int((long long){expected}, (long long){got})"),
                Type::Real => format!("same_real((double){expected}, (double){got})"),
                Type::Enum(id) => {
                    let table = format!("{}_names", self.names.enums[id]);
                    let count = self.system.enums[id].constants.len();
                    format!("same_name({table}, {count}U, (unsigned){expected}, (unsigned){got})")
                }
            };
            let _ = writeln!(
                text,
                "    if ((want->care[{index}] != OPEN) &&\n        \
                 differs({same}, want->care[{index}])) {{\n        \
                 return {shown};\n    }}"
            );
        }
        text
    }

    /// Tables of the enumerations that outputs use.
    fn constants(&self) -> String {
        let mut text = if self.system.outputs.is_empty() { "" } else { DIFFERS }.to_string();
        for (id, ty) in self.system.enums.entries() {
            let used = |var: &VarId| self.system.vars[*var].ty == Type::Enum(id);
            if self.system.outputs.iter().any(used) {
                let names: Vec<String> = ty.constants.iter().map(|name| string(name)).collect();
                let _ = writeln!(
                    text,
                    "static const char *const {}_names[] = {{ {} }};",
                    self.names.enums[id],
                    names.join(", ")
                );
            }
        }
        for (ty, definition) in
            [(Type::Bool, SAME_BOOL), (Type::Int, SAME_INT), (Type::Real, SAME_REAL)]
        {
            if self.system.outputs.iter().any(|var| self.system.vars[*var].ty == ty) {
                text.push_str(definition);
            }
        }
        let is_enum = |var: &VarId| matches!(self.system.vars[*var].ty, Type::Enum(_));
        if self.system.outputs.iter().any(is_enum) {
            text.push_str(SAME_NAME);
        }
        text
    }
}

/// A string literal of C; anything unusual is written in octal.
pub(crate) fn string(text: &str) -> String {
    let mut literal = "\"".to_string();
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => literal.extend(['\\', byte as char]),
            b' '..=b'~' if byte != b'?' => literal.push(byte as char),
            _ => {
                let _ = write!(literal, "\\{byte:03o}");
            }
        }
    }
    literal.push('"');
    literal
}

const DIFFERS: &str = "
static int differs(int same, unsigned char care)
{
    if (care == BEYOND) {
        (void)sprintf(expected_text, \"%s\", \"a number that does not fit\");
    }
    return (!same) || (care == BEYOND);
}
";

const SAME_BOOL: &str = "
static int same_bool(bool expected, bool got)
{
    (void)sprintf(expected_text, \"%s\", expected ? \"true\" : \"false\");
    (void)sprintf(got_text, \"%s\", got ? \"true\" : \"false\");
    return expected == got;
}
";

const SAME_INT: &str = "
static int same_int(long long expected, long long got)
{
    (void)sprintf(expected_text, \"%lld\", expected);
    (void)sprintf(got_text, \"%lld\", got);
    return expected == got;
}
";

const SAME_REAL: &str = "
static int same_real(double expected, double got)
{
    const double size = (expected < 0.0) ? -expected : expected;
    const double allowed = TOLERANCE * ((size > 1.0) ? size : 1.0);
    (void)sprintf(expected_text, \"%.17g\", expected);
    (void)sprintf(got_text, \"%.17g\", got);
    return ((got - expected) <= allowed) && ((expected - got) <= allowed);
}
";

const SAME_NAME: &str = "
static int same_name(const char *const *names, unsigned count, unsigned expected, unsigned got)
{
    (void)sprintf(expected_text, \"%.60s\", (expected < count) ? names[expected] : \"?\");
    (void)sprintf(got_text, \"%.60s\", (got < count) ? names[got] : \"?\");
    return expected == got;
}
";

const TEMPLATE: &str = r#"/*
 * Generated by Provoke: replays a suite on $name_step and reports the first difference.
 * Ends with 0 if all is as expected, with 1 if not, with 2 if the compiler rounds reals differently.
 */
#include <stdio.h>
#include "$name.h"

#define TOLERANCE $tolerance

/* Whether an expected value is compared; what the code's numbers cannot hold is never right. */
enum { OPEN, KNOWN, BEYOND };

typedef struct {
    $name_in in;
    $name_out out;
    unsigned char care[$width];
} interaction;

typedef struct {
    const char *name;
    unsigned long count;
} test;

static const interaction steps[] = {
$steps};

static const test tests[] = {
$tests};

static char expected_text[64];
static char got_text[64];
$constants
/* The first output that differs, or none. */
static const char *difference(const interaction *want, const $name_out *got)
{
    (void)want;
    (void)got;
$checks    return NULL;
}
$probe
int main(void)
{
    static $name_state state;
    static $name_out out;
    const unsigned long count = (unsigned long)(sizeof tests / sizeof tests[0]);
    unsigned long done = 0UL;
$ask    for (unsigned long t = 0UL; t < count; t++) {
        $name_reset(&state);
        for (unsigned long k = 0UL; k < tests[t].count; k++) {
            const interaction *const want = &steps[done];
            $name_step(&state, &want->in, &out);
            done++;
            const char *const signal = difference(want, &out);
            if (signal != NULL) {
                (void)printf("FAIL test %s, step %lu: %s is %s, expected %s\n", tests[t].name,
                             k + 1UL, signal, got_text, expected_text);
                return 1;
            }
        }
    }
    (void)printf("PASS %lu tests, %lu steps\n", count, done);
    return 0;
}
"#;
