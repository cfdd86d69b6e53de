//! Questions about a system, as transitions.

use provoke_model::ExprKind;

use crate::encode::Encoder;
use crate::term::{TermId, Terms};
use crate::transition::Transition;

/// Whether `goal` ever holds, over what it depends on.
pub fn about(encoder: &mut Encoder, terms: &mut Terms, goal: TermId) -> Transition {
    let constraint = encoder.constraint(terms);
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
    let mut symbols = vec![encoder.first()];
    symbols.extend(delays.into_iter().map(|pre| encoder.memory(terms, pre)));
    let mut state: Vec<_> =
        symbols.iter().filter_map(|symbol| encoder.state_var(terms, *symbol)).collect();
    state.sort_by_key(|var| var.symbol);
    let constraint = encoder.constraint(terms);
    let mut roots: Vec<_> = state.iter().map(|var| var.next).collect();
    roots.push(constraint);
    let used = terms.symbols_in(&roots).into_iter();
    let mut inputs: Vec<_> = used.map(|id| terms.symbol_term(id)).collect();
    inputs.retain(|symbol| !symbols.contains(symbol));
    inputs.sort_unstable();
    let mut whole = Transition { state, inputs, constraint, goal: terms.bool(false) };
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
