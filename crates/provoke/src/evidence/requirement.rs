//! What is required: `--@ REQ-12` comments in the model, a table, or ids that tests name themselves.

use std::collections::BTreeMap;
use std::path::Path;

use provoke_base::Error;
use provoke_criteria::ObligationKind;
use provoke_results::{Evidence, Generation, Requirement, RequirementTest, TestVerdictWord};

use crate::evidence::generation::GenerationRun;
use crate::evidence::table;
use crate::exclusion::matches;

/// How a comment begins that names requirements.
const MARK: &str = "--@";

/// Tables of requirements are small.
const MAX_BYTES: usize = 16 << 20;

/// A requirement as it was given: what it says, and which obligations stand for it.
#[derive(Default)]
struct GivenRequirement {
    text: String,
    about: Vec<String>,
    obligations: Vec<usize>,
}

/// The requirements of a run's model and of a table, with what its tests say about them.
pub(super) fn requirements(
    run: &GenerationRun,
    generation: &Generation,
    table: Option<&Path>,
    others: &[Evidence],
) -> Result<Vec<Requirement>, Error> {
    let mut given: BTreeMap<String, GivenRequirement> = BTreeMap::new();
    in_comments(run, &mut given);
    if let Some(path) = table {
        in_table(run, path, &mut given)?;
    }
    in_tests(generation, &mut given);
    let verdicts = verdicts(others);
    let requirement = |(id, mut given): (String, GivenRequirement)| {
        given.obligations.sort_unstable();
        given.obligations.dedup();
        let tests = judged(generation, &id, &given.obligations, &verdicts);
        let GivenRequirement { text, about, obligations } = given;
        Requirement { id, text, about, obligations, tests }
    };
    Ok(given.into_iter().map(requirement).collect())
}

/// A comment speaks of the equation or property on its line, or else of the next one below.
fn in_comments(run: &GenerationRun, given: &mut BTreeMap<String, GivenRequirement>) {
    let anchors = anchors(run);
    for (number, line) in run.file.text.lines().enumerate().map(|(at, line)| (at + 1, line)) {
        let Some(place) = line.find(MARK) else { continue };
        let (ids, text) = comment(&line[place + MARK.len()..]);
        let beside = |(first, last): &(usize, usize)| *first <= number && number <= *last;
        let alone = line[..place].trim().is_empty();
        let at = match alone {
            false => anchors.iter().copied().filter(beside).map(|anchor| anchor.0).max(),
            true => anchors.iter().map(|anchor| anchor.0).filter(|first| *first > number).min(),
        };
        for id in ids {
            let entry = given.entry(id.to_string()).or_default();
            if entry.text.is_empty() {
                entry.text = text.to_string();
            }
            entry.about.push(format!("line {}", at.unwrap_or(number)));
            let here = (0..anchors.len()).filter(|position| Some(anchors[*position].0) == at);
            entry.obligations.extend(here);
        }
    }
}

/// A requirement that only tests name has no obligations: these tests speak for it alone.
fn in_tests(generation: &Generation, given: &mut BTreeMap<String, GivenRequirement>) {
    for test in &generation.tests {
        for id in &test.requirements {
            let entry = given.entry(id.clone()).or_default();
            entry.about.push(format!("test {}", test.name));
        }
    }
}

/// The ids, separated by commas or spaces, and what follows a colon.
fn comment(text: &str) -> (Vec<&str>, &str) {
    let (ids, text) = text.split_once(':').unwrap_or((text, ""));
    let split = ids.split([',', ' ', '\t']).filter(|id| !id.is_empty());
    (split.collect(), text.trim())
}

