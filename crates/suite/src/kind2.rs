//! Kind 2's interpreter input: one test, an array with one object of inputs per step.
//!
//! `[{"a": "7", "b": true}, …]`. Records are nested objects and arrays are arrays, as Kind 2
//! has them: `p.x` is `{"p": {"x": …}}`. Kind 2 reads inputs only, so expected outputs are
//! left out, and so are open inputs: fill them first where Kind 2 wants them all.

use std::collections::{HashMap, VecDeque};

use provoke_model::{Signal, Step, Suite, TestCase, Value};
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};

use crate::error::{ReadError, SuitePlace};
use crate::json::{Cells, Scalar, scalar, syntax_error};
use crate::table::{Column, Counting, Table};

/// The deepest nesting of records and arrays.
const MAX_DEPTH: usize = 32;

pub(crate) fn read(title: &str, bytes: &[u8]) -> Result<Table, ReadError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let steps: Vec<Cells<'_>> =
        serde_json::from_slice(bytes).map_err(|error| syntax_error(&error))?;
    let mut table = Table::new(Counting::Steps);
    table.start_test(title)?;
    for (number, step) in steps.iter().enumerate() {
        table.start_step()?;
        for (name, raw) in &step.0 {
            read_value(&mut table, name, raw, 0).map_err(|error| {
                let signal = error.place.signal.clone();
                error.at(SuitePlace { signal, ..SuitePlace::test(title).step(number) })
            })?;
        }
    }
    Ok(table)
}

fn read_value(
    table: &mut Table,
    name: &str,
    raw: &RawValue,
    depth: usize,
) -> Result<(), ReadError> {
    match scalar(raw) {
        Scalar::Null => Ok(()),
        Scalar::Text(text) => {
            let column = match table.column_named(name) {
                Some(column) => column,
                None => table.add_column(Column::named(name))?,
            };
            table.put(column, &text, 0)
        }
        Scalar::Compound if depth == MAX_DEPTH => {
            let message = format!("records and arrays are nested more than {MAX_DEPTH} deep");
            Err(ReadError::new(message).at(SuitePlace::default().signal(name)))
        }
        Scalar::Compound => read_parts(table, name, raw, depth + 1),
    }
}

fn read_parts(
    table: &mut Table,
    name: &str,
    raw: &RawValue,
    depth: usize,
) -> Result<(), ReadError> {
    let wrong = |error: serde_json::Error| {
        let message = syntax_error(&error).message;
        ReadError::new(message).at(SuitePlace::default().signal(name))
    };
    if raw.get().starts_with('{') {
        let fields: Cells<'_> = serde_json::from_str(raw.get()).map_err(wrong)?;
        let mut fields = fields.0.iter();
        return fields.try_for_each(|(field, value)| {
            read_value(table, &format!("{name}.{field}"), value, depth)
        });
    }
    let elements: Vec<&RawValue> = serde_json::from_str(raw.get()).map_err(wrong)?;
    let mut elements = elements.iter().enumerate();
    elements.try_for_each(|(i, value)| read_value(table, &format!("{name}[{i}]"), value, depth))
}

/// One file for one test.
pub(crate) fn write_test(suite: &Suite, test: &TestCase) -> Vec<u8> {
    let members = members_of(&suite.inputs);
    let step = |step: &Step| {
        let values = members.iter().map(|(name, shape)| (name, shape.fill(suite, &step.inputs)));
        let known = values.filter(|(_, value)| !value.is_null());
        Json::Object(known.map(|(name, value)| (name.clone(), value)).collect()).to_string()
    };
    let steps: Vec<String> = test.steps.iter().map(step).collect();
    if steps.is_empty() {
        return b"[]\n".to_vec();
    }
    format!("[\n  {}\n]\n", steps.join(",\n  ")).into_bytes()
}

/// How inputs make up a record or an array.
enum Shape {
    /// The input at this position.
    Input(usize),
    Record(Vec<(String, Shape)>),
    Array(Vec<Shape>),
}

