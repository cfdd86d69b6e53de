//! `provoke audit`: every claim of an output folder, checked again by programs that did not find it.

use std::path::Path;
use std::time::Instant;

use provoke_audit::claim::{Reason, Word};
use provoke_audit::solver::{Cvc5, QueryLimit, Solver, Z3};
use provoke_audit::{Audit, Damage, Folder, Options};
use provoke_results::{
    ClaimResult, ClaimWord, ClaimsResult, DoubtWord, DoubtsResult, FlatteningResult, Schema,
    Word as _, to_json,
};

use crate::args::{AuditArgs, threads};
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::table::{aligned, shortened};

/// The largest file of a folder that is read.
const MAX_BYTES: usize = 512 << 20;
/// How many findings are listed for people.
const SHOWN: usize = 20;
/// How long the reason of one may be there.
const TEXT: usize = 110;

pub(crate) fn run(args: &AuditArgs, output: &Output) -> Result<Outcome, Failure> {
    let start = Instant::now();
    let control = console::control(output);
    let folder = read(&args.folder)?;
    let solvers = solvers();
    let late = || args.budget.is_some_and(|budget| start.elapsed() >= budget);
    let stop = || control.is_cancelled() || late();
    let milliseconds = u32::try_from(args.query.as_millis()).unwrap_or(u32::MAX);
    let limit = QueryLimit { milliseconds };
    let options = Options { solvers: &solvers, limit, stop: &stop, jobs: threads(args.jobs) };
    let mut audit =
        provoke_audit::audit(&folder, &options).map_err(|damage| damaged(&args.folder, damage))?;
    audit.seconds = (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    let json = to_json(&result(&audit));
    files::write(output, &args.folder.join("audit.json"), json.as_bytes())?;
    keep_queries(&args.folder, &audit, output)?;
    output.result(&if output.is_json() { json } else { describe(&args.folder, &audit) });
    Ok(match audit {
        audit if audit.is_refuted() => Outcome::Negative,
        _ if control.is_cancelled() => Outcome::Interrupted,
        audit if audit.unconfirmed > 0 => Outcome::Inconclusive,
        _ => Outcome::Well,
    })
}

/// The audit as programs read it.
fn result(audit: &Audit) -> provoke_results::Audit {
    let kind = |kind: &provoke_audit::audit::Kind| ClaimsResult {
        verdict: ClaimWord::of(kind.verdict.word()),
        claims: kind.claims,
        confirmed: kind.confirmed,
        refuted: kind.refuted,
        unconfirmed: kind.unconfirmed,
    };
    let finding = |finding: &provoke_audit::audit::Finding| ClaimResult {
        verdict: finding.verdict.map(|word| ClaimWord::of(word.word())),
        id: finding.id.clone(),
        refuted: finding.refuted,
        kind: finding.kind.map(doubt),
        reason: finding.reason.clone(),
    };
    let provoke_audit::audit::Reasons { uncertified, undecided, limit } = audit.reasons;
    provoke_results::Audit {
        schema: Schema::default(),
        model: audit.model.clone(),
        claims: audit.claims,
        confirmed: audit.confirmed,
        refuted: audit.refuted,
        unconfirmed: audit.unconfirmed,
        reasons: DoubtsResult { uncertified, undecided, limit },
        by_z3_alone: audit.by_z3_alone,
        solver: audit.solver.clone(),
        seconds: audit.seconds,
        kinds: audit.kinds.iter().map(kind).collect(),
        tests: audit.tests,
        steps: audit.steps,
        flattening: FlatteningResult {
            steps: audit.flattening.steps,
            forms: audit.flattening.forms.iter().map(|form| form.to_string()).collect(),
            difference: audit.flattening.difference.clone(),
        },
        files: Some(
            audit.files.iter().map(|(name, hash)| (name.to_string(), hash.clone())).collect(),
        ),
        findings: audit.findings.iter().map(finding).collect(),
    }
}

fn doubt(reason: Reason) -> DoubtWord {
    match reason {
        Reason::Uncertified => DoubtWord::Uncertified,
        Reason::Undecided => DoubtWord::Undecided,
        Reason::Limit => DoubtWord::Limit,
    }
}

/// The files of a folder; those that are not there are left out.
fn read(folder: &Path) -> Result<Folder, Failure> {
    if !folder.is_dir() {
        let message = format!("{} is no folder", folder.display());
        let hint = "name a folder that generate, prove or mutate wrote with -o";
        return Err(Failure::input(message, hint));
    }
    let file = |name: &str| {
        let path = folder.join(name);
        if path.exists() { files::read(&path, MAX_BYTES).map(Some) } else { Ok(None) }
    };
    Ok(Folder {
        model: file("model.lus")?,
        suite: file("suite.json")?,
        settings: file("settings.json")?,
        verdicts: file("verdicts.json")?,
        mutants: file("mutants.json")?,
        certificates: file("certificates.txt")?,
    })
}

/// What is installed, the one that finds nothing itself first.
fn solvers() -> Vec<Box<dyn Solver>> {
    let mut found: Vec<Box<dyn Solver>> = Vec::new();
    if let Ok(cvc5) = Cvc5::find() {
        found.push(Box::new(cvc5));
    }
    if let Ok(z3) = Z3::find() {
        found.push(Box::new(z3));
    }
    found
}

/// What two solvers were asked that answer differently, for whoever looks into it.
fn keep_queries(folder: &Path, audit: &Audit, output: &Output) -> Result<(), Failure> {
    let queries = audit.disagreement.iter().flat_map(|differ| &differ.queries);
    for (number, (_, _, script)) in queries.enumerate() {
        let path = folder.join(format!("disagreement-{}.smt2", number + 1));
        files::write(output, &path, script.as_bytes())?;
    }
    Ok(())
}

fn damaged(folder: &Path, damage: Damage) -> Failure {
    let path = folder.join(damage.file);
    Failure::input(format!("{}: {}", path.display(), damage.problem), damage.help)
}

fn describe(folder: &Path, audit: &Audit) -> String {
    let Audit { claims, confirmed, refuted, unconfirmed, tests, steps, .. } = audit;
    let mut text = format!("{}: {claims} claims about {}\n", folder.display(), audit.model);
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
fn means(word: Word, audit: &Audit) -> String {
    match word {
        Word::Covered | Word::Violated => "the test, run again".to_string(),
        Word::Killed => "the test, run on both texts".to_string(),
        Word::Infeasible | Word::Holds | Word::Equivalent if audit.solver.is_empty() => {
            "no certificate was checked".to_string()
        }
        Word::Infeasible | Word::Holds | Word::Equivalent => {
            format!("certificates, with {}", audit.solver)
        }
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
    let row = |finding: &provoke_audit::audit::Finding| {
        let word = match (finding.refuted, finding.kind) {
            (true, _) => "refuted",
            (_, Some(Reason::Undecided)) => "undecided",
            (_, Some(Reason::Limit)) => "limit",
            _ => "uncertified",
        };
        let claim = finding.verdict.map_or("", Word::word);
        let reason = shortened(&finding.reason, TEXT);
        vec![format!("  {word}"), claim.to_string(), finding.id.clone(), reason]
    };
    let rows: Vec<Vec<String>> = audit.findings.iter().take(SHOWN).map(row).collect();
    let more = audit.findings.len() - rows.len();
    let rest = match more {
        0 => String::new(),
        _ => format!("  ... and {more} more; audit.json lists all\n"),
    };
    format!("{}{rest}", aligned(&rows))
}
