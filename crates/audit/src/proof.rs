//! Proofs checked from their certificates: base, step and exclusion of every claim, with the
//! crate's own encoder and with solvers that did not find them.
//!
//! A certificate is never believed. What a claim is about follows from the model and from the
//! name of the claim; what a certificate adds, facts and how far to look, only helps to show it.

mod facts;
mod goal;
mod inquiry;
#[cfg(test)]
mod one_step;
mod replay;
#[cfg(test)]
mod sabotage;
#[cfg(test)]
mod tests;
mod types;
mod windows;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use provoke_model::{Type, Value};

use crate::certificate::{self, Certificate, Claim, Subject};
use crate::coverage::Masking;
use crate::encode::Start;
use crate::graph::Graph;
use crate::instances::Model;
use crate::obligations::Counting;
use crate::solver::{Logic, QueryLimit, Solver};
use goal::Goals;
pub use inquiry::Disagreement;
use inquiry::Inquiry;
use windows::{Beside, Windows};

/// What a certificate is checked against, none of which comes from the certificate.
pub struct Setting<'a> {
    /// The model.
    pub model: &'a Arc<Model>,
    /// Its occurrences.
    pub graph: &'a Graph,
    /// The hash of the model's text, as hexadecimal digits.
    pub hash: &'a str,
    /// Assumptions that the user has added; the model asserts them already.
    pub assumptions: &'a [String],
    /// When a condition is taken for unmasked.
    pub masking: Masking,
    /// How obligations are counted.
    pub counting: Counting,
    /// The names of the monitored variables.
    pub monitored: &'a [String],
    /// The changed model that a claim is about: a mutant, or one in which the condition of an obligation
    /// is wrong; why not, if there is none.
    pub mutant: &'a (dyn Fn(&Subject) -> Result<Model, String> + Sync),
    /// The solvers, best first.
    pub solvers: &'a [Box<dyn Solver>],
    /// How long each may think about a query.
    pub limit: QueryLimit,
    /// Whether there is no time left.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// How many mutants are looked at at once.
    pub jobs: usize,
}

/// What became of a claim.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// It follows from the model.
    Confirmed {
        /// The position of the solver that said so, of those it needed the last.
        solver: usize,
    },
    /// It does not hold: a run shows that.
    Refuted(Counterexample),
    /// Nothing is said about how to show it.
    Uncertified(String),
    /// No solver could tell.
    Undecided(String),
    /// There was no time left.
    Limit,
    /// The certificate does not show it.
    NotShown(String),
}

/// A run that shows that a claim does not hold.
#[derive(Clone, PartialEq, Debug)]
pub struct Counterexample {
    /// The inputs of each step.
    pub inputs: Vec<Vec<Value>>,
}

/// What was found about a certificate.
#[derive(Debug)]
pub struct Findings {
    /// What became of each claim, in the order in which they were asked about.
    pub verdicts: Vec<Verdict>,
    /// Two solvers that differ: nothing else is worth anything then.
    pub disagreement: Option<Disagreement>,
}

/// Checks `claims`, which come from the results of a run, by what a certificate says about them.
pub fn check(setting: &Setting<'_>, bytes: &[u8], claims: &[Subject]) -> Findings {
    let all =
        |verdict: Verdict| Findings { verdicts: vec![verdict; claims.len()], disagreement: None };
    let certificate = match certificate::parse(bytes) {
        Ok(certificate) => certificate,
        Err(wrong) => return all(Verdict::NotShown(format!("the certificate: {wrong}"))),
    };
    if let Err(why) = fits(setting, &certificate) {
        return all(Verdict::NotShown(why));
    }
    if setting.solvers.is_empty() {
        return all(Verdict::Undecided("no solver is installed".to_string()));
    }
    match examine(setting, &certificate, claims) {
        Ok(verdicts) => Findings { verdicts, disagreement: None },
        Err(disagreement) => {
            let why = "two solvers differ".to_string();
            Findings { disagreement: Some(disagreement), ..all(Verdict::Undecided(why)) }
        }
    }
}

/// Whether a certificate is about this model and these assumptions.
fn fits(setting: &Setting<'_>, certificate: &Certificate) -> Result<(), String> {
    let main = &setting.model.tree.program.nodes[setting.model.tree.main].name.text;
    if certificate.model != setting.hash.to_ascii_lowercase() {
        return Err("the certificate is about another text of the model".to_string());
    }
    if *certificate.node != **main {
        return Err(format!("the certificate is about node `{}`", certificate.node));
    }
    if certificate.numbers != "exact" {
        return Err(format!("numbers `{}` are not checked", certificate.numbers));
    }
    let words = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let given: BTreeSet<String> = setting.assumptions.iter().map(words).collect();
    let used: BTreeSet<String> = certificate.assumptions.iter().map(words).collect();
    if given == used {
        return Ok(());
    }
    Err("the certificate rests on other assumptions than the run".to_string())
}

/// A claim that is looked at, and where its verdict goes.
struct Open<'c> {
    position: usize,
    claim: &'c Claim,
}

