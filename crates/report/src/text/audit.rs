//! What an audit says.

use provoke_base::table::{aligned, shortened};
use provoke_results::{Audit, ClaimResult, ClaimWord, DoubtWord, Word};

/// How many findings are listed for people.
const MAX_LISTED: usize = 20;

/// How long the reason of one may be there.
const MAX_CHARACTERS: usize = 110;

/// How many claims of a folder are confirmed, refuted and unconfirmed, and what was found.
pub fn audit(folder: &str, audit: &Audit) -> String {
    let Audit { claims, confirmed, refuted, unconfirmed, tests, steps, .. } = audit;
    let mut text = format!("{folder}: {claims} claims about {}\n", audit.model);
    let heading = ["", "claims", "confirmed", "refuted", "unconfirmed", "by"].map(String::from);
    let mut rows = vec![heading.to_vec()];
    for kind in &audit.kinds {
        let counts = [kind.claims, kind.confirmed, kind.refuted, kind.unconfirmed];
        let mut row = vec![format!("  {}", kind.verdict.word())];
        row.extend(counts.iter().map(usize::to_string));
        row.push(means(kind.verdict, audit));
        rows.push(row);
    }
    text += &aligned(&rows);
    text += &format!(
        "{tests} tests with {steps} steps were run again, with an evaluator over the model's text\n"
    );
    text += &flattening(audit);
    text += &findings(audit);
    text += &format!("{confirmed} confirmed, {refuted} refuted, {unconfirmed} unconfirmed");
    if audit.by_z3_alone > 0 {
        text += &format!(" ({} by Z3 alone, which may have found them)", audit.by_z3_alone);
    }
    text + &format!("; {} s\n", audit.seconds)
}

/// By what a kind of claim is checked.
fn means(word: ClaimWord, audit: &Audit) -> String {
    match word {
        ClaimWord::Covered | ClaimWord::Violated => "the test, run again".to_string(),
        ClaimWord::Killed => "the test, run on both texts".to_string(),
        ClaimWord::Shown | ClaimWord::Lasting => "the test, run with the value changed".to_string(),
        ClaimWord::Reached => "its run, with every result looked at".to_string(),
        ClaimWord::Absent => "no certificate is written for it".to_string(),
        ClaimWord::Infeasible
        | ClaimWord::Holds
        | ClaimWord::Equivalent
        | ClaimWord::Redundant
        | ClaimWord::Impossible => match audit.solver.is_empty() {
            true => "no certificate was checked".to_string(),
            false => format!("certificates, with {}", audit.solver),
        },
    }
}

fn flattening(audit: &Audit) -> String {
    let flat = &audit.flattening;
    match &flat.difference {
        Some(difference) => format!("the flat model differs: {difference}\n"),
        None if flat.forms.is_empty() => "the flat model was not compared\n".to_string(),
        None => format!(
            "the flat model ({}) does the same in {} random steps\n",
            flat.forms.join(", "),
            flat.steps
        ),
    }
}

fn findings(audit: &Audit) -> String {
    if audit.findings.is_empty() {
        return String::new();
    }
    let row = |finding: &ClaimResult| {
        let word = match (finding.refuted, finding.kind) {
            (true, _) => "refuted",
            (_, Some(DoubtWord::Undecided)) => "undecided",
            (_, Some(DoubtWord::Limit)) => "limit",
            _ => "uncertified",
        };
        let claim = finding.verdict.map_or("", Word::word);
        let reason = shortened(&finding.reason, MAX_CHARACTERS);
        vec![format!("  {word}"), claim.to_string(), finding.id.clone(), reason]
    };
    let rows: Vec<Vec<String>> = audit.findings.iter().take(MAX_LISTED).map(row).collect();
    let more = audit.findings.len() - rows.len();
    let rest = match more {
        0 => String::new(),
        _ => format!("  ... and {more} more; audit.json lists all\n"),
    };
    format!("{}{rest}", aligned(&rows))
}
