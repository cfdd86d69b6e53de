//! State variables that are always the same become one: a model that writes `pre x` ten times
//! remembers `x` once.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::term::{Sort, Term, TermId, Terms};
use crate::transition::{StateVar, Transition};
use crate::unroll::{Start, UnrollPolicy, Unrolling};

/// A transition without copies of state variables.
pub struct MergedTransition {
    /// The transition, with the same runs.
    pub transition: Transition,
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
    let merged = MergedTransition::new(terms, transition);
    let also = merged.apply(terms, also);
    (merged.transition, also)
}

impl MergedTransition {
    /// Merges what is equal after the first step and stays so. What the first step looks at is
    /// merged only if it begins with the same value.
    pub fn new(terms: &mut Terms, transition: &Transition) -> MergedTransition {
        MergedTransition::for_goals(terms, transition, &[])
    }

    /// The same for a transition that is asked about other goals, too. Each counts by itself:
    /// taken together they may hide what one of them looks at.
    pub fn for_goals(
        terms: &mut Terms,
        transition: &Transition,
        goals: &[TermId],
    ) -> MergedTransition {
        let mut merged = MergedTransition { transition: transition.clone(), copies: Vec::new() };
        let found = copies(terms, transition, goals);
        if !found.is_empty() {
            merged.replace(terms, &found);
        }
        merged
    }

    /// Terms over the state, with the copies replaced.
    pub(super) fn apply(&self, terms: &mut Terms, roots: &[TermId]) -> Vec<TermId> {
        match self.copies.is_empty() {
            true => roots.to_vec(),
            false => substitute(terms, roots, &self.copies),
        }
    }

    /// That each copy is what replaces it.
    pub(super) fn equations(&self, terms: &mut Terms) -> Vec<TermId> {
        self.copies.iter().map(|(copy, original)| terms.eq(*copy, *original)).collect()
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
        self.copies.extend(found);
    }
}

/// State variables and others that are equal to them. At first all that begin alike are taken
/// to be equal; those whose next values then differ are not, until the rest is equal together.
fn copies(terms: &mut Terms, transition: &Transition, goals: &[TermId]) -> Vec<(TermId, TermId)> {
    let beginnings = beginnings(terms, transition, goals);
    let symbols: Vec<TermId> = transition.state.iter().map(|var| var.symbol).collect();
    let nexts: Vec<TermId> = transition.state.iter().map(|var| var.next).collect();
    let mut classes = numbered(&beginnings);
    loop {
        let found = pairs(&symbols, &classes);
        let next = substitute(terms, &nexts, &found);
        let refined = numbered(&classes.iter().zip(next).collect::<Vec<_>>());
        if refined == classes {
            return found;
        }
        classes = refined;
    }
}

/// For each item the position of the first that is equal to it.
fn numbered<T: Eq + std::hash::Hash>(items: &[T]) -> Vec<usize> {
    let mut first: FxHashMap<&T, usize> = FxHashMap::default();
    items.iter().enumerate().map(|(index, item)| *first.entry(item).or_insert(index)).collect()
}

fn pairs(symbols: &[TermId], classes: &[usize]) -> Vec<(TermId, TermId)> {
    let members = symbols.iter().zip(classes).enumerate();
    let copies = members.filter(|(index, (_, class))| index != *class);
    copies.map(|(_, (symbol, class))| (*symbol, symbols[*class])).collect()
}

/// What a state variable is in the first step, where that matters, and after it.
#[derive(PartialEq, Eq, Hash)]
struct Beginning {
    sort: Sort,
    at_first: Option<TermId>,
    after: TermId,
}

fn beginnings(terms: &mut Terms, transition: &Transition, goals: &[TermId]) -> Vec<Beginning> {
    let mut first = Unrolling::new(transition, Start::Initial, UnrollPolicy::Inline, "");
    let mut roots = vec![first.goal(terms, 0), first.constraint(terms, 0)];
    roots.extend(goals.iter().map(|goal| first.at(terms, *goal, 0)));
    roots.extend(transition.state.iter().map(|var| first.at(terms, var.next, 0)));
    let used: FxHashSet<_> = terms.reachable(&roots, |_| false).into_iter().collect();
    let mut beginning = |var: &StateVar| {
        let value = first.at(terms, var.symbol, 0);
        let matters = used.contains(&value) || terms.value(value).is_some();
        let after = first.at(terms, var.next, 0);
        Beginning { sort: terms.sort(var.symbol), at_first: matters.then_some(value), after }
    };
    transition.state.iter().map(&mut beginning).collect()
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