impl Shape {
    /// The values of one step in this shape; null if none is known.
    fn fill(&self, suite: &Suite, values: &[Value]) -> Json {
        match self {
            Shape::Input(index) => match &values[*index] {
                Value::Unknown => Json::Null,
                Value::Bool(value) => Json::Bool(*value),
                value => Json::String(value.show(suite.inputs[*index].ty, &suite.enums)),
            },
            Shape::Record(fields) => {
                let fields = fields.iter().map(|(name, field)| (name, field.fill(suite, values)));
                let known = fields.filter(|(_, value)| !value.is_null());
                let record: Map<_, _> = known.map(|(name, value)| (name.clone(), value)).collect();
                if record.is_empty() { Json::Null } else { Json::Object(record) }
            }
            Shape::Array(elements) => {
                let elements = elements.iter().map(|element| element.fill(suite, values));
                let array: Vec<Json> = elements.collect();
                if array.iter().all(Json::is_null) { Json::Null } else { Json::Array(array) }
            }
        }
    }
}

/// What is left of an input's name, and its position.
type Rest = (VecDeque<String>, usize);

/// The members of a step's object. Where names contradict each other (`a` and `a.b`, or an
/// array with gaps), they stay in one piece.
fn members_of(inputs: &[Signal]) -> Vec<(String, Shape)> {
    let all = inputs.iter().enumerate().map(|(index, input)| (path_of(&input.name), index));
    let mut members = Vec::new();
    for (name, parts) in by_first_part(all.collect()) {
        let indices: Vec<usize> = parts.iter().map(|(_, index)| *index).collect();
        match shape_of(parts) {
            Some(shape) => members.push((name, shape)),
            None => {
                let flat = |&index: &usize| (inputs[index].name.clone(), Shape::Input(index));
                members.extend(indices.iter().map(flat));
            }
        }
    }
    members
}

fn shape_of(parts: Vec<Rest>) -> Option<Shape> {
    match parts.as_slice() {
        [(path, index)] if path.is_empty() => return Some(Shape::Input(*index)),
        _ if parts.iter().any(|(path, _)| path.is_empty()) => return None,
        _ => {}
    }
    let groups = by_first_part(parts);
    let has_indices = groups.iter().any(|(name, _)| name.starts_with('['));
    let without_gaps = groups.iter().enumerate().all(|(i, (name, _))| *name == format!("[{i}]"));
    if has_indices && !without_gaps {
        return None;
    }
    let inner = groups.into_iter().map(|(name, parts)| Some((name, shape_of(parts)?)));
    let inner: Vec<(String, Shape)> = inner.collect::<Option<_>>()?;
    Some(match has_indices {
        true => Shape::Array(inner.into_iter().map(|(_, shape)| shape).collect()),
        false => Shape::Record(inner),
    })
}

/// Groups in the order of their first members.
fn by_first_part(parts: Vec<Rest>) -> Vec<(String, Vec<Rest>)> {
    let mut groups: Vec<(String, Vec<Rest>)> = Vec::new();
    let mut positions: HashMap<String, usize> = HashMap::new();
    for (mut path, index) in parts {
        let first = path.pop_front().unwrap_or_default();
        let position = *positions.entry(first.clone()).or_insert(groups.len());
        if position == groups.len() {
            groups.push((first, Vec::new()));
        }
        groups[position].1.push((path, index));
    }
    groups
}

/// `p.x[1].y` is `p`, `x`, `[1]`, `y`; a name that is not of this form is one piece.
fn path_of(name: &str) -> VecDeque<String> {
    let parts: VecDeque<String> = name.replace('[', ".[").split('.').map(str::to_string).collect();
    let is_part = |part: &String| {
        let bare = part.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let is_index = bare.is_some_and(|index| index.parse::<u32>().is_ok());
        is_index || (!part.is_empty() && !part.contains(['[', ']']))
    };
    let fits = parts.len() <= MAX_DEPTH && parts.iter().all(is_part);
    let is_path = fits && !name.starts_with('[') && !name.contains(".[");
    if is_path { parts } else { [name.to_string()].into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_paths_only_where_they_look_like_paths() {
        assert_eq!(path_of("p.x[1].y"), ["p", "x", "[1]", "y"]);
        for name in ["a..b", ".a", "a.", "a[x]", "[3]", "a.[3]", "a]b"] {
            assert_eq!(path_of(name), [name]);
        }
    }
}
