//! SCADE scenarios (`.sss`): `SSM::set` for inputs, `SSM::check` for expected outputs,
//! `SSM::cycle` for a step.
//!
//! SCADE keeps an input until it is set again and a check for one cycle; so does the reader.
//! It also reads aliases, `sustain=`, `SSM::uncheck` and `SSM::cycle N`. What a scenario
//! cannot say stands in comments of ours, which SCADE passes over and which are read only in
//! a file that has the first of them:
//!
//! - `# provoke {…}`: model, enumerations and signals, as in our JSON;
//! - `# test NAME`: a new test from the initial state. A scenario has no command to go back
//!   there, so SCADE must not run a file with several tests: write one file per test for that;
//! - `# covers ID`: an obligation that the test covers;
//! - `# any PATH`: the input may have any value in this cycle (SCADE keeps the last);
//! - `# exact PATH VALUE`: the fraction that the decimal in the next command stands for.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use provoke_model::{Signal, Step, Suite, TestCase, Value};

use crate::error::{ReadError, SuitePlace, WriteError, excerpt};
use crate::header::Header;
use crate::json::syntax_error;
use crate::notation::{decimal, nearest_double};
use crate::table::{Column, Counting, Side, Table, too_many_values};
use crate::text::decode;

const HEADER: &str = "provoke";

pub(crate) fn read(title: &str, bytes: &[u8]) -> Result<Table, ReadError> {
    let text = decode(bytes);
    let mut scenario = Scenario::new(title);
    for (number, line) in logical_lines(&text) {
        scenario.line = number;
        scenario.read_line(line.trim()).map_err(|mut error| {
            error.place.line = error.place.line.or(Some(number));
            error
        })?;
    }
    // A file of ours lists its tests; any other is one, even if it is empty.
    if !scenario.declared {
        scenario.start_test_if_none()?;
    }
    Ok(scenario.table)
}

/// Lines with their numbers; a backslash at the end joins a line with the next.
fn logical_lines(text: &str) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let mut joined: Option<(usize, String)> = None;
    for (index, line) in text.lines().enumerate() {
        let (number, mut whole) = joined.take().unwrap_or((index + 1, String::new()));
        match line.strip_suffix('\\') {
            Some(part) => {
                whole.push_str(part);
                whole.push(' ');
                joined = Some((number, whole));
            }
            None => {
                whole.push_str(line);
                lines.push((number, whole));
            }
        }
    }
    lines.extend(joined);
    lines
}

/// A check that holds for some more cycles; `None` is for ever.
struct Check {
    value: String,
    cycles: Option<u64>,
    line: usize,
}

struct Scenario<'a> {
    title: &'a str,
    table: Table,
    line: usize,
    /// Whether our comments count.
    ours: bool,
    /// Whether our header declares the signals.
    declared: bool,
    aliases: HashMap<String, String>,
    values: HashMap<String, String>,
    /// Paths that were used, with their columns.
    columns: HashMap<String, usize>,
    /// The inputs as they are held, with the lines that set them.
    held: BTreeMap<usize, (String, usize)>,
    checks: BTreeMap<usize, Check>,
    exact: Option<(String, String)>,
}

impl<'a> Scenario<'a> {
    fn new(title: &'a str) -> Scenario<'a> {
        Scenario {
            title,
            table: Table::new(Counting::Lines),
            line: 0,
            ours: false,
            declared: false,
            aliases: HashMap::new(),
            values: HashMap::new(),
            columns: HashMap::new(),
            held: BTreeMap::new(),
            checks: BTreeMap::new(),
            exact: None,
        }
    }

    fn read_line(&mut self, line: &str) -> Result<(), ReadError> {
        if let Some(comment) = line.strip_prefix('#') {
            return self.read_comment(comment);
        }
        let words = words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            [] => Ok(()),
            ["SSM::set", path, value] => self.set(path, value),
            ["SSM::check", path, value, options @ ..] => self.check(path, value, options),
            ["SSM::uncheck", path] => self.uncheck(path),
            ["SSM::cycle"] => self.cycle("1"),
            ["SSM::cycle", count] => self.cycle(count),
            ["SSM::alias", alias, path] => {
                self.aliases.insert(alias.to_string(), path.to_string());
                Ok(())
            }
            ["SSM::alias_value", alias, value] => {
                self.values.insert(alias.to_string(), value.to_string());
                Ok(())
            }
            // Tolerances are the judge's affair, not the suite's.
            ["SSM::set_tolerance", ..] => Ok(()),
            [command, ..] => Err(unknown_command(command)),
        }
    }

