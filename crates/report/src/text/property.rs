//! Properties with their verdicts, and counterexamples as tables.

use provoke_base::table::{aligned, one_line, shortened};
use provoke_results::{
    CounterexampleResult, CounterexampleSignal, PropertiesResult, PropertyResult, RoleWord,
    UndefinedResult, VerdictResult, VerdictWord,
};

/// How many properties are listed.
const MAX_LISTED: usize = 200;

/// How many counterexamples are shown; the others are named.
const MAX_TABLES: usize = 10;

/// How many variables a counterexample shows.
const MAX_VARIABLES: usize = 24;

/// How wide a counterexample is.
const MAX_WIDTH: usize = 100;

/// How long a value or the name of a variable is.
const MAX_CELL: usize = 32;

/// How long a formula is where it shares a line with its verdict.
const MAX_FORMULA: usize = 60;

/// How many properties there are of each kind.
pub(super) fn totals(totals: &PropertiesResult) -> String {
    let PropertiesResult { violated, holds, unknown, excluded, .. } = totals;
    let s = if *holds == 1 { "s" } else { "" };
    let mut text = format!("{violated} violated, {holds} hold{s}, {unknown} unknown");
    if *excluded > 0 {
        text += &format!(", {excluded} excluded");
    }
    text
}

/// A line for each property: name, formula, place and verdict; below those that are violated, how. `suite`
/// is the file with the tests, empty if there is none.
pub(super) fn listed(model: &str, suite: &str, verdicts: &[&VerdictResult]) -> String {
    let shown = &verdicts[..verdicts.len().min(MAX_LISTED)];
    let rows: Vec<Vec<String>> = shown.iter().map(|verdict| row(model, verdict)).collect();
    let (mut text, mut tables) = (String::new(), 0);
    for (line, verdict) in aligned(&rows).lines().zip(shown) {
        text += &format!("{line}\n");
        let counterexample = verdict.property.as_ref().and_then(|one| one.counterexample.as_ref());
        if let Some(counterexample) = counterexample {
            tables += 1;
            text += &match tables <= MAX_TABLES {
                true => violation(verdict, counterexample, suite),
                false => format!("    {}\n", counterexample_name(verdict, suite)),
            };
        }
    }
    if verdicts.len() > MAX_LISTED {
        let more = verdicts.len() - MAX_LISTED;
        text += &format!("  ... and {more} more; `--format json` lists all\n");
    }
    text
}

fn row(model: &str, verdict: &VerdictResult) -> Vec<String> {
    let (formula, place) = match &verdict.property {
        Some(property) => {
            (told(&verdict.id, property), format!("{model}:{line}", line = property.line))
        }
        None => (String::new(), String::new()),
    };
    let name = format!("  {}", one_line(&verdict.id));
    vec![name, shortened(&formula, MAX_FORMULA), place, verdict_words(verdict)]
}

/// What a property says; a variable alone says it by its equation.
fn told(id: &str, property: &PropertyResult) -> String {
    let PropertyResult { formula, definition, .. } = property;
    let is_name = |formula: &str| id == formula || id.ends_with(&format!(".{formula}"));
    match definition {
        None => formula.clone(),
        Some(definition) if is_name(formula) => definition.clone(),
        Some(definition) => format!("{formula} = {definition}"),
    }
}

/// A verdict, and how one knows.
fn verdict_words(verdict: &VerdictResult) -> String {
    let reason = verdict.reason.as_deref().unwrap_or_default();
    match verdict.verdict {
        VerdictWord::Violated => {
            match verdict.property.as_ref().and_then(|property| property.step) {
                Some(step) => format!("violated in step {step}"),
                None => "violated".to_string(),
            }
        }
        VerdictWord::Covered => {
            match verdict.property.as_ref().and_then(|property| property.step) {
                Some(step) => format!("reached in step {step}"),
                None => "reached".to_string(),
            }
        }
        VerdictWord::Infeasible => format!("unreachable ({})", proof(verdict)),
        VerdictWord::Holds => format!("holds ({})", proof(verdict)),
        VerdictWord::Unknown => match (verdict.depth.unwrap_or(0), reason) {
            (0, "") => "unknown".to_string(),
            (0, reason) => format!("unknown: {reason}"),
            (1, _) => "unknown: no violation in the first step".to_string(),
            (depth, _) => format!("unknown: no violation in the first {depth} steps"),
        },
        _ => format!("{}: {reason}", verdict.verdict),
    }
}

