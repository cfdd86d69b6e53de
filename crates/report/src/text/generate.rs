//! What became of obligations.

use std::path::Path;

use super::expectations::expectations;
use provoke_base::table::aligned;
use provoke_results::{Generate, KindWord, TotalsResult, VerdictResult, VerdictWord};

/// How many obligations of a kind are listed.
const MAX_LISTED: usize = 20;

/// The totals, and what is left.
pub fn generate(result: &Generate) -> String {
    let exact = result.exact.map_or_else(String::new, |mode| format!(", exact ({mode})"));
    let mut text =
        format!("{}: {} {}{exact}\n", result.model, result.obligations.total, result.criterion);
    text += &format!("  {}\n", totals(&result.obligations));
    text += &format!(
        "  {} tests{}, {} steps, {} s\n",
        result.tests,
        reduced(result),
        result.steps,
        result.seconds
    );
    if result.obligations.total == 0 {
        text += "  the model has nothing that this criterion asks for\n";
    }
    for assumption in &result.assumptions {
        text += &format!("  assuming {assumption}\n");
    }
    if !result.suite.is_empty() {
        text += &format!("  {}", folder_shown(&result.suite));
    }
    let (properties, others): (Vec<_>, Vec<_>) =
        result.verdicts.iter().partition(|verdict| is_property(verdict));
    let of_kind = |word: VerdictWord| -> Vec<&VerdictResult> {
        others.iter().copied().filter(|verdict| verdict.verdict == word).collect()
    };
    text += &listed("properties", &properties, property_row);
    text += &listed("excluded", &of_kind(VerdictWord::Excluded), excluded_row);
    text += &listed("tag-only", &of_kind(VerdictWord::TagOnly), unknown_row);
    text += &listed("unknown", &of_kind(VerdictWord::Unknown), unknown_row);
    text + &expectations(&result.expectations, &result.differences)
}

/// Where a suite and the files beside it are, and how to look at them.
pub(super) fn folder_shown(suite: &str) -> String {
    let folder = Path::new(suite).parent().unwrap_or(Path::new("."));
    format!("written to {suite}; `provoke report {}` shows it\n", folder.display())
}

fn is_property(verdict: &VerdictResult) -> bool {
    verdict.kind == KindWord::Property
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

/// What became of a property, and how one knows.
pub(super) fn property_row(verdict: &VerdictResult) -> [String; 2] {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let how = match verdict.verdict {
        VerdictWord::Violated => format!("test {}", text(&verdict.test)),
        VerdictWord::Holds => format!("{}, k = {}", text(&verdict.engine), verdict.k.unwrap_or(0)),
        _ => text(&verdict.reason),
    };
    [verdict.verdict.to_string(), how]
}

fn excluded_row(verdict: &VerdictResult) -> [String; 2] {
    let note = verdict.note.as_ref().map_or_else(String::new, |note| format!("({note})"));
    [verdict.reason.clone().unwrap_or_default(), note]
}

fn unknown_row(verdict: &VerdictResult) -> [String; 2] {
    let reason = verdict.reason.clone().unwrap_or_default();
    let depth = verdict.depth.unwrap_or(0);
    [format!("{reason}; not within {depth} steps"), String::new()]
}
