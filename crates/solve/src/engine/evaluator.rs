//! Steps with given inputs, computed without a solver.

use provoke_model::Value;
use rustc_hash::FxHashMap;

use crate::term::{Term, TermId, Terms};
use crate::transition::Transition;

/// The terms of a transition in the order of evaluation.
pub(super) struct Evaluator {
    nodes: Vec<Term>,
    /// The places of operands, up to three for each node.
    operands: Vec<[usize; 3]>,
    places: FxHashMap<TermId, usize>,
    /// The places of the state variables and of their next values.
    state: Vec<(usize, usize)>,
    values: Vec<Value>,
}

impl Evaluator {
    /// Evaluates the steps of `transition` and the terms `also`.
    pub(super) fn new(terms: &Terms, transition: &Transition, also: &[TermId]) -> Evaluator {
        let mut roots = also.to_vec();
        roots.extend([transition.goal, transition.constraint]);
        roots.extend(transition.state.iter().flat_map(|var| [var.symbol, var.next]));
        let order = terms.reachable(&roots, |_| false);
        let places: FxHashMap<_, _> = order.iter().enumerate().map(|(i, id)| (*id, i)).collect();
        let place = |id: &TermId| {
            let mut found = [0; 3];
            for (slot, operand) in found.iter_mut().zip(terms.get(*id).operands()) {
                *slot = places[&operand];
            }
            found
        };
        let state = transition.state.iter().map(|var| (places[&var.symbol], places[&var.next]));
        Evaluator {
            nodes: order.iter().map(|id| terms.get(*id).clone()).collect(),
            operands: order.iter().map(place).collect(),
            state: state.collect(),
            values: vec![Value::Unknown; order.len()],
            places,
        }
    }

    /// Sets a symbol of this step.
    pub(super) fn set(&mut self, symbol: TermId, value: Value) {
        if let Some(&place) = self.places.get(&symbol) {
            self.values[place] = value;
        }
    }

    /// Computes this step from the symbols that are set.
    pub(super) fn compute(&mut self) {
        for (place, (node, [a, b, c])) in self.nodes.iter().zip(&self.operands).enumerate() {
            let values = &self.values;
            let value = match node {
                Term::Symbol(_) => continue,
                Term::Const(value) => value.clone(),
                Term::Unary(op, _) => op.apply(&values[*a]),
                Term::Binary(op, ..) => {
                    op.apply(&values[*a], &values[*b]).unwrap_or(Value::Unknown)
                }
                Term::Ite(..) => match values[*a] {
                    Value::Bool(true) => values[*b].clone(),
                    Value::Bool(false) => values[*c].clone(),
                    _ => Value::Unknown,
                },
            };
            self.values[place] = value;
        }
    }

    /// Goes on to the next step.
    pub(super) fn advance(&mut self) {
        let next: Vec<_> = self.state.iter().map(|(_, next)| self.values[*next].clone()).collect();
        for ((place, _), value) in self.state.iter().zip(next) {
            self.values[*place] = value;
        }
    }

    /// The value of a term in this step.
    pub(super) fn value(&self, term: TermId) -> &Value {
        &self.values[self.places[&term]]
    }
}