fn examine(
    setting: &Setting<'_>,
    certificate: &Certificate,
    claims: &[Subject],
) -> Result<Vec<Verdict>, Disagreement> {
    let reasons: Vec<Claim> =
        claims.iter().filter_map(|subject| reason(certificate, subject)).collect();
    let stated = certificate.claims.iter().chain(&reasons);
    let stated: BTreeMap<&Subject, &Claim> = stated.map(|claim| (&claim.subject, claim)).collect();
    let missing = || Verdict::Uncertified("no certificate".to_string());
    let mut verdicts = vec![missing(); claims.len()];
    let mut plain: Vec<Open<'_>> = Vec::new();
    let mut mutants: Vec<(&str, Open<'_>)> = Vec::new();
    for (position, subject) in claims.iter().enumerate() {
        let Some(claim) = stated.get(subject).copied() else { continue };
        match subject {
            Subject::Equivalent(changed)
            | Subject::Redundant { obligation: changed, .. }
            | Subject::Once { obligation: changed, .. } => {
                mutants.push((changed, Open { position, claim }));
            }
            _ => plain.push(Open { position, claim }),
        }
    }
    let mut record = |found: Vec<(usize, Verdict)>| {
        for (position, verdict) in found {
            verdicts[position] = verdict;
        }
    };
    let goals = Goals::new(setting);
    let mut windows = Windows::new(setting, certificate, &goals);
    record(windows.check(&plain)?);
    mutants.sort_by_key(|(_, open)| (open.claim.uses.clone(), open.claim.k));
    record(check_mutants(setting, certificate, &mutants)?);
    Ok(verdicts)
}

/// How to show that a condition never has its value: as what is stated about the obligation itself, or
/// by all facts about the model.
fn reason(certificate: &Certificate, subject: &Subject) -> Option<Claim> {
    let Subject::Never { criterion, obligation } = subject else { return None };
    let (criterion, obligation) = (criterion.clone(), obligation.clone());
    let host = Subject::Infeasible { criterion, obligation };
    let subject = subject.clone();
    if let Some(stated) = certificate.claims.iter().find(|claim| claim.subject == host) {
        return Some(Claim { subject, ..stated.clone() });
    }
    let groups = certificate.groups.iter().enumerate();
    let uses = groups.filter(|(_, group)| group.mutant.is_none()).map(|(at, _)| at).collect();
    Some(Claim { subject, k: 1, uses, invariant: None, distinct: false, line: 0 })
}

/// Checks claims about mutants, each thread with solvers of its own.
fn check_mutants(
    setting: &Setting<'_>,
    certificate: &Certificate,
    mutants: &[(&str, Open<'_>)],
) -> Result<Vec<(usize, Verdict)>, Disagreement> {
    let next = AtomicUsize::new(0);
    let some = || {
        let goals = Goals::new(setting);
        let mut windows = Windows::new(setting, certificate, &goals);
        let mut found = Vec::new();
        while let Some((id, open)) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
            found.push((open.position, mutant_claim(setting, &mut windows, id, open)?));
        }
        Ok(found)
    };
    let found: Vec<Result<Vec<_>, Disagreement>> = std::thread::scope(|scope| {
        let threads = setting.jobs.min(mutants.len());
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(some)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    Ok(found.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
}

/// Checks a claim about a mutant, beside the model.
fn mutant_claim(
    setting: &Setting<'_>,
    windows: &mut Windows<'_>,
    id: &str,
    open: &Open<'_>,
) -> Result<Verdict, Disagreement> {
    if (setting.stop)() {
        return Ok(Verdict::Limit);
    }
    if setting.monitored.is_empty() {
        return Ok(Verdict::Uncertified("nothing is monitored".to_string()));
    }
    match (setting.mutant)(&open.claim.subject) {
        Ok(model) if !same_interface(setting.model, &model) => {
            let why = "the change reaches the inputs or the types of the model";
            Ok(Verdict::Undecided(why.to_string()))
        }
        Ok(model) => windows.check_mutant(open, Beside { id, model: &Arc::new(model) }),
        Err(why) => Ok(Verdict::Undecided(why)),
    }
}

/// Whether a mutant reads the same inputs as the model, of the same types.
fn same_interface(model: &Model, mutant: &Model) -> bool {
    let inputs = |model: &Model| -> Vec<_> {
        let about = |var: &crate::VarId| {
            let var = &model.vars[*var];
            (var.name.clone(), var.ty, var.range.clone())
        };
        model.inputs.iter().map(about).collect()
    };
    let enums = |model: &Model| -> Vec<_> { model.tree.types.enums.iter().cloned().collect() };
    inputs(model) == inputs(mutant) && enums(model) == enums(mutant)
}

/// A fresh inquiry of the setting's solvers.
fn inquiry<'a>(setting: &Setting<'a>) -> Inquiry<'a> {
    let real = setting.model.vars.iter().any(|var| var.ty == Type::Real);
    let logic = if real { Logic::Linear } else { Logic::Integers };
    Inquiry::new(setting.solvers, logic, setting.limit, setting.stop)
}

/// Where the steps of a query start.
const BASE: Start = Start::OfRun;
const STEP: Start = Start::Anywhere;
