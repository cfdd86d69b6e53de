//! Our own format: everything a suite holds, as JSON.
//!
//! ```json
//! {"schema": "provoke/suite/1", "model": "m",
//!  "enums": [{"name": "Mode", "constants": ["OFF", "ON"]}],
//!  "inputs": [{"name": "x", "type": "int"}],
//!  "outputs": [{"name": "m", "type": "enum {OFF, ON}", "enum": "Mode"}],
//!  "tests": [{"name": "t", "covers": ["id"], "requirements": ["REQ-12"],
//!             "steps": [{"in": {"x": 7}, "out": {"m": "ON"}}]}]}
//! ```
//!
//! A missing name or `null` is "don't care". Integers beyond 2^53 and fractions are strings,
//! `"1/3"`. `inputs` and `outputs` may be missing: then the model tells the types, or the
//! values do. A file may hold one test's `steps` instead of `tests`. Among steps there may be
//! `{"repeat": 500, "steps": [..]}`: these steps, so often.

use std::fmt::{self, Write};

use provoke_model::{Signal, Step, Suite, TestCase, Value};
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::{ReadError, SuitePlace, excerpt};
use crate::header::{EnumHeader, Header, NumbersHeader, SignalHeader};
use crate::notation::{small_integer, small_whole};
use crate::table::{Counting, Side, Table};

#[derive(Deserialize)]
struct File<'a> {
    schema: Option<String>,
    model: Option<String>,
    numbers: Option<NumbersHeader>,
    enums: Option<Vec<EnumHeader>>,
    inputs: Option<Vec<SignalHeader>>,
    outputs: Option<Vec<SignalHeader>>,
    #[serde(borrow)]
    tests: Option<Vec<FileTest<'a>>>,
    #[serde(borrow)]
    steps: Option<Vec<FileStep<'a>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileTest<'a> {
    name: Option<String>,
    #[serde(default)]
    covers: Vec<String>,
    #[serde(default)]
    requirements: Vec<String>,
    #[serde(borrow)]
    steps: Vec<FileStep<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileStep<'a> {
    #[serde(rename = "in", default, borrow)]
    inputs: Cells<'a>,
    #[serde(rename = "out", default, borrow)]
    outputs: Cells<'a>,
    repeat: Option<usize>,
    #[serde(borrow)]
    steps: Option<Vec<FileStep<'a>>>,
}

impl<'a> FileStep<'a> {
    /// The steps that are meant: this one, or those it repeats.
    fn meant(&self) -> Result<impl Iterator<Item = &FileStep<'a>>, ReadError> {
        let (steps, times) = match (&self.steps, self.repeat) {
            (None, None) => (std::slice::from_ref(self), 1),
            (Some(steps), Some(times)) => {
                let is_plain = |step: &FileStep<'_>| step.steps.is_none() && step.repeat.is_none();
                let has_values = !self.inputs.0.is_empty() || !self.outputs.0.is_empty();
                if has_values || !steps.iter().all(is_plain) {
                    let message =
                        "what repeats steps has no values of its own and repeats nothing else";
                    return Err(ReadError::new(message));
                }
                // No step is none, however often.
                (steps.as_slice(), if steps.is_empty() { 0 } else { times })
            }
            _ => return Err(ReadError::new("`repeat` and `steps` belong together")),
        };
        Ok((0..times).flat_map(move |_| steps))
    }
}

/// The members of an object in their order, with the texts of their values: a number read as
/// a double would lose digits.
#[derive(Default)]
pub(crate) struct Cells<'a>(pub(crate) Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Cells<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(CellsVisitor)
    }
}

struct CellsVisitor;

impl<'de> Visitor<'de> for CellsVisitor {
    type Value = Cells<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of signals and values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Cells<'de>, A::Error> {
        let mut cells: Vec<(String, &'de RawValue)> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        while let Some((name, value)) = map.next_entry::<String, &'de RawValue>()? {
            if !seen.insert(name.clone()) {
                return Err(A::Error::custom(format!("`{}` occurs twice", excerpt(&name))));
            }
            cells.push((name, value));
        }
        Ok(Cells(cells))
    }
}

