//! What a proof leaves behind, so that others can check it: facts over the names of a system.
//!
//! Engines prove with terms over `pre:12`, `first` and copies that were merged. A certificate says
//! the same in words that need none of that: what a `pre` remembers is called by its operand,
//! `` (pre (`x` + 1)) ``, enumerations by their constants, and a later state is never the first.
//! It is plain data, so it survives a store and the way between processes. Many certificates
//! become one file, in which facts that several of them need stand once ([`Sheet`]).

mod names;
mod proven;
mod sheet;
mod translate;
mod written;

use std::sync::Arc;

use provoke_model::System;

use crate::engine::{Lemmas, ProofResult, RestsOn};
use crate::term::{TermId, Terms};
use written::{Facts, Group};

pub use names::CertificateNames;
pub use proven::ProvenLemmas;
pub use sheet::{CertifiedVerdict, Sheet};

/// What the proof of one verdict needs beside its `k`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Certificate {
    /// Facts about the whole system that many proofs share, if this one needs them.
    pub lemmas: Option<Arc<str>>,
    /// Facts of its own and an invariant; empty if it needs none.
    pub own: String,
}

/// What a proof says beyond the facts that it shares with others, in its own terms.
#[derive(Default)]
pub struct OwnFacts<'p> {
    /// Facts that are inductive together with the shared ones, if there are any.
    pub on_lemmas: &'p [TermId],
    /// Groups of facts of which each is inductive by itself.
    pub alone: Vec<Vec<TermId>>,
}

impl Certificate {
    /// The certificate of a proof whose lemmas are `shared` ones and some of its `own`; `None`
    /// if it cannot be said over the names of the system.
    pub fn new(
        names: &CertificateNames<'_>,
        terms: &Terms,
        proof: &ProofResult,
        shared: Option<&Arc<str>>,
        own: OwnFacts<'_>,
    ) -> Option<Certificate> {
        if proof.rests_on == RestsOn::States {
            return None;
        }
        let mut groups = vec![Group { on_lemmas: false, facts: proof.copies.clone() }];
        let mut lemmas = None;
        if !proof.lemmas.is_empty() {
            lemmas = Some(shared?.clone()).filter(|text| !text.is_empty());
            groups.push(Group { on_lemmas: true, facts: own.on_lemmas.to_vec() });
            groups.extend(own.alone.into_iter().map(|facts| Group { on_lemmas: false, facts }));
        }
        let mut own = Facts::translate(names, terms, groups, proof.invariant)?;
        own.distinct = proof.rests_on == RestsOn::DistinctStates;
        Some(Certificate { lemmas, own: own.write() })
    }
}

/// Facts about a whole system, written for the certificates that share them; `None` if one of them
/// cannot be said.
pub fn shared(system: &System, terms: &Terms, lemmas: &Lemmas) -> Option<Arc<str>> {
    let mut equal = Terms::new();
    let lemmas = lemmas.import(terms, &mut equal);
    let groups = vec![Group { on_lemmas: false, facts: lemmas.facts(&mut equal) }];
    Some(Facts::translate(&CertificateNames::new(system), &equal, groups, None)?.write().into())
}
