//! What became of obligations.

use std::path::Path;

use super::expectations::expectations;
use provoke_base::table::aligned;
use provoke_results::{
    Generate, InvalidMutant, KilledMutants, KindWord, TotalsResult, VerdictResult, VerdictWord,
};

use super::design::design_errors;
use super::numbers::numbers;
use super::property;

/// How many obligations of a kind are listed.
const MAX_LISTED: usize = 20;

/// The totals, and what is left.
pub fn generate(result: &Generate) -> String {
    let exact = result.exact.map_or_else(String::new, |mode| format!(", exact ({mode})"));
    let criteria = criteria(result);
    let asked = match criteria.as_str() {
        "" => asked_beside(result),
        criteria => format!("{} {criteria}", result.obligations.total),
    };
    let mut text = format!("{}: {asked}{exact}\n", result.model);
    if !criteria.is_empty() {
        text += &format!("  {}\n", totals(&result.obligations));
    }
    text += &format!(
        "  {} tests{}, {} steps, {} s\n",
        result.tests,
        reduced(result),
        result.steps,
        result.seconds
    );
    if result.obligations.total == 0 && !criteria.is_empty() {
        text += "  the model has nothing that this criterion asks for\n";
    }
    text += &numbers(result.numbers.as_ref(), &result.verdicts);
    for assumption in &result.assumptions {
        text += &format!("  assuming {assumption}\n");
    }
    if !result.suite.is_empty() {
        text += &format!("  {}", folder_shown(&result.suite));
    }
    if let Some(mutants) = &result.mutants {
        text += &guarantee(result, mutants);
    }
    let (properties, others): (Vec<_>, Vec<_>) =
        result.verdicts.iter().partition(|verdict| is_property(verdict));
    let of_kind = |word: VerdictWord| -> Vec<&VerdictResult> {
        others.iter().copied().filter(|verdict| verdict.verdict == word).collect()
    };
    if let Some(totals) = &result.properties {
        text += &format!("\nproperties: {}\n", property::totals(totals));
        text += &property::listed(&result.model, &result.suite, &worst_first(&properties));
    }
    if let Some(errors) = &result.errors {
        text += &design_errors(&result.model, errors);
    }
    text += &listed("excluded", &of_kind(VerdictWord::Excluded), excluded_row);
    text += &listed("tag-only", &of_kind(VerdictWord::TagOnly), unknown_row);
    text += &listed("unknown", &of_kind(VerdictWord::Unknown), unknown_row);
    text + &expectations(&result.expectations, &result.differences)
}

/// What the suite promises, in one sentence.
fn guarantee(result: &Generate, found: &KilledMutants) -> String {
    let KilledMutants { all, mutants, invalid, killed, equivalent, survived, added, .. } = found;
    let taken = match mutants == all {
        true => format!("{mutants} mutants"),
        false => format!("{mutants} of {all} mutants"),
    };
    let mut text = format!(
        "  {taken}: {killed} killed, {equivalent} equivalent, {survived} open, {invalid} invalid; {added} \
         tests added\n"
    );
    let graded = result.obligations.shown + result.obligations.lasting > 0;
    let open = survived + result.obligations.open();
    let conditions = match graded {
        true => "every condition is shown to matter or proven replaceable by a constant, and ",
        false => "",
    };
    let of = if mutants == all { "" } else { " of the sample" };
    let except = match (open, *invalid) {
        (0, 0) => String::new(),
        (open, 0) => format!(", except the {open} that are open (listed)"),
        (0, invalid) => format!(", except {}", not_promised(invalid)),
        (open, invalid) => {
            format!(", except the {open} that are open and {}", not_promised(invalid))
        }
    };
    text += &format!(
        "  guarantee: {conditions}every single fault of the eight kinds{of} is caught or proven \
         harmless{except}\n"
    );
    let open: Vec<String> = found.open.iter().map(|id| format!("open: {id}")).collect();
    let row = |one: &InvalidMutant| format!("invalid: {} ({})", one.id, one.reason);
    let invalid: Vec<String> = found.not_promised.iter().map(row).collect();
    text + &lines(&open) + &lines(&invalid)
}

/// What is neither caught nor harmless, and yet no mutant to be killed.
fn not_promised(invalid: usize) -> String {
    format!("the {invalid} that divide by zero in some run or are no programs (listed)")
}

