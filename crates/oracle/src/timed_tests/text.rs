//! Timed tests as text, in the manner of the literature:
//!
//! ```text
//! model hod.xml
//! observe isQualified, qc
//! test on_time -> TE.PresentQualified
//! <tempOutOfRange> / (isQualified == false, qc == 0)
//! <wait for 5100 ms> / (isQualified == true, qc == 1)
//! uio single
//! <wait for 5100 ms> / (isQualified == true, qc == 1)
//! ```
//!
//! `ms` is for people: the unit is that of the model. `<phase 1700>` waits for a random part of a
//! period. What stands behind `//` is a remark.

use std::fmt::Write;

use crate::timed_tests::timed_test::{
    Input, ObservedValue, Probability, TimedStep, TimedSuite, TimedTest, Uio, UioKind, Unreadable,
    check,
};

/// Reads tests in their text form.
pub fn parse(text: &str) -> Result<TimedSuite, Unreadable> {
    let mut suite = TimedSuite::default();
    for (index, line) in text.lines().enumerate() {
        let line = line.split("//").next().unwrap_or_default().trim();
        if !line.is_empty() {
            add_line(&mut suite, line).map_err(|message| Unreadable::new(index + 1, message))?;
        }
    }
    check(&suite)?;
    Ok(suite)
}

fn add_line(suite: &mut TimedSuite, line: &str) -> Result<(), String> {
    if line.starts_with('<') {
        let step = step(line)?;
        let Some(test) = suite.tests.last_mut() else {
            return Err("a step before the first test; write `test NAME` above it".to_string());
        };
        match test.uios.last_mut() {
            Some(uio) => uio.steps.push(step),
            None => test.steps.push(step),
        }
        return Ok(());
    }
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match word {
        "model" => suite.model = rest.to_string(),
        "observe" => suite.observe.extend(names(rest)),
        "test" => {
            let (name, target) = match rest.split_once("->") {
                Some((name, target)) => (name.trim(), Some(target.trim().to_string())),
                None => (rest, None),
            };
            if name.is_empty() {
                return Err("a test without a name; expected `test NAME`".to_string());
            }
            suite.tests.push(TimedTest { name: name.into(), target, ..TimedTest::default() });
        }
        "uio" => {
            let Some(test) = suite.tests.last_mut() else {
                return Err("`uio` before the first test".to_string());
            };
            let kind = match rest {
                "" => UioKind::Single,
                word => UioKind::named(word).ok_or_else(|| {
                    format!("`{word}`; expected `single`, `composed` or `separating`")
                })?,
            };
            test.uios.push(Uio { kind, steps: Vec::new(), excludes: Vec::new(), joint: None });
        }
        _ => {
            return Err(format!(
                "`{word}`; expected `model`, `observe`, `test`, `uio` or a step `<...> / (...)`"
            ));
        }
    }
    Ok(())
}

fn names(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_string)
}

fn step(line: &str) -> Result<TimedStep, String> {
    let inside = line.strip_prefix('<').unwrap_or(line);
    let (input, rest) = inside.split_once('>').ok_or("a step without `>`")?;
    let rest = rest.trim();
    let out = match rest.strip_prefix('/') {
        None if rest.is_empty() => Vec::new(),
        None => return Err(format!("`{rest}`; expected `/ (NAME == VALUE, ...)`")),
        Some(list) => outputs(list.trim())?,
    };
    Ok(TimedStep { input: parse_input(input.trim())?, out })
}

fn parse_input(text: &str) -> Result<Input, String> {
    let mut words = text.split_whitespace();
    let first = words.next().ok_or("an empty input; expected an event or `wait for TIME`")?;
    if first != "wait" && first != "phase" {
        return match words.next() {
            None => Ok(Input::Event(first.to_string())),
            Some(_) => Err(format!("`{text}`; expected the name of an event or `wait for TIME`")),
        };
    }
    let rest: Vec<&str> = words.filter(|word| *word != "for").collect();
    let number = match rest.as_slice() {
        [number] | [number, "ms"] => number.strip_suffix("ms").unwrap_or(number),
        _ => return Err(format!("`{text}`; expected `{first} TIME`")),
    };
    let time = number.parse().map_err(|_| format!("`{number}` is no whole number of units"))?;
    Ok(if first == "wait" { Input::Wait(time) } else { Input::Phase(time) })
}

