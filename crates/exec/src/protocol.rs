//! The lines that a tester and a target exchange.
//!
//! | from | line | meaning |
//! |---|---|---|
//! | tester | `reset MS` | go to the initial state; do the first step MS milliseconds from now |
//! | tester | `set NAME VALUE` | the monitored signal has this value now |
//! | tester | `stop` | end of the test |
//! | target | `ready` | the answer to `reset` |
//! | target | `out NAME VALUE` | the controlled signal has this value now |
//! | target | `step K NAME=VALUE ...` | step K (from 0) is done; what it read, as far as it changed |
//! | target | `read NAME=VALUE ...` | more of what the last step read |
//! | target | `in NAME VALUE` | a monitored signal has arrived in the software |
//! | target | `done RECEIVED SENT` | the answer to `stop`: how many `set` came, how many `out` went |
//! | target | `error TEXT` | something is wrong |
//! | target | `# TEXT` | a remark |
//!
//! Values are numbers: 0 or 1 for truth values, the position for constants of an enumeration. A line
//! may end with `*` and two hexadecimal digits, the exclusive or of all bytes before the `*`.

use std::fmt::Write;

use provoke_base::{Int, Rational};
use provoke_model::{Type, Value};

/// The longest line that is read.
pub const MAX_LINE: usize = 4096;

/// How many bytes a checksum and the end of a line take.
pub(crate) const SEAL: usize = 4;

/// What a target may say.
#[derive(Clone, PartialEq, Debug)]
pub enum Message<'a> {
    /// The answer to `reset`.
    Ready,
    /// A controlled signal and its value.
    Out(&'a str, &'a str),
    /// A step is done; what it read.
    Step(usize, Vec<(&'a str, &'a str)>),
    /// More of what the last step read.
    Read(Vec<(&'a str, &'a str)>),
    /// A monitored signal has arrived.
    In(&'a str, &'a str),
    /// The answer to `stop`, with what was counted.
    Done(Option<u64>, Option<u64>),
    /// Something is wrong.
    Error(&'a str),
    /// A remark.
    Remark,
}

/// Adds a checksum.
pub fn seal(line: &str) -> String {
    format!("{line}*{:02X}", checksum(line))
}

fn checksum(line: &str) -> u8 {
    line.bytes().fold(0, |sum, byte| sum ^ byte)
}

/// Takes the checksum off; says what is wrong with it.
pub fn unseal(line: &str, required: bool) -> Result<&str, String> {
    let Some((text, digits)) = line.rsplit_once('*') else {
        let missing = || format!("a line without checksum: `{}`", shown(line));
        return if required { Err(missing()) } else { Ok(line) };
    };
    // Two digits and no less: a lost one must not leave another checksum.
    let digits = digits.trim_end();
    let is_whole = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    match u8::from_str_radix(digits, 16) {
        Ok(sum) if is_whole && sum == checksum(text) => Ok(text),
        _ => Err(format!("a line with a wrong checksum: `{}`", shown(line))),
    }
}

/// Reads a line of a target.
pub fn parse(line: &str) -> Result<Message<'_>, String> {
    let garbage = || format!("a line that means nothing: `{}`", shown(line));
    let mut words = line.split_ascii_whitespace();
    let first = words.next().unwrap_or("#");
    let message = match first {
        "ready" => Message::Ready,
        "out" | "in" => {
            let (name, value) = (words.next(), words.next());
            let (name, value) = name.zip(value).ok_or_else(garbage)?;
            if first == "out" { Message::Out(name, value) } else { Message::In(name, value) }
        }
        "step" | "read" => {
            let step = match first {
                "step" => {
                    Some(words.next().and_then(|word| word.parse().ok()).ok_or_else(garbage)?)
                }
                _ => None,
            };
            let pairs = words.by_ref().map(|word| word.split_once('=').ok_or_else(garbage));
            let pairs = pairs.collect::<Result<Vec<_>, _>>()?;
            match step {
                Some(step) => Message::Step(step, pairs),
                None => Message::Read(pairs),
            }
        }
        "done" => {
            let mut number = || match words.next() {
                Some(word) => word.parse().map(Some).map_err(|_| garbage()),
                None => Ok(None),
            };
            Message::Done(number()?, number()?)
        }
        "error" => return Ok(Message::Error(line.trim_start()["error".len()..].trim())),
        _ if first.starts_with('#') => return Ok(Message::Remark),
        _ => return Err(garbage()),
    };
    if words.next().is_some() { Err(garbage()) } else { Ok(message) }
}

