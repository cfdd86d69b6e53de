//! State variables that are always the same become one: a model that writes `pre x` ten times
//! remembers `x` once.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::term::{Term, TermId, Terms};
use crate::transition::Transition;
use crate::unroll::{Policy, Start, Unrolling};

/// A transition without copies of state variables.
pub(super) struct Merged {
    pub(super) transition: Transition,
    /// Each copy and what replaces it, which are equal in every later state.
    pub(super) copies: Vec<(TermId, TermId)>,
}

/// A transition with the same runs in which no two state variables are always the same, and
/// terms over the old one as terms over the new one.
pub fn without_copies(
    terms: &mut Terms,
    transition: &Transition,
    also: &[TermId],
) -> (Transition, Vec<TermId>) {
    let merged = Merged::new(terms, transition);
    let also = merged.apply(terms, also);
    (merged.transition, also)
}

impl Merged {
    /// Merges what has the same value after each step. What the first step looks at stays
    /// apart, because there each may have another value.
    pub(super) fn new(terms: &mut Terms, transition: &Transition) -> Merged {
        let seen = seen_at_first(terms, transition);
        let mut merged = Merged { transition: transition.clone(), copies: Vec::new() };
        loop {
            let found = merged.copies(terms, &seen);
            if found.is_empty() {
                return merged;
            }
            merged.replace(terms, &found);
        }
    }

    /// Terms over the state, with the copies replaced.
    pub(super) fn apply(&self, terms: &mut Terms, roots: &[TermId]) -> Vec<TermId> {
        substitute(terms, roots, &self.copies)
    }

    /// That each copy is what replaces it.
    pub(super) fn equations(&self, terms: &mut Terms) -> Vec<TermId> {
        self.copies.iter().map(|(copy, original)| terms.eq(*copy, *original)).collect()
    }

    fn copies(&self, terms: &Terms, seen: &FxHashSet<TermId>) -> Vec<(TermId, TermId)> {
        let mut originals: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut found = Vec::new();
        for var in &self.transition.state {
            if seen.contains(&var.symbol) || terms.value(var.next).is_some() {
                continue;
            }
            let original = *originals.entry(var.next).or_insert(var.symbol);
            if original != var.symbol {
                found.push((var.symbol, original));
            }
        }
        found
    }

    fn replace(&mut self, terms: &mut Terms, found: &[(TermId, TermId)]) {
        let replaced: FxHashMap<_, _> = found.iter().copied().collect();
        let transition = &mut self.transition;
        transition.state.retain(|var| !replaced.contains_key(&var.symbol));
        let mut roots = vec![transition.goal, transition.constraint];
        roots.extend(transition.state.iter().map(|var| var.next));
        let new = substitute(terms, &roots, found);
        (transition.goal, transition.constraint) = (new[0], new[1]);
        for (var, next) in transition.state.iter_mut().zip(&new[2..]) {
            var.next = *next;
        }
        for (_, original) in &mut self.copies {
            *original = *replaced.get(original).unwrap_or(original);
        }
        self.copies.extend(found);
    }
}

/// The state variables that matter in the first step.
fn seen_at_first(terms: &mut Terms, transition: &Transition) -> FxHashSet<TermId> {
    let mut first = Unrolling::new(transition, Start::Initial, Policy::Inline, "");
    let mut roots = vec![first.goal(terms, 0), first.constraint(terms, 0)];
    roots.extend(transition.state.iter().map(|var| first.at(terms, var.next, 0)));
    let used: FxHashSet<_> = terms.reachable(&roots, |_| false).into_iter().collect();
    let symbols = transition.state.iter().map(|var| var.symbol);
    // A variable whose initial value is given is a literal there and matters always.
    symbols
        .filter(|symbol| {
            let value = first.at(terms, *symbol, 0);
            used.contains(&value) || terms.value(value).is_some()
        })
        .collect()
}

/// All of `roots` with symbols replaced.
pub(super) fn substitute(
    terms: &mut Terms,
    roots: &[TermId],
    replacements: &[(TermId, TermId)],
) -> Vec<TermId> {
    let mut done: FxHashMap<TermId, TermId> = replacements.iter().copied().collect();
    for id in terms.reachable(roots, |id| done.contains_key(&id)) {
        let new = match *terms.get(id) {
            Term::Const(_) | Term::Symbol(_) => id,
            Term::Unary(op, a) => terms.unary(op, done[&a]),
            Term::Binary(op, a, b) => terms.binary(op, done[&a], done[&b]),
            Term::Ite(a, b, c) => terms.ite(done[&a], done[&b], done[&c]),
        };
        done.insert(id, new);
    }
    roots.iter().map(|root| done[root]).collect()
}
