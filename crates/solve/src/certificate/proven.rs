//! Lemmas about a whole system, proven once for all that is asked about it.

use std::sync::Arc;

use provoke_model::System;

use super::shared;
use crate::engine::Lemmas;
use crate::term::{TermId, Terms};
use crate::transition::Transition;

/// Facts about all later states of a system, in terms of their own.
pub struct ProvenLemmas {
    terms: Terms,
    lemmas: Lemmas,
    /// The lemmas as certificates share them, if they can be said.
    shared: Option<Arc<str>>,
}

impl ProvenLemmas {
    /// Lemmas about a system, over these terms.
    pub fn new(system: &System, terms: Terms, lemmas: Lemmas) -> ProvenLemmas {
        let shared = shared(system, &terms, &lemmas);
        ProvenLemmas { terms, lemmas, shared }
    }

    /// What the certificates of all proofs share.
    pub fn shared(&self) -> Option<&Arc<str>> {
        self.shared.as_ref()
    }

    /// The lemmas, and the terms that they are made of.
    pub fn parts(&self) -> (&Lemmas, &Terms) {
        (&self.lemmas, &self.terms)
    }

    /// Those about the state of a question, in its terms.
    pub fn about(&self, terms: &mut Terms, question: &Transition) -> Vec<TermId> {
        self.lemmas.import(&self.terms, terms).inside(terms, question)
    }

    /// All of them, in other terms.
    pub fn all(&self, terms: &mut Terms) -> Vec<TermId> {
        self.lemmas.import(&self.terms, terms).terms
    }

    /// Writes them, for other processes that work on the same system.
    pub fn write(&self) -> String {
        self.lemmas.write(&self.terms)
    }

    /// Reads what [`ProvenLemmas::write`] has written of a system; `None` for what is nothing of
    /// that kind.
    pub fn read<'t>(lines: impl Iterator<Item = &'t str>, system: &System) -> Option<ProvenLemmas> {
        let mut terms = Terms::new();
        let lemmas = Lemmas::read(lines, &mut terms)?;
        Some(ProvenLemmas::new(system, terms, lemmas))
    }
}
