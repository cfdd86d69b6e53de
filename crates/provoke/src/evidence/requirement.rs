//! What is required: `--@ REQ-12` comments in the model, a table, or ids that tests name themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use provoke_base::Error;
use provoke_criteria::ObligationKind;
use provoke_results::{
    Evidence, Generation, KindWord, Requirement, RequirementProperty, RequirementTest, StateWord,
    TestVerdictWord,
};

use crate::evidence::generation::GenerationRun;
use crate::evidence::table;
use crate::exclusion::matches;

/// How a comment begins that names requirements.
const MARK: &str = "--@";

/// Tables of requirements are small.
const MAX_BYTES: usize = 16 << 20;

/// A requirement as it was given: what it says, and which obligations of which run stand for it.
#[derive(Default)]
struct GivenRequirement {
    text: String,
    about: Vec<String>,
    obligations: BTreeSet<(usize, usize)>,
}

/// What a run on the same model as the first one adds.
struct RunOfModel<'a> {
    /// Its position among all runs.
    position: usize,
    run: &'a GenerationRun,
}

/// The requirements of the first run's model and of a table, with what tests say about them, and what all
/// runs on that model say about properties.
pub(super) fn requirements(
    runs: &[GenerationRun],
    generations: &[Generation],
    table: Option<&Path>,
    others: &[Evidence],
) -> Result<Vec<Requirement>, Error> {
    let mut given: BTreeMap<String, GivenRequirement> = BTreeMap::new();
    let is_same = |run: &GenerationRun| run.file.text == runs[0].file.text;
    let all = runs.iter().enumerate().filter(|(_, run)| is_same(run));
    let runs: Vec<RunOfModel<'_>> =
        all.map(|(position, run)| RunOfModel { position, run }).collect();
    runs.iter().for_each(|run| in_comments(run, &mut given));
    if let Some(path) = table {
        in_table(&runs, path, &mut given)?;
    }
    in_tests(&generations[0], &mut given);
    if given.is_empty() {
        return Ok(Vec::new());
    }
    let (failed, verdicts) = (runs[0].run.failed_steps(), verdicts(others));
    let requirement = |(id, given): (String, GivenRequirement)| {
        let GivenRequirement { text, about, obligations: all } = given;
        let obligations: Vec<usize> =
            all.iter().filter(|(run, _)| *run == 0).map(|(_, position)| *position).collect();
        let tests = judged(&generations[0], &id, &failed, &obligations, &verdicts);
        let properties = properties(generations, &all);
        Requirement { id, text, about, obligations, properties, tests }
    };
    Ok(given.into_iter().map(requirement).collect())
}

/// The properties among some obligations, each once, with the most that is known of it; the worst first.
fn properties(
    generations: &[Generation],
    obligations: &BTreeSet<(usize, usize)>,
) -> Vec<RequirementProperty> {
    let known = |state: StateWord| match state {
        StateWord::Violated => 3,
        StateWord::Holds => 2,
        StateWord::Unknown => 1,
        _ => 0,
    };
    let worst = |state: StateWord| match state {
        StateWord::Violated => 0,
        StateWord::Unknown => 1,
        StateWord::Holds => 3,
        _ => 2,
    };
    let mut found: BTreeMap<&str, (StateWord, usize)> = BTreeMap::new();
    for (evidence, position) in obligations {
        let one = &generations[*evidence].obligations[*position];
        if one.kind == KindWord::Property {
            let best = found.entry(&one.id).or_insert((one.state, *evidence));
            if known(one.state) > known(best.0) {
                *best = (one.state, *evidence);
            }
        }
    }
    let property = |(id, (state, evidence)): (&str, (StateWord, usize))| RequirementProperty {
        id: id.to_string(),
        state,
        evidence,
    };
    let mut properties: Vec<RequirementProperty> = found.into_iter().map(property).collect();
    properties.sort_by_key(|property| worst(property.state));
    properties
}

/// A comment speaks of the equation or property on its line, or else of the next one below.
fn in_comments(of: &RunOfModel<'_>, given: &mut BTreeMap<String, GivenRequirement>) {
    let RunOfModel { position: at_run, run } = *of;
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
            let about = format!("line {}", at.unwrap_or(number));
            if !entry.about.contains(&about) {
                entry.about.push(about);
            }
            let here = (0..anchors.len()).filter(|position| Some(anchors[*position].0) == at);
            entry.obligations.extend(here.map(|position| (at_run, position)));
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
    runs: &[RunOfModel<'_>],
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
        let obligations: Vec<(usize, usize)> =
            runs.iter().flat_map(|run| named(run, about)).collect();
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
fn named(of: &RunOfModel<'_>, about: &str) -> Vec<(usize, usize)> {
    let RunOfModel { position: at_run, run } = *of;
    let is_named = |position: &usize| {
        let obligation = &run.obligations[*position];
        let is_of_variable = obligation.kind != ObligationKind::Property
            && matches(about, &run.system.vars[obligation.variable].name);
        is_of_variable || matches(about, &obligation.id)
    };
    let named = (0..run.obligations.len()).filter(is_named);
    named.map(|position| (at_run, position)).collect()
}

/// What the runs on targets say of each test: the verdict and the step that decided it.
fn verdicts(others: &[Evidence]) -> BTreeMap<String, (TestVerdictWord, Option<usize>)> {
    let mut verdicts = BTreeMap::new();
    for evidence in others {
        let Evidence::Run { result, .. } = evidence else { continue };
        for test in &result.tests {
            let step = test.reason().map(|(interaction, _)| interaction);
            verdicts.insert(test.name.clone(), (test.verdict, step));
        }
    }
    verdicts
}

/// The tests that cover obligations of a requirement. What violates a property is a counterexample: it does
/// not test what is required.
fn judged(
    generation: &Generation,
    id: &str,
    failed: &[Option<usize>],
    obligations: &[usize],
    verdicts: &BTreeMap<String, (TestVerdictWord, Option<usize>)>,
) -> Vec<RequirementTest> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for position in obligations {
        let obligation = &generation.obligations[*position];
        if let (Some(witness), false) = (&obligation.witness, obligation.kind == KindWord::Property)
        {
            *counts.entry(witness.test).or_default() += 1;
        }
    }
    let linked = |test: usize| generation.tests[test].requirements.iter().any(|own| own == id);
    for test in (0..generation.tests.len()).filter(|test| linked(*test)) {
        counts.entry(test).or_default();
    }
    let judged = |(test, covers): (usize, usize)| {
        let on_target = verdicts.get(&generation.tests[test].name).copied();
        let failed_step = match on_target {
            Some((TestVerdictWord::Fail, step)) => step,
            Some(_) => None,
            None => failed[test],
        };
        RequirementTest {
            test,
            covers,
            linked: linked(test),
            verdict: on_target.map(|(verdict, _)| verdict),
            failed_step,
        }
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