/// The first lines of many.
fn lines(all: &[String]) -> String {
    let shown = all.iter().take(MAX_LISTED).map(|line| format!("    {line}\n"));
    let mut text: String = shown.collect();
    if all.len() > MAX_LISTED {
        let more = all.len() - MAX_LISTED;
        text += &format!("    ... and {more} more; `--format json` lists all\n");
    }
    text
}

/// Where a suite and the files beside it are, and how to look at them.
pub(super) fn folder_shown(suite: &str) -> String {
    let folder = Path::new(suite).parent().unwrap_or(Path::new("."));
    format!("written to {suite}; `provoke report {}` shows it\n", folder.display())
}

fn is_property(verdict: &VerdictResult) -> bool {
    verdict.kind == KindWord::Property
}

/// The criteria whose obligations are counted: properties, mutants and design errors are counted for
/// themselves.
fn criteria(result: &Generate) -> String {
    let counted = |word: &&str| !["properties", "mutants", "errors"].contains(word);
    let words = result.criterion.split(',').filter(counted);
    words.collect::<Vec<_>>().join(",")
}

/// How many properties, mutants and operations that may go wrong there are, as far as they are asked for.
fn asked_beside(result: &Generate) -> String {
    let properties = result.properties.map(|properties| match properties.total {
        1 => "1 property".to_string(),
        count => format!("{count} properties"),
    });
    let mutants = result.mutants.as_ref().map(|found| format!("{} mutants", found.mutants));
    let errors = result.errors.as_ref().map(|errors| match errors.total {
        1 => "1 operation that may go wrong".to_string(),
        count => format!("{count} operations that may go wrong"),
    });
    properties.into_iter().chain(mutants).chain(errors).collect::<Vec<_>>().join(", ")
}

/// What needs attention comes first.
fn worst_first<'v>(properties: &[&'v VerdictResult]) -> Vec<&'v VerdictResult> {
    let rank = |verdict: &&VerdictResult| match verdict.verdict {
        VerdictWord::Violated => 0,
        VerdictWord::Unknown => 1,
        VerdictWord::Excluded => 2,
        _ => 3,
    };
    let mut sorted = properties.to_vec();
    sorted.sort_by_key(rank);
    sorted
}

fn totals(totals: &TotalsResult) -> String {
    let TotalsResult { covered, infeasible, unknown, excluded, .. } = totals;
    let TotalsResult { shown, lasting, redundant, tag_only, .. } = totals;
    let mut text = format!("{covered} covered");
    if shown + lasting > 0 {
        text += &format!(" ({shown} shown, {lasting} lasting)");
    }
    if shown + lasting + redundant + tag_only == 0 || *infeasible > 0 {
        text += &format!(", {infeasible} infeasible");
    }
    if *redundant > 0 {
        text += &format!(", {redundant} redundant");
    }
    if *tag_only > 0 {
        text += &format!(", {tag_only} tag-only");
    }
    text += &format!(", {unknown} unknown");
    if *excluded > 0 {
        text += &format!(", {excluded} excluded");
    }
    text
}

fn reduced(result: &Generate) -> String {
    match result.tests_before_reduction {
        before if before > result.tests => format!(" (of {before}, {})", result.reduction),
        _ => String::new(),
    }
}

fn listed(
    title: &str,
    verdicts: &[&VerdictResult],
    row: fn(&VerdictResult) -> [String; 2],
) -> String {
    if verdicts.is_empty() {
        return String::new();
    }
    let shown = verdicts.iter().take(MAX_LISTED).map(|verdict| {
        let [first, second] = row(verdict);
        vec![format!("  {}", verdict.id), first, second]
    });
    let mut text = format!("\n{title}:\n{}", aligned(&shown.collect::<Vec<_>>()));
    if verdicts.len() > MAX_LISTED {
        text +=
            &format!("  ... and {} more; `--format json` lists all\n", verdicts.len() - MAX_LISTED);
    }
    text
}

fn excluded_row(verdict: &VerdictResult) -> [String; 2] {
    let note = verdict.note.as_ref().map_or_else(String::new, |note| format!("({note})"));
    [verdict.reason.clone().unwrap_or_default(), note]
}

fn unknown_row(verdict: &VerdictResult) -> [String; 2] {
    let reason = verdict.reason.clone().unwrap_or_default();
    match verdict.depth.unwrap_or(0) {
        0 => [reason, String::new()],
        depth => [format!("{reason}; not within {depth} steps"), String::new()],
    }
}