fn proof(verdict: &VerdictResult) -> String {
    let mut text = match &verdict.engine {
        Some(engine) => format!("proven by {engine}"),
        None => "proven".to_string(),
    };
    // Where lemmas alone exclude a violation, there is no induction over steps of its own.
    match (verdict.k.unwrap_or(0), verdict.lemmas.unwrap_or(0)) {
        (0, 0) => {}
        (0, 1) => text += ", 1 lemma",
        (0, lemmas) => text += &format!(", {lemmas} lemmas"),
        (k, _) => text += &format!(", k = {k}"),
    }
    text
}

/// The test that violates a property, and where it is.
fn counterexample_name(verdict: &VerdictResult, suite: &str) -> String {
    let test = verdict.test.as_deref().unwrap_or_default();
    match suite {
        "" => format!("counterexample {test}"),
        suite => format!("counterexample {test}, see {suite}"),
    }
}

/// How a property is violated: a table, and what is undefined.
fn violation(
    verdict: &VerdictResult,
    counterexample: &CounterexampleResult,
    suite: &str,
) -> String {
    let test = verdict.test.as_deref().unwrap_or_default();
    let mut text = format!("    counterexample {test}:\n");
    text += &table(&verdict.id, counterexample, suite);
    text += &undefined_values(verdict);
    text
}

/// With which values of what is undefined a counterexample breaks a property.
fn undefined_values(verdict: &VerdictResult) -> String {
    if verdict.undefined.is_empty() {
        return String::new();
    }
    let test = verdict.test.as_deref().unwrap_or_default();
    let mut text = format!("    {} is violated by {test} if in the first step\n", verdict.id);
    for UndefinedResult { expression, variable, line, column, value } in &verdict.undefined {
        let inside = match variable.as_str() {
            "" => "an assertion or a property",
            variable => variable,
        };
        let place = format!("line {line}, column {column}, in {inside}");
        text += &format!("      {expression} is {value} ({place})\n");
    }
    text
}

/// The steps up to a violation, one column for each; what does not fit is counted.
pub(super) fn table(id: &str, counterexample: &CounterexampleResult, suite: &str) -> String {
    let shown = shown_signals(&counterexample.signals);
    let mut rows: Vec<(&str, String, &[String])> = Vec::new();
    let mut last = "";
    for signal in &shown {
        let group = group(signal.role);
        let title = if group == last { "" } else { group };
        rows.push((title, shortened(&signal.name, MAX_CELL), &signal.values));
        last = group;
    }
    rows.push(("property", shortened(id, MAX_CELL), &counterexample.formula));
    let steps = counterexample.formula.len();
    let kept = steps_that_fit(&rows, steps);
    let left_out = steps - kept;
    let mut cells = vec![heading(counterexample.first_step + left_out, kept)];
    cells.extend(rows.iter().map(|(title, name, values)| {
        let mut cells = vec![format!("    {title}"), name.clone()];
        cells.extend((left_out..steps).map(|step| cell(values, step)));
        cells
    }));
    let more_steps = counterexample.first_step.saturating_sub(1) + left_out;
    let more_variables = counterexample.signals.len() - shown.len();
    aligned(&cells) + &more(more_steps, "step", suite) + &more(more_variables, "variable", suite)
}

fn heading(first: usize, steps: usize) -> Vec<String> {
    let mut cells = vec!["    step".to_string(), String::new()];
    cells.extend((first..first + steps).map(|step| step.to_string()));
    cells
}

fn group(role: RoleWord) -> &'static str {
    match role {
        RoleWord::In => "inputs",
        RoleWord::Out => "outputs",
        RoleWord::Local => "read",
    }
}

