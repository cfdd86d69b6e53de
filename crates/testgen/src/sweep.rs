//! One quick look at everything: what a few steps show for many goals at once.
//!
//! Most of what is infeasible is so for a reason that one step or two show: a condition cannot be as
//! wanted, or its effect is masked on every way out. An attempt of its own, with terms and
//! solvers made for one obligation, costs far more than the question. Here the goals of a group
//! share them.

use provoke_model::System;
use provoke_mutate::ConditionFault;
use provoke_solve::certificate::{Certificate, CertificateNames};
use provoke_solve::engine::{Backend, MergedTransition, ProofResult, Sweep};
use provoke_solve::{Limit, Reading, TermId, Terms};

use crate::generate::{ProofSummary, StrategyOptions};
use crate::goal::Goals;
use crate::parallel::each_in_parallel;
use crate::system_lemmas::SystemLemmas;

/// How many goals share a solver, at least. What a solver did before has a say in how long it
/// takes, so groups must not depend on the number of workers.
const GROUP: usize = 64;
/// Of a large model more goals share one: to tell a solver about the model costs more than to ask.
const EXPRESSIONS_PER_GOAL: usize = 16;

/// What a goal that holds in no step shows, for those who check it.
pub(crate) enum SweptClaim {
    /// Something about the system alone.
    Plain,
    /// Something about tags, which nobody else knows.
    Tags,
    /// That this fault changes nothing that is monitored or remembered.
    Undisturbing(ConditionFault),
}

/// For each item a proof that its goal holds in no step, where a step with so many `before` it
/// shows that. Tags end where they are lost; each goal gets as much as `limit` says. A proof that
/// others can check gets a certificate.
pub(crate) fn sweep<I: Sync>(
    system: &System,
    items: &[I],
    (goal, claim): (
        impl Fn(&mut Goals<'_>, &mut Terms, &I) -> TermId + Sync,
        impl Fn(&I) -> SweptClaim + Sync,
    ),
    before: usize,
    (options, backend, facts, limit): (&StrategyOptions, &Backend, &SystemLemmas, Limit),
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<Option<ProofSummary>> {
    let size = GROUP.max(system.exprs.len() / EXPRESSIONS_PER_GOAL);
    let groups: Vec<&[I]> = items.chunks(size).collect();
    let swept = each_in_parallel(options.jobs, &groups, |_, group| {
        if stop() {
            return vec![None; group.len()];
        }
        let mut terms = Terms::new();
        let mut goals = Goals::new(system, options.masking, &options.oracle, &mut terms);
        goals.read(Reading::Possible);
        goals.end_tags_outside(&facts.observable);
        goals.end_tags_under_assumption(&mut terms, facts);
        let wanted = group.iter().take_while(|_| !stop());
        let wanted: Vec<TermId> = wanted.map(|item| goal(&mut goals, &mut terms, item)).collect();
        if wanted.len() < group.len() {
            return vec![None; group.len()];
        }
        let part = goals.part(&mut terms, &wanted);
        let lemmas = facts.about(&mut terms, &part);
        let part = MergedTransition::for_goals(&mut terms, &part, &wanted);
        let mut sweep = Sweep::new(&mut terms, &part, before, &lemmas, backend);
        let names = CertificateNames::new(system);
        let wanted = sweep.merged(&mut terms, &wanted);
        let proofs = sweep.exclude_all(&mut terms, &wanted, limit, stop);
        // Goals that were excluded together have one proof.
        let mut last: Option<(ProofResult, Option<Certificate>)> = None;
        let mut certificate = |proof: &ProofResult| match &last {
            Some((known, certificate)) if known == proof => certificate.clone(),
            _ => {
                let certificate = facts.certificate(&names, &terms, proof);
                last = Some((proof.clone(), certificate.clone()));
                certificate
            }
        };
        let summary = |(item, proof): (&I, Option<ProofResult>)| {
            let proof = proof?;
            let certificate = match claim(item) {
                SweptClaim::Plain => certificate(&proof),
                SweptClaim::Tags => None,
                SweptClaim::Undisturbing(fault) => {
                    let monitored = options.oracle.monitored(system);
                    fault.undisturbing(system, &monitored, &facts.proven, (&terms, &proof))
                }
            };
            Some(ProofSummary { certificate, ..facts.summary(&proof) })
        };
        group.iter().zip(proofs).map(summary).collect::<Vec<_>>()
    });
    swept.into_iter().flatten().collect()
}
