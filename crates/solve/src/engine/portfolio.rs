//! The engines one after the other, cheap ones first.

use super::backend::Backend;
use super::bmc::Bmc;
use super::budget::Budget;
use super::explicit::{Extent, explicit};
use super::induction::{Induction, induct};
use super::loop_acceleration::accelerate;
use super::merge::MergedTransition;
use super::pdr::pdr_after;
use super::verdict::{GoalVerdict, UndecidedReason};
use crate::term::{TermId, Terms};
use crate::transition::Transition;
use crate::unroll::{Start, UnrollPolicy};

/// Which engine decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// Bounded search.
    Bmc,
    /// k-induction.
    KInduction,
    /// Spacer.
    Pdr,
    /// All states and inputs, one by one.
    Explicit,
    /// All of them.
    #[default]
    All,
}

provoke_base::words!(Engine {
    Bmc = "bmc",
    KInduction = "kind",
    Pdr = "pdr",
    Explicit = "explicit",
    All = "all",
});

impl Engine {
    /// Whether it is the better for what is proven about the whole system.
    pub fn uses_lemmas(self) -> bool {
        !matches!(self, Engine::Bmc | Engine::Explicit)
    }
}

/// How far each engine goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProofPlan {
    /// How steps are expressed in bounded search.
    pub policy: UnrollPolicy,
    /// The depth of the search before proofs are tried.
    pub shallow: usize,
    /// The depth of the search at the end.
    pub deep: usize,
    /// How k-induction goes about it.
    pub induction: Induction,
}

impl Default for ProofPlan {
    fn default() -> ProofPlan {
        let induction = Induction { max_k: 4, ..Induction::default() };
        ProofPlan { policy: UnrollPolicy::Inline, shallow: 6, deep: 64, induction }
    }
}

/// What the engines get of the budget that is left when their turn comes, in per cent.
const TINY_PERCENT: u32 = 20;
const SHALLOW_PERCENT: u32 = 25;
const INDUCTION_PERCENT: u32 = 30;
const LOOP_PERCENT: u32 = 30;
const PDR_PERCENT: u32 = 60;
const EXPLICIT_PERCENT: u32 = 50;

/// Lets `engine` decide; all of them: single steps, all states if these are very few, shallow search, short windows,
/// repetition, Spacer, all states, deep search, as far as the budget goes. The lemmas hold in every later state and are over
/// symbols of the transition.
pub fn decide(
    terms: &mut Terms,
    transition: &Transition,
    lemmas: &[TermId],
    engine: Engine,
    plan: &ProofPlan,
    backend: &Backend,
    budget: &mut Budget,
) -> GoalVerdict {
    let merged = MergedTransition::new(terms, transition);
    let mut usable = merged.apply(terms, lemmas);
    usable.retain(|lemma| !terms.is_bool(*lemma, true));
    usable.sort_unstable();
    usable.dedup();
    let base =
        Bmc::new(&merged.transition, Start::Initial, plan.policy, Box::new(backend.solver()));
    let mut run = Run { transition: &merged.transition, lemmas: &usable, backend, base };
    match run.decide(terms, engine, plan, budget) {
        GoalVerdict::Unreachable(mut proof) => {
            // About the transition as it was given, the proof also needs to know the copies.
            if !proof.lemmas.is_empty() {
                proof.lemmas = lemmas.to_vec();
            }
            proof.copies = merged.equations(terms);
            GoalVerdict::Unreachable(proof)
        }
        verdict => verdict,
    }
}

/// Engines that share a search from the initial state.
struct Run<'t> {
    transition: &'t Transition,
    lemmas: &'t [TermId],
    backend: &'t Backend,
    base: Bmc<'t>,
}

impl Run<'_> {
    fn decide(
        &mut self,
        terms: &mut Terms,
        engine: Engine,
        plan: &ProofPlan,
        budget: &mut Budget,
    ) -> GoalVerdict {
        match engine {
            Engine::Bmc => self.base.search(terms, plan.deep, budget),
            Engine::KInduction => self.induct(terms, self.lemmas, plan.induction, budget),
            Engine::Pdr => self.pdr(terms, budget),
            Engine::Explicit => self.explicit(terms, Extent::LARGE, budget),
            Engine::All => self.all(terms, plan, budget),
        }
    }

    fn all(&mut self, terms: &mut Terms, plan: &ProofPlan, budget: &mut Budget) -> GoalVerdict {
        let single = Induction { max_k: 0, ..plan.induction };
        budget
            .with_part(SHALLOW_PERCENT, |budget| self.induct(terms, &[], single, budget))
            .or_else(|| {
                budget.with_part(TINY_PERCENT, |budget| self.explicit(terms, Extent::TINY, budget))
            })
            .or_else(|| {
                budget.with_part(SHALLOW_PERCENT, |budget| {
                    self.base.search(terms, plan.shallow, budget)
                })
            })
            .or_else(|| {
                budget.with_part(INDUCTION_PERCENT, |budget| {
                    self.induct(terms, self.lemmas, plan.induction, budget)
                })
            })
            .or_else(|| budget.with_part(LOOP_PERCENT, |budget| self.accelerate(terms, budget)))
            .or_else(|| budget.with_part(PDR_PERCENT, |budget| self.pdr(terms, budget)))
            .or_else(|| {
                budget.with_part(EXPLICIT_PERCENT, |budget| {
                    self.explicit(terms, Extent::LARGE, budget)
                })
            })
            .or_else(|| self.base.search(terms, plan.deep, budget))
    }

    fn induct(
        &mut self,
        terms: &mut Terms,
        lemmas: &[TermId],
        options: Induction,
        budget: &mut Budget,
    ) -> GoalVerdict {
        induct(terms, self.transition, lemmas, options, self.backend, &mut self.base, budget)
    }

    fn explicit(&self, terms: &mut Terms, extent: Extent, budget: &mut Budget) -> GoalVerdict {
        explicit(terms, self.transition, extent, &self.backend.interrupter, budget)
    }

    fn accelerate(&mut self, terms: &mut Terms, budget: &mut Budget) -> GoalVerdict {
        match accelerate(terms, self.transition, self.backend, budget) {
            Some(witness) => GoalVerdict::Reached(witness),
            None => self.base.unknown(UndecidedReason::Depth),
        }
    }

    fn pdr(&mut self, terms: &mut Terms, budget: &mut Budget) -> GoalVerdict {
        pdr_after(terms, self.transition, self.lemmas, self.backend, &mut self.base, budget)
    }
}

impl GoalVerdict {
    /// This one, or what `next` finds if there is none yet.
    fn or_else(self, next: impl FnOnce() -> GoalVerdict) -> GoalVerdict {
        if self.is_unknown() { next() } else { self }
    }
}