/// What the formula reads comes before the rest, if not everything can be shown.
fn shown_signals(signals: &[CounterexampleSignal]) -> Vec<&CounterexampleSignal> {
    let read = signals.iter().filter(|signal| signal.read).count();
    let mut others = MAX_VARIABLES.saturating_sub(read);
    let mut room = MAX_VARIABLES;
    let mut is_shown = |signal: &&CounterexampleSignal| {
        let counted = if signal.read { &mut room } else { &mut others };
        let fits = *counted > 0;
        *counted = counted.saturating_sub(1);
        fits
    };
    signals.iter().filter(|signal| is_shown(signal)).collect()
}

/// How many of the last steps a line has room for, at least one.
fn steps_that_fit(rows: &[(&str, String, &[String])], steps: usize) -> usize {
    let widest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
    let titles = widest(&mut rows.iter().map(|(title, ..)| title.chars().count()));
    let names = widest(&mut rows.iter().map(|(_, name, _)| name.chars().count()));
    let mut width = 4 + titles + 2 + names + 2;
    let mut fitting = 0;
    for step in (0..steps).rev() {
        let values = rows.iter().map(|(.., values)| cell(values, step).chars().count());
        width += widest(&mut values.chain([step.to_string().len()])) + 2;
        if width > MAX_WIDTH && fitting > 0 {
            break;
        }
        fitting += 1;
    }
    fitting
}

fn cell(values: &[String], step: usize) -> String {
    values.get(step).map_or_else(String::new, |value| shortened(value, MAX_CELL))
}

