//! What is proven about a whole system and used for every obligation.

use std::sync::Arc;

use provoke_model::{System, Value};
use provoke_sim::interpreter::delays;
use provoke_solve::certificate::{Certificate, CertificateNames, OwnFacts, ProvenLemmas};
use provoke_solve::encode::Encoder;
use provoke_solve::engine::{self, Backend, Budget, ProofResult, StateSamples, whole};
use provoke_solve::{Limit, TermId, Terms, Transition};

use crate::generate::ProofSummary;
use crate::unobservable::ObservableRegions;
use crate::unobservable_under_assumption::LossUnderAssumption;

/// Facts about all later states of a system, proven once.
pub struct SystemLemmas {
    pub(crate) proven: ProvenLemmas,
    /// Where tags are lost.
    pub(crate) observable: ObservableRegions,
    /// Where they are lost as long as promises are kept.
    pub(crate) losses: Vec<LossUnderAssumption>,
}

impl SystemLemmas {
    /// Learns from states that simulation reached, and proves what it learned.
    pub fn learn(
        system: &System,
        rows: Vec<Vec<Value>>,
        backend: &Backend,
        limit: Limit,
    ) -> SystemLemmas {
        let mut terms = Terms::new();
        let mut encoder = Encoder::new(system, &mut terms);
        let transition = whole(&mut encoder, &mut terms);
        let symbols = delays(system).into_iter().map(|pre| encoder.memory(&mut terms, pre));
        let samples = StateSamples::new(symbols.collect(), rows);
        let mut budget = Budget::new(limit);
        let lemmas = match samples.rows.is_empty() {
            true => engine::Lemmas::default(),
            false => engine::learn(&mut terms, &transition, &samples, backend, &mut budget),
        };
        SystemLemmas::new(system, ProvenLemmas::new(system, terms, lemmas))
    }

    /// Nothing is known.
    pub(crate) fn none(system: &System) -> SystemLemmas {
        let (terms, lemmas) = (Terms::new(), engine::Lemmas::default());
        SystemLemmas::new(system, ProvenLemmas::new(system, terms, lemmas))
    }

    /// Lemmas about a system; nothing is known yet of what becomes of tags.
    pub(crate) fn new(system: &System, proven: ProvenLemmas) -> SystemLemmas {
        SystemLemmas { proven, observable: ObservableRegions::none(system), losses: Vec::new() }
    }

    /// What the certificates of this system share.
    pub fn shared(&self) -> Option<&Arc<str>> {
        self.proven.shared()
    }

    /// The certificate of a proof that stands on these lemmas and on nothing else.
    pub(crate) fn certificate(
        &self,
        names: &CertificateNames<'_>,
        terms: &Terms,
        proof: &ProofResult,
    ) -> Option<Certificate> {
        Certificate::new(names, terms, proof, self.proven.shared(), OwnFacts::default())
    }

    /// The lemmas that speak about a question, in its terms.
    pub(crate) fn about(&self, terms: &mut Terms, question: &Transition) -> Vec<TermId> {
        self.proven.about(terms, question)
    }

    /// All lemmas, in other terms.
    pub(crate) fn all(&self, terms: &mut Terms) -> Vec<TermId> {
        self.proven.all(terms)
    }

    /// What a proof says that also stands on what is known of delays that lose tags.
    pub(crate) fn summary(&self, proof: &ProofResult) -> ProofSummary {
        let mut summary = ProofSummary::new(proof);
        summary.lemmas += self.observable.facts()
            + self.losses.iter().map(LossUnderAssumption::facts).sum::<usize>();
        summary
    }

    /// How many lemmas there are.
    pub fn lemmas(&self) -> usize {
        self.proven.parts().0.terms.len()
    }
}