    fn read_comment(&mut self, comment: &str) -> Result<(), ReadError> {
        // The one space that the writer puts there; a name may begin with a space of its own.
        let comment = comment.strip_prefix(' ').unwrap_or(comment);
        let (key, rest) = comment.split_once(' ').unwrap_or((comment, ""));
        match key {
            HEADER if !self.ours && self.table.test_count() == 0 => self.read_header(rest),
            "test" if self.ours => {
                self.held.clear();
                self.checks.clear();
                self.table.start_test(rest)
            }
            "covers" if self.ours => {
                self.start_test_if_none()?;
                self.table.covers(rest);
                Ok(())
            }
            "requirement" if self.ours => {
                self.start_test_if_none()?;
                self.table.require(rest)
            }
            "any" if self.ours => {
                if let [path] = words(rest).as_slice() {
                    let column = self.column(path, Side::Input)?;
                    self.held.remove(&column);
                }
                Ok(())
            }
            "exact" if self.ours => {
                if let [path, value] = words(rest).as_slice() {
                    self.exact = Some((path.clone(), value.clone()));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn read_header(&mut self, text: &str) -> Result<(), ReadError> {
        self.ours = true;
        if text.trim().is_empty() {
            return Ok(());
        }
        let header: Header = serde_json::from_str(text)
            .map_err(|error| syntax_error(&error).at(SuitePlace::line(self.line)))?;
        self.declared = true;
        header.declare(&mut self.table)
    }

    fn start_test_if_none(&mut self) -> Result<(), ReadError> {
        if self.table.test_count() == 0 { self.table.start_test(self.title) } else { Ok(()) }
    }

    /// The column of a path such as `P::Root/x`, which is called `x`.
    fn column(&mut self, path: &str, side: Side) -> Result<usize, ReadError> {
        let path = self.aliases.get(path).map_or(path, String::as_str).to_string();
        let column = match self.columns.get(&path) {
            Some(&column) => column,
            None => self.add_path(&path, side)?,
        };
        if self.table.columns[column].side.is_some_and(|other| other != side) {
            let name = excerpt(&self.table.columns[column].name);
            return Err(ReadError::new(format!("`{name}` is both set and checked")));
        }
        self.columns.insert(path, column);
        Ok(column)
    }

    fn add_path(&mut self, path: &str, side: Side) -> Result<usize, ReadError> {
        if self.declared {
            let model = self.table.model.as_str();
            let inner = path.strip_prefix(model).and_then(|rest| rest.strip_prefix('/'));
            let name = inner.filter(|_| !model.is_empty()).unwrap_or(path);
            let message = || format!("`{}` is not declared in the header", excerpt(name));
            return self.table.column_named(name).ok_or_else(|| ReadError::new(message()));
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        if self.table.column_named(name).is_some() {
            let message = format!("two paths end in `{}`", excerpt(name));
            return Err(ReadError::new(message).hint("one test has one root operator"));
        }
        self.table.add_column(Column::named(name).on(side))
    }

    /// The text of a value: exact where a comment tells it, `?` is nothing, constants lose
    /// their package.
    fn value(&mut self, path: &str, value: &str) -> String {
        let exact = self.exact.take().filter(|(exact_path, _)| exact_path == path);
        if let Some((_, exact)) = exact {
            return exact;
        }
        let value = self.values.get(value).map_or(value, String::as_str);
        if value == "?" { String::new() } else { last_segment(value).to_string() }
    }

    fn set(&mut self, path: &str, value: &str) -> Result<(), ReadError> {
        let column = self.column(path, Side::Input)?;
        let value = self.value(path, value);
        self.held.insert(column, (value, self.line));
        Ok(())
    }

    fn check(&mut self, path: &str, value: &str, options: &[&str]) -> Result<(), ReadError> {
        let column = self.column(path, Side::Output)?;
        let value = self.value(path, value);
        let mut cycles = Some(1);
        for option in options {
            match option.split_once('=') {
                Some(("sustain", "forever")) => cycles = None,
                Some(("sustain", count)) => cycles = Some(cycle_count(count)?),
                Some(("real", _)) => {}
                _ => {
                    let message = format!("`{}` is no option of SSM::check", excerpt(option));
                    return Err(ReadError::new(message).hint("options are sustain= and real="));
                }
            }
        }
        self.checks.insert(column, Check { value, cycles, line: self.line });
        Ok(())
    }

    fn uncheck(&mut self, path: &str) -> Result<(), ReadError> {
        let column = self.column(path, Side::Output)?;
        self.checks.remove(&column);
        Ok(())
    }

    fn cycle(&mut self, count: &str) -> Result<(), ReadError> {
        self.start_test_if_none()?;
        for _ in 0..cycle_count(count)? {
            self.table.start_step()?;
            for (&column, (value, line)) in &self.held {
                self.table.put(column, value, *line)?;
            }
            for (&column, check) in &mut self.checks {
                self.table.put(column, &check.value, check.line)?;
                check.cycles = check.cycles.map(|cycles| cycles.saturating_sub(1));
            }
            self.checks.retain(|_, check| check.cycles != Some(0));
        }
        Ok(())
    }
}

fn cycle_count(text: &str) -> Result<u64, ReadError> {
    match text.parse::<u64>() {
        Ok(count) if count <= crate::MAX_VALUES as u64 => Ok(count),
        Ok(_) => Err(too_many_values()),
        Err(_) => Err(ReadError::new(format!("`{}` is no number of cycles", excerpt(text)))),
    }
}

fn unknown_command(command: &str) -> ReadError {
    let hint = "set, check, uncheck, cycle, alias and alias_value are read, Tcl is not";
    ReadError::new(format!("the command `{}` cannot be read here", excerpt(command))).hint(hint)
}

fn last_segment(value: &str) -> &str {
    value.rsplit("::").next().unwrap_or(value)
}

/// The words of a Tcl command; braces and quotes keep spaces together.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let (word, behind) = match first {
            '{' => braced(rest),
            '"' => rest[1..].split_once('"').unwrap_or((&rest[1..], "")),
            _ => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        words.push(word.to_string());
        rest = behind.trim_start();
    }
    words
}

/// What stands between a brace and its partner, and what follows.
fn braced(text: &str) -> (&str, &str) {
    let mut depth = 0;
    for (index, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (&text[1..index], &text[index + 1..]);
        }
    }
    (&text[1..], "")
}

/// Some tests of a suite in one file.
pub(crate) fn write(suite: &Suite, tests: &[TestCase]) -> Result<Vec<u8>, WriteError> {
    check_names(suite)?;
    let header = serde_json::to_string(&Header::of(suite)).expect("plain data has a JSON form");
    let mut out = format!("# {HEADER} {header}\n");
    if tests.len() > 1 {
        out += "# Each test starts from the initial state: run them apart.\n";
    }
    for test in tests {
        let _ = writeln!(out, "\n# test {}", test.name);
        for id in &test.covers {
            let _ = writeln!(out, "# covers {id}");
        }
        for id in &test.requirements {
            let _ = writeln!(out, "# requirement {id}");
        }
        for step in &test.steps {
            write_step(&mut out, suite, step);
        }
    }
    Ok(out.into_bytes())
}

fn write_step(out: &mut String, suite: &Suite, step: &Step) {
    for (signal, value) in suite.inputs.iter().zip(&step.inputs) {
        match value {
            Value::Unknown => {
                let _ = writeln!(out, "# any {}", path(suite, signal));
            }
            value => write_command(out, "SSM::set", suite, signal, value),
        }
    }
    for (signal, value) in suite.outputs.iter().zip(&step.outputs) {
        if value.is_known() {
            write_command(out, "SSM::check", suite, signal, value);
        }
    }
    *out += "SSM::cycle 1\n";
}

fn write_command(out: &mut String, command: &str, suite: &Suite, signal: &Signal, value: &Value) {
    let path = path(suite, signal);
    let text = match value {
        Value::Real(real) => decimal(real).unwrap_or_else(|| {
            let _ = writeln!(out, "# exact {path} {real}");
            format!("{:e}", nearest_double(real))
        }),
        value => value.show(signal.ty, &suite.enums),
    };
    let _ = writeln!(out, "{command} {path} {text}");
}

/// `Root/x`, in braces where Tcl or SCADE would take a character for something else.
fn path(suite: &Suite, signal: &Signal) -> String {
    let path = match suite.model.as_str() {
        "" => signal.name.clone(),
        model => format!("{model}/{}", signal.name),
    };
    let plain = |c: char| c.is_alphanumeric() || "_./:".contains(c);
    if path.chars().all(plain) { path } else { format!("{{{path}}}") }
}

/// A scenario is a text of lines, and Tcl has no quotes that hold braces.
fn check_names(suite: &Suite) -> Result<(), WriteError> {
    let signals = suite.inputs.iter().chain(&suite.outputs).map(|signal| &signal.name);
    let braces = |name: &&String| name.contains(['{', '}', '\\']) || has_break(name);
    let covers = suite.tests.iter().flat_map(|test| &test.covers);
    let lines = suite.tests.iter().map(|test| &test.name).chain(covers);
    let broken = |name: &&String| has_break(name) || name.trim_end() != name.as_str();
    let mut wrong = signals
        .chain([&suite.model])
        .filter(braces)
        .chain(lines.filter(|name| broken(name) || name.ends_with('\\')));
    match wrong.next() {
        Some(name) => {
            let message = format!("`{}` cannot be a name in a SCADE scenario", excerpt(name));
            Err(WriteError::new(message).hint("rename it, or write JSON"))
        }
        None => Ok(()),
    }
}

fn has_break(name: &str) -> bool {
    name.contains(|c: char| c.is_control())
}