/// What a table leaves out, and where it is.
fn more(count: usize, what: &str, suite: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    let found = match suite {
        "" => "`--format json` shows all".to_string(),
        suite => format!("see {suite}"),
    };
    match count {
        0 => String::new(),
        _ => format!("    {count} more {what}{s}, {found}\n"),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use provoke_results::KindWord;

    use super::*;

    fn verdict(id: &str, verdict: VerdictWord) -> VerdictResult {
        let property = PropertyResult {
            formula: id.to_string(),
            definition: Some("a => b".to_string()),
            line: 7,
            column: 3,
            reachable: false,
            step: None,
            counterexample: None,
        };
        VerdictResult {
            id: id.to_string(),
            kind: KindWord::Property,
            verdict,
            test: None,
            undefined: Vec::new(),
            engine: None,
            k: None,
            lemmas: None,
            reason: None,
            depth: None,
            grade: None,
            step: None,
            stuck: None,
            redundant: None,
            tag: None,
            note: None,
            numbers: None,
            numbers_reason: None,
            property: Some(property),
        }
    }

    fn signal(name: &str, role: RoleWord, read: bool, values: &[&str]) -> CounterexampleSignal {
        let values = values.iter().map(|value| value.to_string()).collect();
        CounterexampleSignal { name: name.to_string(), role, read, values }
    }

    /// A property that is true until the last of some steps.
    fn violated(steps: usize, signals: Vec<CounterexampleSignal>) -> VerdictResult {
        let mut result = verdict("ok", VerdictWord::Violated);
        result.test = Some("t1".to_string());
        let property = result.property.as_mut().unwrap();
        property.step = Some(steps);
        let formula = (1..=steps).map(|step| (step < steps).to_string()).collect();
        property.counterexample = Some(CounterexampleResult { first_step: 1, formula, signals });
        result
    }

    fn check(verdicts: &[VerdictResult], suite: &str, expected: Expect) {
        let all: Vec<&VerdictResult> = verdicts.iter().collect();
        // The first line keeps what is indented below it as it is.
        expected.assert_eq(&format!("m.lus\n{}", listed("m.lus", suite, &all)));
    }

    #[test]
    fn every_verdict_has_its_words() {
        let holds = VerdictResult {
            engine: Some("k-induction".to_string()),
            k: Some(1),
            ..verdict("holds_it", VerdictWord::Holds)
        };
        let by_lemmas = VerdictResult {
            engine: Some("k-induction".to_string()),
            lemmas: Some(3),
            ..verdict("sub.ok", VerdictWord::Holds)
        };
        let unknown = VerdictResult { depth: Some(20), ..verdict("open", VerdictWord::Unknown) };
        let early = VerdictResult {
            reason: Some("interrupted".to_string()),
            ..verdict("early", VerdictWord::Unknown)
        };
        let mut excluded = verdict("left out", VerdictWord::Excluded);
        excluded.reason = Some("no time".to_string());
        excluded.property.as_mut().unwrap().formula = "other".to_string();
        check(
            &[holds, by_lemmas, unknown, early, excluded],
            "",
            expect![[r#"
                m.lus
                  holds_it  a => b          m.lus:7  holds (proven by k-induction, k = 1)
                  sub.ok    a => b          m.lus:7  holds (proven by k-induction, 3 lemmas)
                  open      a => b          m.lus:7  unknown: no violation in the first 20 steps
                  early     a => b          m.lus:7  unknown: interrupted
                  left out  other = a => b  m.lus:7  excluded: no time
            "#]],
        );
    }

    #[test]
    fn a_counterexample_is_a_table_with_a_column_for_each_step() {
        let signals = vec![
            signal("x", RoleWord::In, true, &["1", "12"]),
            signal("y", RoleWord::In, false, &["0", "0"]),
            signal("mode", RoleWord::Out, false, &["Idle", "Running"]),
            signal("sum", RoleWord::Local, true, &["?", "13"]),
        ];
        let mut violated = violated(2, signals);
        violated.undefined = vec![UndefinedResult {
            expression: "pre x".to_string(),
            variable: "sum".to_string(),
            line: 4,
            column: 9,
            value: "1".to_string(),
        }];
        check(
            &[violated],
            "out/suite.json",
            expect![[r#"
                m.lus
                  ok  a => b  m.lus:7  violated in step 2
                    counterexample t1:
                    step            1     2
                    inputs    x     1     12
                              y     0     0
                    outputs   mode  Idle  Running
                    read      sum   ?     13
                    property  ok    true  false
                    ok is violated by t1 if in the first step
                      pre x is 1 (line 4, column 9, in sum)
            "#]],
        );
    }

    #[test]
    fn what_does_not_fit_is_counted_and_what_the_formula_reads_stays() {
        let long: Vec<String> = (1..=40).map(|step| format!("value {step}")).collect();
        let long: Vec<&str> = long.iter().map(String::as_str).collect();
        let mut signals: Vec<CounterexampleSignal> =
            (1..=40).map(|at| signal(&format!("x{at}"), RoleWord::In, at == 40, &long)).collect();
        signals.push(signal("local", RoleWord::Local, true, &long));
        let text = listed("m.lus", "out/suite.json", &[&violated(40, signals.clone())]);
        assert!(text.lines().all(|line| line.chars().count() <= MAX_WIDTH), "{text}");
        assert!(text.contains("    33 more steps, see out/suite.json\n"), "{text}");
        assert!(text.contains("    17 more variables, see out/suite.json\n"), "{text}");
        assert!(text.contains(" x40 ") && text.contains(" local "), "{text}");
        assert!(text.contains(" x22 ") && !text.contains(" x23 "), "{text}");
        let kept_nowhere = listed("m.lus", "", &[&violated(40, signals)]);
        assert!(
            kept_nowhere.contains("33 more steps, `--format json` shows all"),
            "{kept_nowhere}"
        );
    }

    #[test]
    fn many_counterexamples_are_named_instead_of_shown() {
        let many: Vec<VerdictResult> =
            (0..11).map(|_| violated(1, vec![signal("x", RoleWord::In, true, &["1"])])).collect();
        let all: Vec<&VerdictResult> = many.iter().collect();
        let text = listed("m.lus", "out/suite.json", &all);
        assert_eq!(text.matches("    step").count(), MAX_TABLES);
        assert!(text.ends_with("    counterexample t1, see out/suite.json\n"), "{text}");
    }
}