pub(crate) fn read(title: &str, bytes: &[u8]) -> Result<Table, ReadError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let file: File<'_> = serde_json::from_slice(bytes).map_err(|error| syntax_error(&error))?;
    let mut table = Table::new(Counting::Steps);
    let declared = file.inputs.is_some() || file.outputs.is_some();
    let header = Header {
        schema: file.schema,
        model: file.model.unwrap_or_default(),
        numbers: file.numbers,
        enums: file.enums.unwrap_or_default(),
        inputs: file.inputs.unwrap_or_default(),
        outputs: file.outputs.unwrap_or_default(),
    };
    header.declare(&mut table)?;
    let tests = match (file.tests, file.steps) {
        (Some(tests), None) => tests,
        (None, Some(steps)) => {
            let (covers, requirements) = (Vec::new(), Vec::new());
            vec![FileTest { name: Some(title.into()), covers, requirements, steps }]
        }
        (Some(_), Some(_)) => {
            return Err(ReadError::new("the file has both `tests` and `steps`"));
        }
        (None, None) => {
            let error = ReadError::new("the file has neither `tests` nor `steps`");
            return Err(error.hint("a suite is {\"tests\": [{\"name\": …, \"steps\": […]}]}"));
        }
    };
    for (index, test) in tests.into_iter().enumerate() {
        let name = test.name.unwrap_or_else(|| format!("{title}-{}", index + 1));
        table.start_test(&*name)?;
        test.covers.into_iter().for_each(|id| table.covers(id));
        for id in &test.requirements {
            let named = |mut error: ReadError| {
                error.place.test = Some(name.clone());
                error
            };
            table.require(id).map_err(named)?;
        }
        let mut number = 0;
        for step in &test.steps {
            let placed = |mut error: ReadError, number| {
                error.place.test = Some(name.clone());
                error.place.step = Some(number);
                error
            };
            for meant in step.meant().map_err(|error| placed(error, number))? {
                read_step(&mut table, meant, declared).map_err(|error| placed(error, number))?;
                number += 1;
            }
        }
    }
    Ok(table)
}

fn read_step(table: &mut Table, step: &FileStep<'_>, declared: bool) -> Result<(), ReadError> {
    table.start_step()?;
    for (side, cells) in [(Side::Input, &step.inputs), (Side::Output, &step.outputs)] {
        for (name, raw) in &cells.0 {
            if declared && table.column_named(name).is_none() {
                let message = format!("`{}` is not declared", excerpt(name));
                return Err(ReadError::new(message).hint("add it to `inputs` or `outputs`"));
            }
            let column = table.column_on(name, side)?;
            match scalar(raw) {
                Scalar::Null => {}
                Scalar::Text(text) => table.put(column, &text, 0)?,
                Scalar::Compound => {
                    let error = ReadError::new("an array or object is no value");
                    return Err(error.at(SuitePlace::default().signal(name)));
                }
            }
        }
    }
    Ok(())
}

/// A JSON value as the text of a cell.
pub(crate) enum Scalar<'a> {
    Null,
    Text(std::borrow::Cow<'a, str>),
    Compound,
}

pub(crate) fn scalar(raw: &RawValue) -> Scalar<'_> {
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'n') => Scalar::Null,
        Some(b'[' | b'{') => Scalar::Compound,
        Some(b'"') => match serde_json::from_str::<String>(text) {
            Ok(string) => Scalar::Text(string.into()),
            Err(_) => Scalar::Compound,
        },
        _ => Scalar::Text(text.into()),
    }
}

/// What `serde_json` says, with the place apart.
pub(crate) fn syntax_error(error: &serde_json::Error) -> ReadError {
    let text = error.to_string();
    let message = text.split(" at line ").next().unwrap_or(&text);
    let place = SuitePlace {
        line: Some(error.line()),
        column: Some(error.column()),
        ..SuitePlace::default()
    };
    ReadError::new(message).at(if error.line() == 0 { SuitePlace::default() } else { place })
}

/// One line per step, so that differences between two suites can be read.
pub(crate) fn write(suite: &Suite) -> Vec<u8> {
    let Header { schema, model, numbers, enums, inputs, outputs } = Header::of(suite);
    let mut out = String::from("{\n");
    let _ = writeln!(out, "  \"schema\": {},", quoted(&schema));
    let _ = writeln!(out, "  \"model\": {},", quoted(&model));
    if let Some(NumbersHeader { int, real }) = &numbers {
        let _ = writeln!(out, "  \"numbers\": {{\"int\": \"{int}\", \"real\": \"{real}\"}},");
    }
    if !enums.is_empty() {
        write_list(&mut out, "enums", enums.iter().map(enum_text));
    }
    write_list(&mut out, "inputs", inputs.iter().map(signal_text));
    write_list(&mut out, "outputs", outputs.iter().map(signal_text));
    out += "  \"tests\": [";
    for (index, test) in suite.tests.iter().enumerate() {
        out += if index == 0 { "\n" } else { ",\n" };
        write_test(&mut out, suite, test);
    }
    out += if suite.tests.is_empty() { "]\n}\n" } else { "\n  ]\n}\n" };
    out.into_bytes()
}