fn outputs(text: &str) -> Result<Vec<(String, ObservedValue)>, String> {
    let inside = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let inside = inside.ok_or_else(|| format!("`{text}`; expected `(NAME == VALUE, ...)`"))?;
    let mut found = Vec::new();
    for part in inside.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (name, value) =
            part.split_once("==").ok_or_else(|| format!("`{part}`; expected NAME == VALUE"))?;
        let value = match value.trim() {
            "true" => ObservedValue::Bool(true),
            "false" => ObservedValue::Bool(false),
            number => {
                let wrong = || format!("`{number}`; expected a whole number, true or false");
                ObservedValue::Int(number.parse().map_err(|_| wrong())?)
            }
        };
        found.push((name.trim().to_string(), value));
    }
    Ok(found)
}

/// Writes tests in their text form; probabilities are remarks there.
pub fn print(suite: &TimedSuite) -> String {
    let mut text = String::new();
    if !suite.model.is_empty() {
        let _ = writeln!(text, "model {}", suite.model);
    }
    if !suite.observe.is_empty() {
        let _ = writeln!(text, "observe {}", suite.observe.join(", "));
    }
    for test in &suite.tests {
        let target = test.target.as_ref().map_or(String::new(), |target| format!(" -> {target}"));
        let _ = writeln!(text, "\ntest {}{target}", test.name);
        if let Some(probability) = &test.probability {
            let _ = writeln!(text, "// probability {}", describe(probability));
        }
        print_steps(&mut text, &test.steps);
        for uio in &test.uios {
            let _ = writeln!(text, "uio {}", uio.kind.word());
            if let Some(joint) = &uio.joint {
                let _ = writeln!(text, "// with the test: probability {}", describe(joint));
            }
            print_steps(&mut text, &uio.steps);
        }
        if let Some(remark) = &test.remark {
            let _ = writeln!(text, "// {remark}");
        }
    }
    text
}

/// A probability for people.
pub fn describe(probability: &Probability) -> String {
    let Probability { interval, exact, runs, .. } = probability;
    let counted = format!("[{:.4}, {:.4}] by {runs} runs", interval.low, interval.high);
    match exact {
        Some(p) => format!("{} exactly, {counted}", rounded(*p)),
        None => counted,
    }
}

/// A completed test for people: how probable it is, and what is behind it.
pub fn describe_test(test: &TimedTest) -> String {
    let mut shown = format!("{}\n", test.name);
    if let Some(probability) = &test.probability {
        shown += &format!("  probability {}\n", describe(probability));
    }
    for uio in &test.uios {
        let others = uio.excludes.join(", ");
        shown += &format!("  {} sequence, not shown by {others}:\n", uio.kind.word());
        let mut steps = String::new();
        print_steps(&mut steps, &uio.steps);
        steps.lines().for_each(|line| shown += &format!("    {line}\n"));
        if let Some(joint) = &uio.joint {
            shown += &format!("  with it: probability {}\n", describe(joint));
        }
    }
    if let Some(remark) = &test.remark {
        shown += &format!("  {remark}\n");
    }
    shown
}

fn rounded(p: f64) -> String {
    let text = format!("{p:.6}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    short.to_string()
}

/// The steps, one line each.
pub fn print_steps(text: &mut String, steps: &[TimedStep]) {
    for step in steps {
        let _ = match &step.input {
            Input::Event(name) => write!(text, "<{name}>"),
            Input::Wait(time) => write!(text, "<wait for {time}>"),
            Input::Phase(time) => write!(text, "<phase {time}>"),
        };
        if !step.out.is_empty() {
            let pairs: Vec<String> =
                step.out.iter().map(|(name, value)| format!("{name} == {value}")).collect();
            let _ = write!(text, " / ({})", pairs.join(", "));
        }
        text.push('\n');
    }
}
