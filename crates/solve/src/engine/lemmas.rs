//! Proven facts about a system that all its goals share.

use rustc_hash::{FxHashMap, FxHashSet};

use super::merge::substitute;
use crate::term::{Term, TermId, Terms};
use crate::transition::Transition;

/// Terms over the state of a system that hold in every later state of every run: before the
/// second step and each step after it, not necessarily before the first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lemmas {
    /// The lemmas; together they are inductive.
    pub terms: Vec<TermId>,
    /// State variables and others that are equal to them in every later state; the lemmas speak
    /// about the latter only.
    pub copies: Vec<(TermId, TermId)>,
}

impl Lemmas {
    /// The lemmas about the state of `transition` alone.
    pub fn inside(&self, terms: &mut Terms, transition: &Transition) -> Vec<TermId> {
        let state = state_of(transition);
        let mut lemmas = self.renamed(terms, &state);
        lemmas.retain(|lemma| symbols(terms, *lemma).iter().all(|s| state.contains(s)));
        lemmas
    }

    /// The lemmas, and that copies are equal to their originals: together inductive.
    pub fn facts(&self, terms: &mut Terms) -> Vec<TermId> {
        let mut facts = self.terms.clone();
        facts.extend(self.copies.iter().map(|(copy, original)| terms.eq(*copy, *original)));
        facts
    }

    /// The lemmas with copies instead of originals where only the copies are at hand.
    fn renamed(&self, terms: &mut Terms, state: &FxHashSet<TermId>) -> Vec<TermId> {
        let mut renamed = Vec::new();
        let mut done = FxHashSet::default();
        for &(copy, original) in &self.copies {
            if state.contains(&copy) && !state.contains(&original) && done.insert(original) {
                renamed.push((original, copy));
            }
        }
        substitute(terms, &self.terms, &renamed)
    }

    /// The same question over as much more of the `whole` system as the lemmas speak about
    /// that touch it.
    pub fn enlarge(
        &self,
        terms: &mut Terms,
        transition: &Transition,
        whole: &Transition,
    ) -> Transition {
        let state = state_of(transition);
        let vars: FxHashMap<_, _> = whole.state.iter().map(|var| (var.symbol, var)).collect();
        let mut roots = self.renamed(terms, &state);
        roots.retain(|lemma| symbols(terms, *lemma).iter().any(|s| state.contains(s)));
        roots.push(transition.constraint);
        let roots = terms.all(&roots);
        let lookup = |_: &mut Terms, symbol: TermId| vars.get(&symbol).map(|var| (*var).clone());
        let enlarged = Transition::slice(terms, transition.goal, roots, lookup);
        Transition { constraint: transition.constraint, ..enlarged }
    }

    /// The lemmas, which are terms of `from`, as terms of `into`, where symbols of the same
    /// name are the same.
    pub fn import(&self, from: &Terms, into: &mut Terms) -> Lemmas {
        let copies = self.copies.iter().flat_map(|(copy, original)| [*copy, *original]);
        let roots: Vec<TermId> = self.terms.iter().copied().chain(copies).collect();
        let mut terms = into.import(from, &roots);
        let copies = terms.split_off(self.terms.len());
        Lemmas { terms, copies: copies.chunks(2).map(|pair| (pair[0], pair[1])).collect() }
    }
}

fn state_of(transition: &Transition) -> FxHashSet<TermId> {
    transition.state.iter().map(|var| var.symbol).collect()
}

/// The symbols of a term.
fn symbols(terms: &Terms, root: TermId) -> Vec<TermId> {
    let mut all = terms.reachable(&[root], |_| false);
    all.retain(|id| matches!(terms.get(*id), Term::Symbol(_)));
    all
}