fn write_list(out: &mut String, key: &str, items: impl Iterator<Item = String>) {
    let items: Vec<_> = items.collect();
    let _ = match items.is_empty() {
        true => writeln!(out, "  \"{key}\": [],"),
        false => writeln!(out, "  \"{key}\": [\n    {}\n  ],", items.join(",\n    ")),
    };
}

fn enum_text(ty: &EnumHeader) -> String {
    format!("{{\"name\": {}, \"constants\": {}}}", quoted(&ty.name), quoted_list(&ty.constants))
}

fn signal_text(signal: &SignalHeader) -> String {
    let SignalHeader { name, ty, enum_name } = signal;
    let of = enum_name.as_ref().map(|name| format!(", \"enum\": {}", quoted(name)));
    let of = of.unwrap_or_default();
    format!("{{\"name\": {}, \"type\": {}{of}}}", quoted(name), quoted(ty))
}

fn write_test(out: &mut String, suite: &Suite, test: &TestCase) {
    let (name, covers) = (quoted(&test.name), quoted_list(&test.covers));
    let _ = write!(out, "    {{\"name\": {name}, \"covers\": {covers}, ");
    // Suites without requirements keep the bytes that they always had.
    if !test.requirements.is_empty() {
        let _ = write!(out, "\"requirements\": {}, ", quoted_list(&test.requirements));
    }
    *out += "\"steps\": [";
    let mut at = 0;
    while at < test.steps.len() {
        *out += if at == 0 { "\n      " } else { ",\n      " };
        let (period, times) = repeated(&test.steps[at..]);
        if times == 1 {
            write_step(out, suite, &test.steps[at]);
        } else {
            let _ = write!(out, "{{\"repeat\": {times}, \"steps\": [");
            for (index, step) in test.steps[at..at + period].iter().enumerate() {
                *out += if index == 0 { "\n        " } else { ",\n        " };
                write_step(out, suite, step);
            }
            *out += "\n      ]}";
        }
        at += period * times;
    }
    *out += if test.steps.is_empty() { "]}" } else { "\n    ]}" };
}

/// Shorter repetitions are written out: they are easier to read, and to compare line by line.
const LEAST_REPEATED: usize = 256;
/// The most steps that are looked for again behind themselves.
const MAX_PERIOD: usize = 16;

/// How many of the next steps repeat, and how often; one step once if none do.
fn repeated(steps: &[Step]) -> (usize, usize) {
    let times = |period: usize| {
        let same = |at: &usize| steps[*at] == steps[at % period];
        let alike = (period..steps.len()).take_while(same).count();
        1 + alike / period
    };
    let periods = 1..=MAX_PERIOD.min(steps.len());
    let long = |(period, times): &(usize, usize)| *times > 1 && period * times >= LEAST_REPEATED;
    periods.map(|period| (period, times(period))).find(long).unwrap_or((1, 1))
}

fn write_step(out: &mut String, suite: &Suite, Step { inputs, outputs }: &Step) {
    *out += "{\"in\": ";
    write_values(out, suite, &suite.inputs, inputs);
    *out += ", \"out\": ";
    write_values(out, suite, &suite.outputs, outputs);
    *out += "}";
}

fn write_values(out: &mut String, suite: &Suite, signals: &[Signal], values: &[Value]) {
    *out += "{";
    for (index, (signal, value)) in signals.iter().zip(values).enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        let _ =
            write!(out, "{comma}{}: {}", quoted(&signal.name), json_value(suite, signal, value));
    }
    *out += "}";
}

fn json_value(suite: &Suite, signal: &Signal, value: &Value) -> String {
    let exact = match value {
        Value::Unknown => return "null".into(),
        Value::Bool(value) => return value.to_string(),
        Value::Int(value) => small_integer(value),
        Value::Real(value) => small_whole(value),
        Value::Enum(_) => None,
    };
    match exact {
        Some(number) => number.to_string(),
        None => quoted(&value.show(signal.ty, &suite.enums)),
    }
}

fn quoted_list(texts: &[String]) -> String {
    let texts: Vec<_> = texts.iter().map(quoted).collect();
    format!("[{}]", texts.join(", "))
}

fn quoted(item: &impl serde::Serialize) -> String {
    serde_json::to_string(item).expect("plain data has a JSON form")
}
