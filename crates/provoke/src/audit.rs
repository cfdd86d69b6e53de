//! Every claim of an output folder, checked again by programs that did not find it.

use std::path::Path;
use std::time::{Duration, Instant};

use provoke_audit::claim::Reason;
use provoke_audit::solver::{Cvc5, QueryLimit, Solver, Z3};
use provoke_audit::{Audit, Damage, Folder, Options};
use provoke_base::{Control, Error};
use provoke_results::{
    ClaimResult, ClaimWord, ClaimsResult, DoubtWord, DoubtsResult, FlatteningResult, Schema,
    Word as _, to_json,
};

use crate::files::{self, write_together};

/// The largest file of a folder that is read.
const MAX_BYTES: usize = 512 << 20;

/// How much work an audit does.
#[derive(Clone, Debug)]
pub struct AuditOptions {
    /// Wall-clock time in all; what is not checked by then is unconfirmed.
    pub budget: Option<Duration>,
    /// Time for each query to a solver.
    pub query: Duration,
    /// How many threads work.
    pub jobs: usize,
}

impl Default for AuditOptions {
    fn default() -> AuditOptions {
        AuditOptions { budget: None, query: Duration::from_secs(20), jobs: 1 }
    }
}

/// Checks every claim of a folder, and leaves what was found beside them as `audit.json`.
pub fn audit(
    folder: &Path,
    options: &AuditOptions,
    control: &Control,
) -> Result<provoke_results::Audit, Error> {
    let start = Instant::now();
    let files = read(folder)?;
    let solvers = solvers();
    let late = || options.budget.is_some_and(|budget| start.elapsed() >= budget);
    let stop = || control.is_over() || late();
    let milliseconds = u32::try_from(options.query.as_millis()).unwrap_or(u32::MAX);
    let limit = QueryLimit { milliseconds };
    let settings = Options { solvers: &solvers, limit, stop: &stop, jobs: options.jobs };
    let mut audit =
        provoke_audit::audit(&files, &settings).map_err(|damage| damaged(folder, damage))?;
    audit.seconds = (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    let result = result(&audit);
    write_together(&[(folder.join("audit.json"), to_json(&result).into_bytes())])?;
    keep_queries(folder, &audit)?;
    Ok(result)
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
fn read(folder: &Path) -> Result<Folder, Error> {
    if !folder.is_dir() {
        let message = format!("{} is no folder", folder.display());
        let hint = "name a folder with the results of generate, prove, measure or mutate";
        return Err(Error::input(message, hint));
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
fn keep_queries(folder: &Path, audit: &Audit) -> Result<(), Error> {
    let queries = audit.disagreement.iter().flat_map(|differ| &differ.queries);
    for (number, (_, _, script)) in queries.enumerate() {
        let path = folder.join(format!("disagreement-{}.smt2", number + 1));
        write_together(&[(path, script.clone().into_bytes())])?;
    }
    Ok(())
}

fn damaged(folder: &Path, damage: Damage) -> Error {
    let path = folder.join(damage.file);
    Error::input(format!("{}: {}", path.display(), damage.problem), damage.help)
}