/// A part of a line that a terminal survives.
pub fn shown(line: &str) -> String {
    let mut text = String::new();
    for c in line.chars().take(60) {
        match c {
            ' '..='~' => text.push(c),
            _ => {
                let _ = write!(text, "\\x{:02x}", c as u32);
            }
        }
    }
    if line.chars().count() > 60 { text + "..." } else { text }
}

/// A value as it is sent. Reals are the shortest decimal that stands for the same double.
pub fn write_value(value: &Value) -> String {
    match value {
        Value::Unknown => "0".to_string(),
        Value::Bool(value) => u8::from(*value).to_string(),
        Value::Int(int) => int.to_string(),
        Value::Real(real) => {
            let text = format!("{}", real.to_f64());
            if real.to_f64().is_finite() { text } else { "0".to_string() }
        }
        Value::Enum(ordinal) => ordinal.to_string(),
    }
}

/// A value of a signal; `constants` is how many an enumeration has.
pub fn parse_value(text: &str, ty: Type, constants: usize) -> Option<Value> {
    if text.len() > 60 {
        return None;
    }
    match ty {
        Type::Bool => match text {
            "0" => Some(Value::Bool(false)),
            "1" => Some(Value::Bool(true)),
            _ => None,
        },
        Type::Int => Int::parse(text).map(Value::Int),
        Type::Real => Rational::parse(text).filter(|_| !text.contains('/')).map(Value::Real),
        Type::Enum(_) => {
            let ordinal = text.parse::<u32>().ok()?;
            ((ordinal as usize) < constants).then_some(Value::Enum(ordinal))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_or_refused() {
        assert_eq!(parse("ready"), Ok(Message::Ready));
        assert_eq!(parse("out MOTOR -1.5"), Ok(Message::Out("MOTOR", "-1.5")));
        assert_eq!(parse("step 3 A=1 B=2"), Ok(Message::Step(3, vec![("A", "1"), ("B", "2")])));
        assert_eq!(parse("read A=1"), Ok(Message::Read(vec![("A", "1")])));
        assert_eq!(parse("done 4 5"), Ok(Message::Done(Some(4), Some(5))));
        assert_eq!(parse("error no such signal"), Ok(Message::Error("no such signal")));
        assert_eq!(parse("  error late"), Ok(Message::Error("late")));
        for remark in ["# booted", "", "  "] {
            assert_eq!(parse(remark), Ok(Message::Remark));
        }
        for garbage in
            ["out A", "out A 1 2", "step x", "step 1 A", "raedy", "done x", "\u{1}\u{fffd}"]
        {
            assert!(parse(garbage).unwrap_err().contains("means nothing"), "{garbage}");
        }
    }

    #[test]
    fn no_single_lost_or_changed_character_passes_a_checksum() {
        let line = "out MOTOR 20";
        let sealed = seal(line);
        assert_eq!(unseal(&sealed, true), Ok(line));
        for place in 0..sealed.len() {
            let mut lost = sealed.clone();
            lost.remove(place);
            let same = unseal(&lost, true) == Ok(line);
            assert!(unseal(&lost, true).is_err() && !same, "{lost}");
        }
        assert!(unseal(line, true).is_err());
        assert_eq!(unseal(line, false), Ok(line));
        // A checksum that begins with a zero, or a sign in its place.
        assert_eq!(unseal("ab*03", true), Ok("ab"));
        for other in ["ab*3", "ab*+3", "ab*003"] {
            assert!(unseal(other, true).is_err(), "{other}");
        }
    }

    #[test]
    fn values_are_read_back() {
        let real = |text| Value::Real(Rational::parse(text).unwrap());
        let types = [(Value::Bool(true), Type::Bool), (Value::from(-12), Type::Int)];
        for (value, ty) in
            types.into_iter().chain([(real("0.1"), Type::Real), (real("-3"), Type::Real)])
        {
            assert_eq!(parse_value(&write_value(&value), ty, 0), Some(value));
        }
        let color = Type::Enum(provoke_base::index::Id::new(0));
        assert_eq!(parse_value("2", color, 3), Some(Value::Enum(2)));
        for (text, ty) in [("2", Type::Bool), ("3", color), ("1/3", Type::Real), ("x", Type::Int)] {
            assert_eq!(parse_value(text, ty, 3), None);
        }
    }
}
