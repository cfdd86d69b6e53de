//! Questions about a system, as transitions.

use provoke_model::ExprKind;

use crate::encode::Encoder;
use crate::faults::Reading;
use crate::term::{TermId, Terms};
use crate::transition::Transition;

/// Whether `goal` ever holds for some values of what is undefined, over what it depends on.
pub fn about(encoder: &mut Encoder, terms: &mut Terms, goal: TermId) -> Transition {
    let constraint = encoder.constraint(terms, Reading::Possible);
    let mut slice = Transition::slice(terms, goal, constraint, |terms, symbol| {
        encoder.state_var(terms, symbol)
    });
    constrain_types(encoder, terms, &mut slice);
    slice
}

/// The whole system, without a goal: what lemmas are learnt about.
pub fn whole(encoder: &mut Encoder, terms: &mut Terms) -> Transition {
    let system = encoder.system();
    let is_delay = |(_, expr): &(_, &provoke_model::Expr)| matches!(expr.kind, ExprKind::Pre(_));
    let delays: Vec<_> = system.exprs.entries().filter(is_delay).map(|(id, _)| id).collect();
    let mut roots = vec![encoder.first()];
    roots.extend(delays.into_iter().map(|pre| encoder.memory(terms, pre)));
    // A test goes on only where nothing can divide by zero: whatever is undefined, it is a run.
    let constraint = encoder.constraint(terms, Reading::Possible);
    roots.push(constraint);
    let goal = terms.bool(false);
    let mut whole = Transition::over(terms, &roots, goal, constraint, |terms, symbol| {
        encoder.state_var(terms, symbol)
    });
    constrain_types(encoder, terms, &mut whole);
    whole
}

/// A remembered enumeration constant is one even in the first step, where it is free.
pub fn constrain_types(encoder: &Encoder<'_>, terms: &mut Terms, transition: &mut Transition) {
    let mut all = vec![transition.constraint];
    for pre in encoder.system().exprs.ids() {
        if !matches!(encoder.system().exprs[pre].kind, ExprKind::Pre(_)) {
            continue;
        }
        let memory = encoder.memory(terms, pre);
        if transition.state.binary_search_by_key(&memory, |var| var.symbol).is_ok() {
            all.extend(encoder.type_invariant(terms, pre));
        }
    }
    transition.constraint = terms.all(&all);
}
