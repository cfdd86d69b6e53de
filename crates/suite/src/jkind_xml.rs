//! The counterexamples in JKind's XML results: each is a test, called after its property.
//!
//! A counterexample to induction, which comes with the answer `unknown`, does not begin in
//! the initial state and is passed over. A missing value is "don't care"; of an interval,
//! where every value does, the lower end is taken.

use roxmltree::{Document, Node, ParsingOptions};

use crate::error::{ReadError, SuitePlace, excerpt};
use crate::table::{Column, Counting, MAX_VALUES, Table, too_many_values};
use crate::text::decode;
use provoke_model::Type;

/// One value is an element and a text, and takes about 150 bytes of memory.
const MAX_NODES: u32 = 10_000_000;

pub(crate) fn read(bytes: &[u8]) -> Result<Table, ReadError> {
    let text = decode(bytes);
    let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(&text, options).map_err(|e| syntax_error(&e))?;
    let root = document.root_element();
    if !root.has_tag_name("Results") {
        let message = format!("the root is `{}`, not `Results`", excerpt(root.tag_name().name()));
        return Err(ReadError::new(message).hint("JKind writes this file with -xml"));
    }
    let mut table = Table::new(Counting::Steps);
    for property in root.children().filter(|node| node.has_tag_name("Property")) {
        let answer = child_text(property, "Answer").unwrap_or("falsifiable");
        let counterexample = property.children().find(|node| node.has_tag_name("Counterexample"));
        if let (Some(counterexample), "falsifiable") = (counterexample, answer) {
            read_test(&mut table, property, counterexample)?;
        }
    }
    Ok(table)
}

fn syntax_error(error: &roxmltree::Error) -> ReadError {
    let pos = error.pos();
    let text = error.to_string();
    let message = text.split(" at ").next().unwrap_or(&text);
    let place = SuitePlace {
        line: Some(pos.row as usize),
        column: Some(pos.col as usize),
        ..SuitePlace::default()
    };
    let hint = "a suite in XML is what JKind writes with -xml";
    ReadError::new(format!("not well-formed XML: {message}")).at(place).hint(hint)
}

fn child_text<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.children().find(|child| child.has_tag_name(name))?.text().map(str::trim)
}

/// A value's column and text.
type Cell<'a> = (usize, &'a str);

fn read_test(
    table: &mut Table,
    property: Node<'_, '_>,
    counterexample: Node<'_, '_>,
) -> Result<(), ReadError> {
    let name = property.attribute("name").unwrap_or("counterexample");
    let at_test = |error: ReadError| {
        let signal = error.place.signal.clone();
        error.at(SuitePlace { signal, ..SuitePlace::test(name) })
    };
    table.start_test(name)?;
    let mut steps: Vec<Vec<Cell<'_>>> = Vec::new();
    if let Some(length) = child_text(property, "K") {
        grow(&mut steps, length).map_err(at_test)?;
    }
    for signal in counterexample.children().filter(|node| node.has_tag_name("Signal")) {
        read_signal(table, signal, &mut steps).map_err(at_test)?;
    }
    for cells in steps {
        table.start_step()?;
        for (column, text) in cells {
            table.put(column, text, 0)?;
        }
    }
    Ok(())
}

/// Makes room for as many steps as `length` says.
fn grow(steps: &mut Vec<Vec<Cell<'_>>>, length: &str) -> Result<(), ReadError> {
    match length.parse::<usize>() {
        Ok(length) if length > MAX_VALUES => Err(too_many_values()),
        Ok(length) => {
            steps.resize_with(steps.len().max(length), Vec::new);
            Ok(())
        }
        Err(_) => Err(ReadError::new(format!("`{}` is no number of steps", excerpt(length)))),
    }
}

fn read_signal<'a>(
    table: &mut Table,
    signal: Node<'a, '_>,
    steps: &mut Vec<Vec<Cell<'a>>>,
) -> Result<(), ReadError> {
    let Some(name) = signal.attribute("name") else {
        return Err(ReadError::new("a signal has no name"));
    };
    let column = match table.column_named(name) {
        Some(column) => column,
        None => table.add_column(column(name, signal.attribute("type")))?,
    };
    for value in signal.children().filter(|node| node.has_tag_name("Value")) {
        let time = value.attribute("time").unwrap_or("");
        let Ok(step) = time.parse::<usize>() else {
            let error = ReadError::new(format!("`{}` is no time of a value", excerpt(time)));
            return Err(error.at(SuitePlace::default().signal(name)));
        };
        if step >= MAX_VALUES {
            return Err(too_many_values());
        }
        grow(steps, &(step + 1).to_string())?;
        steps[step].push((column, value_text(value)));
    }
    Ok(())
}

fn column(name: &str, ty: Option<&str>) -> Column {
    let known = match ty {
        Some("bool") => Some(Type::Bool),
        Some("int") => Some(Type::Int),
        Some("real") => Some(Type::Real),
        Some(subrange) if subrange.starts_with("subrange") => Some(Type::Int),
        _ => None,
    };
    Column { ty: known, enum_name: ty.map(str::to_string), ..Column::named(name) }
}

fn value_text<'a>(value: Node<'a, '_>) -> &'a str {
    let interval = value.children().find(|node| node.has_tag_name("Interval"));
    let Some(interval) = interval else { return value.text().unwrap_or("").trim() };
    let finite = |end: &&str| !end.ends_with("inf") && !end.ends_with("infinity");
    let ends = ["low", "high"].map(|end| interval.attribute(end));
    ends.into_iter().flatten().find(finite).unwrap_or("")
}
