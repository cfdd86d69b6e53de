//! Value change dumps for wave viewers: one test, one time unit per step.
//!
//! Booleans are wires, integers two's complement of 64 bits or more, reals doubles, and
//! enumerations strings, which GTKWave and Surfer show by name. Hierarchical names open
//! scopes.

use std::fmt::Write;

use provoke_model::{Signal, Suite, TestCase, Type, Value};

use crate::notation::{binary, nearest_double, width};

/// The deepest nesting of scopes; the rest of a name stays in one piece.
const MAX_DEPTH: usize = 32;

/// One file for one test.
pub(crate) fn write_test(suite: &Suite, test: &TestCase) -> Vec<u8> {
    let waves = waves(suite, test);
    let mut out = String::from("$version Provoke $end\n");
    let _ = writeln!(out, "$comment test {} $end", word(&test.name));
    out += "$timescale 1 ns $end\n";
    write_scopes(&mut out, &suite.model, &waves);
    out += "$enddefinitions $end\n";
    for time in 0..test.steps.len() {
        let _ = writeln!(out, "#{time}");
        for wave in &waves {
            if time == 0 || wave.values[time] != wave.values[time - 1] {
                let _ = writeln!(out, "{}", wave.change(suite, wave.values[time]));
            }
        }
    }
    // Without a last time, viewers would not show the last step.
    let _ = writeln!(out, "#{}", test.steps.len());
    out.into_bytes()
}

/// A signal with its values over time.
struct Wave<'a> {
    signal: &'a Signal,
    values: Vec<&'a Value>,
    bits: usize,
    code: String,
    scopes: Vec<String>,
    name: String,
}

fn waves<'a>(suite: &'a Suite, test: &'a TestCase) -> Vec<Wave<'a>> {
    let inputs = suite.inputs.iter().enumerate().map(|(i, signal)| {
        (signal, test.steps.iter().map(|step| &step.inputs[i]).collect::<Vec<_>>())
    });
    let outputs = suite.outputs.iter().enumerate().map(|(i, signal)| {
        (signal, test.steps.iter().map(|step| &step.outputs[i]).collect::<Vec<_>>())
    });
    let wave = |(index, (signal, values)): (usize, (&'a Signal, Vec<&'a Value>))| {
        let mut scopes: Vec<String> = signal.name.splitn(MAX_DEPTH, '.').map(word).collect();
        let name = scopes.pop().unwrap_or_default();
        let bits = values.iter().map(|value| bits_of(value)).max().unwrap_or(64);
        Wave { signal, values, bits, code: code(index), scopes, name }
    };
    inputs.chain(outputs).enumerate().map(wave).collect()
}

fn bits_of(value: &Value) -> usize {
    if let Value::Int(int) = value { width(int) } else { 64 }
}

impl Wave<'_> {
    fn declaration(&self) -> String {
        let (kind, bits) = match self.signal.ty {
            Type::Bool => ("wire", 1),
            Type::Int => ("integer", self.bits),
            Type::Real => ("real", 64),
            Type::Enum(_) => ("string", 1),
        };
        format!("$var {kind} {bits} {} {} $end", self.code, self.name)
    }

    fn change(&self, suite: &Suite, value: &Value) -> String {
        let code = &self.code;
        match (value, self.signal.ty) {
            (Value::Bool(value), _) => format!("{}{code}", u8::from(*value)),
            (Value::Int(int), _) => format!("b{} {code}", binary(int, self.bits)),
            (Value::Real(real), _) => format!("r{:e} {code}", nearest_double(real)),
            (Value::Enum(_), ty) => format!("s{} {code}", value.show(ty, &suite.enums)),
            (Value::Unknown, Type::Bool) => format!("x{code}"),
            (Value::Unknown, Type::Int) => format!("bx {code}"),
            // VCD has no unknown real.
            (Value::Unknown, Type::Real) => format!("rNaN {code}"),
            (Value::Unknown, Type::Enum(_)) => format!("sx {code}"),
        }
    }
}

/// Declares the waves scope by scope, the scopes in alphabetical order.
fn write_scopes(out: &mut String, model: &str, waves: &[Wave<'_>]) {
    let top = if model.is_empty() { "suite".into() } else { word(model) };
    let _ = writeln!(out, "$scope module {top} $end");
    let mut sorted: Vec<&Wave<'_>> = waves.iter().collect();
    sorted.sort_by(|a, b| a.scopes.cmp(&b.scopes));
    let mut open: &[String] = &[];
    for wave in sorted {
        let shared = open.iter().zip(&wave.scopes).take_while(|(a, b)| a == b).count();
        for _ in shared..open.len() {
            *out += "$upscope $end\n";
        }
        for scope in &wave.scopes[shared..] {
            let _ = writeln!(out, "$scope module {scope} $end");
        }
        open = &wave.scopes;
        let _ = writeln!(out, "{}", wave.declaration());
    }
    for _ in 0..=open.len() {
        *out += "$upscope $end\n";
    }
}

/// A name as one word that is no keyword.
fn word(text: &str) -> String {
    let clean = |c: char| if c.is_whitespace() || c.is_control() || c == '$' { '_' } else { c };
    let word: String = text.chars().map(clean).collect();
    if word.is_empty() { "_".into() } else { word }
}

/// The shortest code of printable characters for the signal at `index`.
fn code(index: usize) -> String {
    const FIRST: u8 = b'!';
    const COUNT: usize = 94;
    let mut code = String::new();
    let mut rest = index;
    loop {
        code.push((FIRST + (rest % COUNT) as u8) as char);
        if rest < COUNT {
            return code;
        }
        rest = rest / COUNT - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_short_and_different() {
        assert_eq!([code(0), code(93), code(94), code(95)], ["!", "~", "!!", "\"!"]);
        let codes: std::collections::HashSet<String> = (0..20_000).map(code).collect();
        assert_eq!(codes.len(), 20_000);
    }
}