/// The first and last line of what holds each obligation: an equation, or a property's comment.
fn anchors(run: &GenerationRun) -> Vec<(usize, usize)> {
    let line = |offset: u32| run.file.line_column(offset).line;
    let equations: BTreeMap<_, _> =
        run.system.equations.iter().map(|equation| (equation.var, equation.expr)).collect();
    let anchor = |obligation: &provoke_criteria::Obligation| {
        let span = match (obligation.kind, equations.get(&obligation.variable)) {
            (ObligationKind::Property, _) | (_, None) => obligation.span,
            (_, Some(expr)) => run.system.exprs[*expr].span,
        };
        (line(span.start), line(span.end))
    };
    run.obligations.iter().map(anchor).collect()
}

/// A table with a heading: requirement, about, and text if there is one.
fn in_table(
    run: &GenerationRun,
    path: &Path,
    given: &mut BTreeMap<String, GivenRequirement>,
) -> Result<(), Error> {
    let mut rows = table::rows(path, MAX_BYTES)?.into_iter();
    let heading = rows.next().map(|(_, row)| row).unwrap_or_default();
    let column = |name: &str| heading.iter().position(|head| head.trim() == name);
    let (Some(id_at), Some(about_at)) = (column("requirement"), column("about")) else {
        let message = format!("{} has no columns `requirement` and `about`", path.display());
        return Err(Error::input(message, "its first line should be `requirement,about,text`"));
    };
    for (line, row) in rows {
        let cell = |at: usize| row.get(at).map_or("", |cell| cell.trim());
        let (id, about) = (cell(id_at), cell(about_at));
        let obligations = named(run, about);
        if id.is_empty() || (obligations.is_empty() && !about.is_empty()) {
            let place = format!("{}:{line}", path.display());
            let message = match id.is_empty() {
                true => format!("{place}: the requirement has no name"),
                false => format!("{place}: nothing is called `{about}`"),
            };
            let hint = "name a variable, a property or an obligation; * stands for any text";
            return Err(Error::input(message, hint));
        }
        let entry = given.entry(id.to_string()).or_default();
        let text = column("text").map_or("", cell);
        if !text.is_empty() {
            entry.text = text.to_string();
        }
        if !about.is_empty() {
            entry.about.push(about.to_string());
        }
        entry.obligations.extend(obligations);
    }
    Ok(())
}

/// The obligations that a name stands for: its own, or those of a variable's equation.
fn named(run: &GenerationRun, about: &str) -> Vec<usize> {
    let is_named = |position: &usize| {
        let obligation = &run.obligations[*position];
        matches(about, &obligation.id) || matches(about, &run.system.vars[obligation.variable].name)
    };
    (0..run.obligations.len()).filter(is_named).collect()
}

/// What the runs on targets say of each test.
fn verdicts(others: &[Evidence]) -> BTreeMap<String, TestVerdictWord> {
    let mut verdicts = BTreeMap::new();
    for evidence in others {
        let Evidence::Run { result, .. } = evidence else { continue };
        verdicts.extend(result.tests.iter().map(|test| (test.name.clone(), test.verdict)));
    }
    verdicts
}

fn judged(
    generation: &Generation,
    id: &str,
    obligations: &[usize],
    verdicts: &BTreeMap<String, TestVerdictWord>,
) -> Vec<RequirementTest> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for position in obligations {
        if let Some(witness) = &generation.obligations[*position].witness {
            *counts.entry(witness.test).or_default() += 1;
        }
    }
    let linked = |test: usize| generation.tests[test].requirements.iter().any(|own| own == id);
    for test in (0..generation.tests.len()).filter(|test| linked(*test)) {
        counts.entry(test).or_default();
    }
    let judged = |(test, covers): (usize, usize)| {
        let name = &generation.tests[test].name;
        let verdict = verdicts.get(name).copied();
        RequirementTest { test, covers, linked: linked(test), verdict }
    };
    counts.into_iter().map(judged).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_names_requirements_and_says_what_they_want() {
        assert_eq!(
            comment(" REQ-1, REQ-2: a warning stops the pump"),
            (vec!["REQ-1", "REQ-2"], "a warning stops the pump")
        );
        assert_eq!(comment("REQ-3"), (vec!["REQ-3"], ""));
    }
}
